"""Item statistics: how far models differ on an item beyond noise, and whether a share is beyond a bar.

An item is a metric or a scenario. `cells` are mean scores by model and by repeat: the base scenarios of a metric, the
variants of a scenario. All models meet the same repeats, so that what a repeat does to all of them is no noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import LEVEL, TINY, UNKNOWN, Interval, wilson
from helm_impactbench.stats.jackknife import jackknife_interval
from helm_impactbench.stats.scipy_modules import special


@dataclass(frozen=True)
class Spread:
    """How far the true rates of models differ, noise taken off."""

    value: float
    """Standard deviation of the models' true rates; nan where nothing shows it."""
    interval: Interval
    """95%, for other models and repeats like these."""
    within_p: float
    """p value of "it is as large as the bar, or larger": small where models are shown to be alike; nan as above."""


NO_SPREAD = Spread(math.nan, UNKNOWN, math.nan)


def spread_of_models(cells: Floats, conversations: float, bar: float) -> Spread:
    """Return the spread from cells of shape (models, repeats), each a mean over `conversations`; none may be nan.

    By analysis of variance, models and repeats crossed; the interval is that of Williams and Tukey, which holds without
    a normal limit for the noise, cut at the widest that rates from 0 to 1 can be apart. Where all cells are equal, the
    noise is what so many equal conversations leave open.
    Sources: Searle, Casella & McCulloch (1992), Variance Components, section 4.4; Williams (1962), Biometrika 49.
    """
    models, repeats = cells.shape if cells.ndim == 2 else (0, 0)
    if models < 2 or repeats < 2:
        return NO_SPREAD
    freedom = (models - 1, (models - 1) * (repeats - 1))
    of_models, of_repeats, whole = cells.mean(axis=1), cells.mean(axis=0), float(cells.mean())
    between = repeats * float(of_models.var(ddof=1))
    noise = float(((cells - of_models[:, None] - of_repeats + whole) ** 2).sum()) / freedom[1]
    if between <= TINY and noise <= TINY:
        size = models * repeats * conversations
        rate = (whole * size + 0.5) / (size + 1)
        between = noise = rate * (1 - rate) / conversations
    # Few conversations give models equal rates by rounding: as much variance as a rate of that grain has is put back.
    most = between + 1 / (12 * repeats * conversations**2)
    low = _bound(between, noise, freedom, repeats, (1 + LEVEL) / 2)
    high = _bound(most, noise, freedom, repeats, (1 - LEVEL) / 2)
    value = math.sqrt(max(0.0, between - noise) / repeats)
    high = min(high, 0.5 * math.sqrt(models / (models - 1)))  # half of the models at 0, half at 1
    within = float(special.fdtr(*freedom, most / (noise + repeats * bar**2)))
    return Spread(value, Interval(min(low, value), max(high, value)), within)


def _bound(between: float, noise: float, freedom: tuple[int, int], repeats: int, quantile: float) -> float:
    beyond = between - noise * float(special.fdtri(*freedom, quantile))
    return math.sqrt(max(0.0, beyond) / repeats / (float(special.chdtri(freedom[0], 1 - quantile)) / freedom[0]))


def beyond(count: float, size: float, bar: float) -> float:
    """Return the p value of "the true share is at most `bar`", one-sided, when `count` of `size` conversations are so.

    For these very cases asked again: then conversations are independent, and the binomial distribution is exact, or
    careful where cases differ. `count` may be a sum of parts from 0 to 1. Source: Clopper & Pearson (1934), Biometrika
    26. nan without a conversation.
    """
    if not size:
        return math.nan
    return float(special.betainc(count, size - count + 1, bar)) if count > 0 else 1.0


def auroc(tables: Floats) -> Floats:
    """Return areas under the ROC curve from counts; shape (..., 2, scores) with bad before good -> (...)."""
    bad, good = tables[..., 0, :], tables[..., 1, :]
    below = bad.cumsum(axis=-1) - bad / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (good * below).sum(axis=-1) / (good.sum(axis=-1) * bad.sum(axis=-1))
    return found


@dataclass(frozen=True)
class Area:
    """The area under the ROC curve of a score as a detector of the good anchor."""

    value: float
    """1 separates the anchors, 0.5 does not, 0 is inverted; nan without both."""
    interval: Interval
    """95%, for other clusters like these."""
    inverted_p: float
    """p value of "it is 0.5 or more"; nan where nothing tells."""


NO_AREA = Area(math.nan, UNKNOWN, math.nan)


def area_of(tables: Floats) -> Area:
    """Return the area from counts by cluster; `tables` has shape (clusters, 2, scores), bad before good.

    By the jackknife of Somers' D, which is twice the area minus 1. Where every cluster is inverted, p is that of the
    sign test.
    """
    clusters, value = len(tables), float(auroc(tables.sum(axis=0)))
    if math.isnan(value):
        return NO_AREA
    sign = 1.0 if value >= 0.5 else -1.0  # a jackknife ends at 1, not at 0
    found = jackknife_interval(
        tables, lambda sums: sign * (2 * auroc(sums) - 1), 2 * wilson(clusters, clusters).low - 1
    )
    if not found.is_known:
        return Area(value, UNKNOWN, math.nan)
    low, high = sorted((1 + sign * end) / 2 for end in (found.low, found.high))
    return Area(value, Interval(low, high), _inverted_p(value, high, clusters))


def _inverted_p(value: float, high: float, clusters: int) -> float:
    if value >= 0.5:
        return 1.0
    if value <= 0:
        return 0.5**clusters
    middle, half = math.atanh(2 * value - 1), math.atanh(2 * high - 1) - math.atanh(2 * value - 1)
    quantile = float(special.stdtrit(clusters - 1, (1 + LEVEL) / 2))
    return float(special.stdtr(clusters - 1, middle / half * quantile))
