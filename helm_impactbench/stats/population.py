"""The two populations that an interval can be for: what would differ if the measurement were made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from helm_impactbench.stats.intervals import TINY, Interval, score_interval, wider

Population = Literal["these", "like-these"]
POPULATIONS: tuple[Population, ...] = ("these", "like-these")
DEFAULT: Population = "these"
"""Of every page and table."""
WORDS: dict[Population, str] = {
    "these": "for these benchmarks and metrics with other scenarios",
    "like-these": "for other benchmarks, metrics and scenarios like these",
}


class HasIntervals(Protocol):
    """A figure with an interval for each population."""

    @property
    def interval(self) -> Interval:
        """95%, for these benchmarks and metrics with other scenarios."""

    @property
    def like_these_interval(self) -> Interval:
        """95%, for other benchmarks, metrics and scenarios like these."""


def interval_of(figure: HasIntervals, population: Population) -> Interval:
    """Return the figure's interval for a population."""
    return figure.interval if population == "these" else figure.like_these_interval


def drawn_interval(
    means: Sequence[float],
    these: Interval,
    weights: Sequence[float] = (),
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Interval:
    """Return the interval of a mean over parts (benchmarks, or metrics) for other parts like these.

    weights: of the parts, equal if none are given. The spread of the parts' means already holds the one within them,
    so nothing below is drawn again (Davison & Hinkley 1997, section 3.8, strategy 1). `these`, the interval for these
    very parts, is returned where parts agree exactly, or are too few to differ, and wherever it is the wider one.
    """
    values = np.asarray(means, dtype=float)
    shares = np.asarray(weights or np.ones(len(values)), dtype=float)
    if len(values) < 2:
        return these
    shares = shares / shares.sum()
    mean = float(shares @ values)
    variance = float(((shares * (values - mean)) ** 2).sum()) * len(values) / (len(values) - 1)
    if variance < TINY:
        return these
    drawn = score_interval(mean, variance, len(values) - 1, units=len(values), lowest=lowest, highest=highest)
    return wider(drawn, these)


def drawn_parts(means: Sequence[float], parts: Sequence[HasIntervals], these: Interval) -> Interval:
    """Return the interval of a plain mean over parts for other parts like these; of a single part, its own."""
    return parts[0].like_these_interval if len(parts) == 1 else drawn_interval(means, these)
