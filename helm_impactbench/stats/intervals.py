"""95% intervals: of a single rate, of a mean over clusters, and of a mean over groups of clusters.

Percentiles of the cluster bootstrap itself are not used: with 36 scenarios and a rate of .95 they cover the truth in
82 to 90% of the cases instead of 95 (docs/decisions/evidence.md). The variance is that of whole clusters; the
interval is Wilson's, which keeps its coverage near 0 and 1, with the effective number of values that this variance is
worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from helm_impactbench.stats.clusters import WORKING_CORRELATION, Clusters, Floats, mean_variance, padded, sum_variance
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.tables.cells import off_zero

FloatOrFloats: TypeAlias = Floats | np.float64
LEVEL = 0.95
TINY = 1e-12
"""Smaller than any variance that verdicts can have; below it, only rounding errors are left."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval, at LEVEL unless another is said. Bounds are nan where it is unknown."""

    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether both bounds are numbers."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        return f"{off_zero(self.low, 3):.3f} to {off_zero(self.high, 3):.3f}" if self.is_known else "unknown"


UNKNOWN = Interval(math.nan, math.nan)


def wider(*intervals: Interval) -> Interval:
    """Return the widest of the known intervals."""
    known = [interval for interval in intervals if interval.is_known]
    return max(known, key=lambda interval: interval.high - interval.low, default=UNKNOWN)


def wider_bounds(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the bounds of the wider of two intervals, of the known one where the other is unknown."""
    (low, high), (other_low, other_high) = one, other
    first = ~(other_high - other_low > high - low) & ~np.isnan(high - low)
    return np.where(first, low, other_low), np.where(first, high, other_high)


def wilson(passed: float, scored: float) -> Interval:
    """Return Wilson's score interval of a single rate, its values taken as independent; unknown when nothing is scored.

    Source: Wilson (1927), JASA 22.
    """
    if scored == 0:
        return UNKNOWN
    rate, quantile = passed / scored, -float(special.ndtri((1 - LEVEL) / 2))
    whole = 1 + quantile**2 / scored
    middle = (rate + quantile**2 / (2 * scored)) / whole
    half = quantile * math.sqrt(rate * (1 - rate) / scored + quantile**2 / (4 * scored**2)) / whole
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def score_interval(
    mean: float,
    variance: float,
    freedom: float,
    *,
    units: int,
    lowest: float = 0.0,
    highest: float = 1.0,
    level: float = LEVEL,
) -> Interval:
    """Return Wilson's interval around a mean on [lowest, highest] with an effective sample size and a t quantile.

    See score_bounds. Without bounds it is the interval of the t distribution.
    """
    if math.isnan(variance) or not freedom >= 1:
        return UNKNOWN
    if math.isinf(highest - lowest):
        if variance <= TINY:  # differences that are all equal say nothing of how others would vary
            return UNKNOWN
        half = float(special.stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance)
        return Interval(mean - half, mean + half)
    low, high = score_bounds(
        np.float64(mean), np.float64(variance), np.float64(freedom), np.float64(units), lowest, highest, level
    )
    return as_interval(low, high)


def as_interval(low: np.float64 | Floats, high: np.float64 | Floats) -> Interval:
    """Return bounds without an axis as an interval; unknown where they are nan."""
    found = Interval(float(low), float(high))
    return found if found.is_known else UNKNOWN


def score_bounds(
    mean: FloatOrFloats,
    variance: FloatOrFloats,
    freedom: FloatOrFloats,
    units: FloatOrFloats,
    lowest: float = 0.0,
    highest: float = 1.0,
    level: float = LEVEL,
) -> tuple[Floats, Floats]:
    """Return the bounds of Wilson's interval with an effective sample size and a t quantile, for arrays.

    nan with less than one degree of freedom.

    The effective size is the number of independent values with this variance of the mean. Where no unit differs from
    another it is `units`, their number, at the ends of the range; between them, two units are added for the variance,
    one at each end. Sources: Franco, Little, Louis & Slud (2019), Comparative Study of Confidence Intervals for
    Proportions in Complex Sample Surveys, JSSAM 7; Bonett & Price (2012), Adjusted Wald Confidence Interval for a
    Difference of Binomial Proportions Based on Paired Data, JEBS 37 (the two units).
    """
    span = highest - lowest
    rate = np.clip((mean - lowest) / span, 0.0, 1.0)  # a sum of floats may be slightly outside
    spread = rate * (1 - rate)
    scaled = np.where(variance > TINY, variance / span**2, _variance_with_two_more(rate, units))
    known = freedom >= 1
    quantile = special.stdtrit(np.where(known, freedom, 1), (1 + level) / 2) ** 2
    quantile = quantile / np.where(spread > 0, spread / scaled, units)
    middle = (rate + quantile / 2) / (1 + quantile)
    half = np.sqrt(quantile * spread + quantile**2 / 4) / (1 + quantile)
    low, high = np.where(rate == 0, 0.0, middle - half), np.where(rate == 1, 1.0, middle + half)  # exact
    return np.where(known, lowest + span * low, np.nan), np.where(known, lowest + span * high, np.nan)


def _variance_with_two_more(rate: FloatOrFloats, units: FloatOrFloats) -> FloatOrFloats:
    """Return the variance of the mean of `units` values that all are `rate`, one 0 and one 1."""
    middle = (units * rate + 1) / (units + 2)
    squares = units * (rate - middle) ** 2 + middle**2 + (1 - middle) ** 2
    found: FloatOrFloats = squares / ((units + 1) * (units + 2))
    return found


def pooled_freedom(variances: Floats, freedoms: Floats) -> Floats:
    """Return the degrees of freedom of a sum of variances, over the last axis; a variance of 0 has none, if any has.

    Satterthwaite (1946), Biometrics Bulletin 2; the squares of estimated variances are too large by
    (freedom + 2) / freedom each, and are corrected for it.
    """
    total, squares = variances.sum(-1), (variances**2 / (freedoms + 2)).sum(-1)
    found = np.minimum(np.where(variances > TINY, freedoms, 0).sum(-1), total**2 / np.maximum(squares, 1e-300))
    freedom: Floats = np.where(total > TINY, np.maximum(1.0, found), freedoms.sum(-1))
    return freedom


def cluster_interval(clusters: Clusters, lowest: float = 0.0, highest: float = 1.0, level: float = LEVEL) -> Interval:
    """Return the interval of a mean over clusters: what other scenarios of the same kind would give."""
    if clusters.size < 2:
        return UNKNOWN
    variance, freedom = mean_variance(clusters)
    return score_interval(
        clusters.mean, variance, freedom, units=clusters.size, lowest=lowest, highest=highest, level=level
    )


def mean_of_means(groups: Sequence[Clusters]) -> float:
    """Return the plain mean of the groups' means, as HELM's "Mean score"; nan without a group."""
    return float(np.mean([group.mean for group in groups])) if groups else math.nan


def same_groups_interval(
    groups: Sequence[Clusters], lowest: float = 0.0, highest: float = 1.0, level: float = LEVEL
) -> Interval:
    """Return the interval of the mean of means for these groups with other clusters: groups are not drawn anew."""
    if not groups or min(group.size for group in groups) < 2:
        return UNKNOWN
    mean, variance, freedom, units = map(float, _of_groups(*padded(groups)))
    return score_interval(mean, variance, freedom, units=int(units), lowest=lowest, highest=highest, level=level)


def same_groups_bounds(
    sums: Floats, counts: Floats, lowest: float = 0.0, highest: float = 1.0, level: float = LEVEL
) -> tuple[Floats, Floats]:
    """Return the bounds of same_groups_interval for many data sets; shapes (..., groups, clusters) and (...)."""
    return score_bounds(*_of_groups(sums, counts), lowest, highest, level)


def _of_groups(sums: Floats, counts: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean of means, its variance, degrees of freedom and clusters."""
    values, groups = counts.sum(-1), counts.shape[-2]
    variance, freedom = sum_variance(sums, counts, WORKING_CORRELATION)
    own = variance / (values * groups) ** 2
    mean = (sums.sum(-1) / values).mean(-1)
    return mean, own.sum(-1), pooled_freedom(own, freedom), (counts > 0).sum((-1, -2)).astype(float)
