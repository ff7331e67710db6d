"""Rank correlation of two figures over a few models: the coefficient, its interval, and an exact test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.scipy_modules import special, stats

FEWEST = 5
"""With 4 pairs the smallest two-sided p value is 2/24 = .083: nothing could ever be found."""
DIGITS = 9
"""Decimals of a figure that count: .1 + .2 and .3 are the same."""
RESAMPLES = 9_999
"""All orders are counted up to 7 pairs (5,040); beyond, so many random ones."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation."""

    value: float
    """rho, from -1 to 1."""
    interval: Interval
    """95%, for other pairs of the same kind."""
    p_value: float
    """Of "no association", two-sided, by permutation, not adjusted."""
    pairs: int


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> RankCorrelation | None:
    """Return Spearman's rho of paired values; None with fewer than FEWEST pairs, or where one side never differs.

    Ties get mean ranks; figures that differ by a rounding error are tied. Source: Spearman (1904), American Journal of
    Psychology 15; scipy.stats.
    """
    rounded = [np.round(values, DIGITS) for values in (first, second)]
    if len(first) < FEWEST or any(len(set(values)) < 2 for values in rounded):
        return None
    ranks = [stats.rankdata(values) for values in rounded]
    rho = float(np.clip(np.corrcoef(ranks[0], ranks[1])[0, 1], -1.0, 1.0))
    return RankCorrelation(rho, rho_interval(rho, len(first)), _p_value(ranks[0], ranks[1]), len(first))


def rho_interval(rho: float, pairs: int) -> Interval:
    """Return the 95% interval of rho over FEWEST pairs or more.

    Fisher's z interval with the variance (1 + rho^2 / 2) / (n - 3). With few pairs rho can be exactly 1, where z is
    infinite and the interval would claim certainty; so it is taken at most half a step of rho, 6 / (n (n^2 - 1)),
    below 1. Covers 93 to 99% with 5 to 20 normal pairs and a true rho up to .95. Source: Bonett & Wright (2000), Sample
    Size Requirements for Estimating Pearson, Kendall and Spearman Correlations, Psychometrika 65.
    """
    most = 1 - 6 / (pairs * (pairs**2 - 1))
    inner = min(most, max(-most, rho))
    half = special.ndtri((1 + LEVEL) / 2) * math.sqrt((1 + inner**2 / 2) / (pairs - 3))
    low, high = math.tanh(math.atanh(inner) - half), math.tanh(math.atanh(inner) + half)
    return Interval(-1.0 if rho <= -most else low, 1.0 if rho >= most else high)


def _p_value(first: Floats, second: Floats) -> float:
    """Return the two-sided p value over re-pairings of the ranks; rho grows with their product sum."""

    def product_sum(values: Floats, axis: int = -1) -> Floats:
        total: Floats = (values * second).sum(axis=axis)
        return total

    tested = stats.permutation_test(
        (first,),
        product_sum,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
    )
    return min(1.0, float(tested.pvalue))
