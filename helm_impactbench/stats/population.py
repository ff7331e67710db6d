"""The two populations that an interval can be for: what would differ if the measurement were made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import (
    LEVEL,
    TINY,
    Interval,
    as_interval,
    score_bounds,
    score_interval,
    wider,
    wider_bounds,
)
from helm_impactbench.stats.scipy_modules import special

Population = Literal["these", "like-these"]
POPULATIONS: tuple[Population, ...] = ("these", "like-these")
DEFAULT: Population = "these"
"""Of every page and table."""
WORDS: dict[Population, str] = {
    "these": "over scenarios",
    "like-these": "over benchmarks, metrics and scenarios like these",
}


UNSEEN = (
    "Such an interval cannot account for rare kinds that were not measured, and is unknown where those measured differ "
    "by no more than chance. The interval of a single metric is for that metric with other scenarios."
)
"""What no interval for others like these can do."""


class HasIntervals(Protocol):
    """A figure with an interval for each population."""

    @property
    def interval(self) -> Interval:
        """95%, over scenarios."""

    @property
    def like_these_interval(self) -> Interval:
        """95%, over benchmarks, metrics and scenarios like these."""


def interval_of(figure: HasIntervals, population: Population) -> Interval:
    """Return the figure's interval for a population."""
    return figure.interval if population == "these" else figure.like_these_interval


def drawn_interval(
    means: Sequence[float],
    these: Interval,
    weights: Sequence[float] = (),
    lowest: float = 0.0,
    highest: float = 1.0,
    level: float = LEVEL,
) -> Interval:
    """Return the interval of a mean over parts (benchmarks, or metrics) for other parts like these.

    weights: of the parts, equal if none are given. The spread of the parts' means already holds the one within them,
    so nothing below is drawn again (Davison & Hinkley 1997, section 3.8, strategy 1). `these`, the interval for these
    very parts and of the same level, is returned where parts agree exactly, or are too few to differ, and wherever it
    is the wider one.
    """
    if len(means) < 2:
        return these
    values, parts = np.asarray(means, dtype=float), len(means)
    mean, variance = _drawn(values, np.asarray(weights or np.ones(parts), dtype=float))
    if variance < TINY:
        return these
    drawn = score_interval(
        float(mean), float(variance), parts - 1, units=parts, lowest=lowest, highest=highest, level=level
    )
    return wider(drawn, these)


def drawn_rate_interval(means: Sequence[float], these: Interval, weights: Sequence[float] = ()) -> Interval:
    """Return drawn_interval of a mean rate; unknown where the parts differ by no more than chance.

    Parts that are alike look the same whether all others are like them or one in ten is wholly different: of ten, a
    third of such samples hold none of the different ones, and no interval can hold a truth of which nothing was seen.
    """
    if len(means) < 2 or not these.is_known:
        return these
    low, high = drawn_rate_bounds(np.asarray(means), (np.float64(these.low), np.float64(these.high)), weights)
    return as_interval(low, high)


def drawn_rate_bounds(
    means: Floats, these: tuple[Floats | np.float64, Floats | np.float64], weights: Sequence[float] = ()
) -> tuple[Floats, Floats]:
    """Return the bounds of drawn_rate_interval for many data sets, nan where it is unknown; see drawn_bounds."""
    given = np.asarray(weights or np.ones(means.shape[-1]), dtype=float)
    low, high = drawn_bounds(means, these, weights=given)
    refused = ~_differ(means, np.asarray(these[1] - these[0]), given)
    return np.where(refused, np.nan, low), np.where(refused, np.nan, high)


def _differ(means: Floats, width: Floats, weights: Floats) -> NDArray[np.bool_]:
    """Return whether parts differ by more than chance, at 5%: Cochran's Q; `width` of the mean's interval."""
    freedom = means.shape[-1] - 1
    _, variance = _drawn(means, weights)
    noise = (width / (2 * special.ndtri((1 + LEVEL) / 2))) ** 2
    found: NDArray[np.bool_] = variance > np.maximum(noise * special.chdtri(freedom, 1 - LEVEL) / freedom, TINY)
    return found


def drawn_bounds(
    means: Floats,
    these: tuple[Floats | np.float64, Floats | np.float64],
    lowest: float = 0.0,
    highest: float = 1.0,
    weights: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return the bounds of drawn_interval for many data sets; means: shape (..., parts), two parts or more."""
    parts = means.shape[-1]
    mean, variance = _drawn(means, np.ones(parts) if weights is None else weights)
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
    """Return the interval of a plain mean of rates over parts for others like these; of a single part, its own."""
    return parts[0].like_these_interval if len(parts) == 1 else drawn_rate_interval(means, these)
