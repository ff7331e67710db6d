"""Quantiles of values that come in clusters, with intervals for other clusters like these.

The interval is Woodruff's: that of the share of values up to the quantile, over whole clusters, read off the values.
Source: Woodruff (1952), Confidence Intervals for Medians and Other Position Measures, JASA 47.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from helm_impactbench.stats.clusters import clustered, mean_variance
from helm_impactbench.stats.intervals import UNKNOWN, Interval, score_interval


@dataclass(frozen=True)
class Quantile:
    """A quantile and its 95% interval."""

    value: float
    interval: Interval
    """Unknown where there are too few values to bound it on both sides."""


def quantile(values: Sequence[float], clusters: Sequence[Hashable], share: float) -> Quantile:
    """Return the value that this share of the values does not exceed; both sequences have one entry per value.

    share: above 0 and below 1. Raises ValueError without a value.
    """
    if not values:
        raise ValueError("no values, so no quantile")
    ordered = sorted(values)
    value = _at(ordered, share)
    up_to = clustered((key, float(one <= value)) for key, one in zip(clusters, values, strict=True))
    if up_to.size < 2:
        return Quantile(value, UNKNOWN)
    variance, freedom = mean_variance(up_to)
    of_share = score_interval(share, variance, freedom, units=up_to.size, lowest=-math.inf, highest=math.inf)
    if not of_share.is_known or not 0 < of_share.low <= of_share.high < 1:
        return Quantile(value, UNKNOWN)
    return Quantile(value, Interval(_at(ordered, of_share.low), _at(ordered, of_share.high)))


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
