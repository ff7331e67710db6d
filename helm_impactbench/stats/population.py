"""The two populations that an interval can be for: what would differ if the measurement were made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import TINY, Interval, score_bounds, score_interval, wider, wider_bounds

Population = Literal["these", "like-these"]
POPULATIONS: tuple[Population, ...] = ("these", "like-these")
DEFAULT: Population = "these"
"""Of every page and table."""
WORDS: dict[Population, str] = {
    "these": "for these benchmarks and metrics with other scenarios",
    "like-these": "for other benchmarks, metrics and scenarios like these",
}


UNSEEN = "They know nothing of rare kinds that are not among those measured."
"""What no interval for others like these can do."""


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
    if len(means) < 2:
        return these
    values, parts = np.asarray(means, dtype=float), len(means)
    mean, variance = _drawn(values, np.asarray(weights or np.ones(parts), dtype=float))
    if variance < TINY:
        return these
    drawn = score_interval(float(mean), float(variance), parts - 1, units=parts, lowest=lowest, highest=highest)
    return wider(drawn, these)


def drawn_bounds(
    means: Floats,
    these: tuple[Floats | np.float64, Floats | np.float64],
    lowest: float = 0.0,
    highest: float = 1.0,
) -> tuple[Floats, Floats]:
    """Return the bounds of drawn_interval for many data sets; means: shape (..., parts), two parts or more."""
    parts = means.shape[-1]
    mean, variance = _drawn(means, np.ones(parts))
    differ = variance >= TINY
    freedom, units = np.full(mean.shape, parts - 1.0), np.full(mean.shape, float(parts))
    low, high = score_bounds(mean, variance, freedom, units, lowest, highest)
    known = np.where(differ, low, np.nan), np.where(differ, high, np.nan)
    return wider_bounds((np.asarray(these[0]), np.asarray(these[1])), known)


def _drawn(means: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weighted mean over parts and its variance if parts are drawn; shape (..., parts) and (...)."""
    shares, parts = weights / weights.sum(-1, keepdims=True), means.shape[-1]
    mean = (shares * means).sum(-1)
    variance = ((shares * (means - mean[..., None])) ** 2).sum(-1) * parts / (parts - 1)
    return mean, variance


def drawn_parts(means: Sequence[float], parts: Sequence[HasIntervals], these: Interval) -> Interval:
    """Return the interval of a plain mean over parts for other parts like these; of a single part, its own."""
    return parts[0].like_these_interval if len(parts) == 1 else drawn_interval(means, these)
