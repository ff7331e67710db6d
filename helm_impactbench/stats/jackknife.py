"""Intervals of coefficients of agreement and correlation over clusters, by leaving out one cluster after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import LEVEL, TINY, UNKNOWN, Interval
from helm_impactbench.stats.scipy_modules import special

Figure = Callable[[Floats], Floats]
"""Sums over clusters -> the coefficient: shape (..., sums) -> (...); nan where it is undefined."""


def summed(parts: Floats, clusters: Sequence[Hashable]) -> Floats:
    """Return the sums of the items' parts by cluster; shape (items, ...) -> (clusters, ...)."""
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(places), *parts.shape[1:]))
    np.add.at(sums, [places[cluster] for cluster in clusters], parts)
    return sums


def jackknife_interval(sums: Floats, figure: Figure, at_one: float = math.nan) -> Interval:
    """Return the 95% interval of a coefficient from -1 to 1 over clusters, for other clusters like these.

    `sums` has shape (clusters, ...), the parts of the coefficient that add up over clusters. The variance is the
    jackknife's over whole clusters; the interval is symmetric on Fisher's z scale, with a t quantile. A coefficient of
    1 has no variance: its interval begins at `at_one`, or is unknown. Covers 92 to 98% of simulated alphas with 6 to
    100 clusters, rates of .15 and .5, and disagreements that come together in some clusters (plain: 90 to 100%).
    Sources: Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 11; Fisher (1921), Metron 1.
    """
    count, whole = len(sums), sums.sum(axis=0)
    if count < 2:
        return UNKNOWN
    value, left_out = float(figure(whole)), figure(whole - sums)
    if math.isnan(value) or np.isnan(left_out).any():
        return UNKNOWN
    if value >= 1 - TINY:
        return UNKNOWN if math.isnan(at_one) else Interval(at_one, 1.0)
    variance = (count - 1) / count * float(((left_out - left_out.mean()) ** 2).sum())
    if variance <= TINY or value <= TINY - 1:
        return UNKNOWN
    half = float(special.stdtrit(count - 1, (1 + LEVEL) / 2)) * math.sqrt(variance) / (1 - value**2)
    return Interval(math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half))
