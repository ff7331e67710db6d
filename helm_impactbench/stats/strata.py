"""Intervals of rates whose values come in clusters, and the clusters in strata: base scenarios within metrics.

For these very strata with other clusters. How much values of one cluster resemble each other is estimated over all
strata together: three clusters of one metric tell next to nothing about it. A stratum's own interval also heeds what
its own clusters tell. Bounds are computed for arrays, so that thousands of simulated data sets take as long as a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from helm_impactbench.stats.clusters import Clusters, Floats, padded, sum_variance
from helm_impactbench.stats.intervals import (
    LEVEL,
    TINY,
    UNKNOWN,
    FloatOrFloats,
    Interval,
    as_interval,
    pooled_freedom,
    score_bounds,
    wider_bounds,
)
from helm_impactbench.stats.scipy_modules import special

PRIOR, PRIOR_FREEDOM = 0.5, 2
"""A correlation, and how many degrees of freedom it is worth beside those of strata that vary: where hardly any does,
the data cannot tell that values of one cluster are independent."""
COMMON_FREEDOM = 3
"""Degrees of freedom that the correlation of all strata is worth beside those of a single one."""


@dataclass(frozen=True)
class Resemblance:
    """How much values of one cluster resemble each other."""

    correlation: float
    """Intraclass correlation, from 0 (independent) to 1 (all alike)."""
    freedom: int
    """Degrees of freedom that it rests on: clusters minus strata."""
    share: float = 1.0
    """Variance of the values around their means, as a share of what zeros and ones with these means have."""
    varying: int = 0
    """Degrees of freedom of the strata whose values are not all alike."""

    def effective_size(self, clusters: Clusters) -> float:
        """Return how many independent zeros and ones the values of these clusters are worth. Source: Kish (1965)."""
        return float(_effective(clusters.counts, np.float64(self.correlation))) / self.share

    @property
    def cautious(self) -> float:
        """The correlation, drawn to PRIOR where hardly any stratum varies."""
        return float(_cautious(np.float64(self.correlation), np.float64(self.varying)))


@dataclass(frozen=True)
class Strata:
    """The clusters of several strata, of one data set or of many."""

    sums: Floats
    """Shape (..., strata, clusters): sums of values from 0 to 1."""
    counts: Floats
    """Same shape; 0 where a stratum has fewer clusters than another."""

    @property
    def values(self) -> Floats:
        """Values of each stratum; shape (..., strata)."""
        found: Floats = self.counts.sum(-1)
        return found

    @property
    def clusters(self) -> Floats:
        """Clusters of each stratum; shape (..., strata)."""
        found: Floats = (self.counts > 0).sum(-1)
        return found

    @property
    def means(self) -> Floats:
        """Mean of each stratum; shape (..., strata)."""
        found: Floats = self.sums.sum(-1) / self.values
        return found

    @property
    def mean(self) -> Floats:
        """Mean over all values; shape (...)."""
        found: Floats = self.sums.sum((-1, -2)) / self.values.sum(-1)
        return found


def strata_of(found: Sequence[Clusters]) -> Strata:
    """Return the clusters of these strata as one data set."""
    return Strata(*padded(found))


def resemblance(strata: Sequence[Clusters], share: float = 1.0) -> Resemblance:
    """Return the intraclass correlation of values from 0 to 1 within strata, by analysis of variance.

    `share`: as in Resemblance, above 0; with 1, values between 0 and 1 are taken to vary as zeros and ones do. Source:
    Ridout, Demetrio & Firth (1999), Estimating Intraclass Correlation for Binary Data, Biometrics 55.
    """
    found = _correlation(strata_of(strata), share)
    return Resemblance(float(found.correlation), int(found.freedom), share, int(found.varying))


def own_resemblances(strata: Sequence[Clusters]) -> list[Resemblance]:
    """Return the correlation of each stratum: its own, drawn to that of all as far as its clusters are few.

    Metrics differ in it: whether a hotline is named depends on the scenario, the tone on the conversation. One whose
    values are all alike has the highest that any of the others shows, since it tells nothing of its own.
    """
    found, freedom = _own_correlations(strata_of(strata))
    return [Resemblance(float(one), int(own)) for one, own in zip(found, freedom, strict=True)]


def alike_interval(one: Clusters, how: Resemblance) -> Interval:
    """Return the 95% interval of one stratum's rate: Wilson's, with the number of values that its own are worth.

    how: that of own_resemblances.
    """
    if not one.size:
        return UNKNOWN
    correlation, freedom = np.float64(how.correlation), np.float64(how.freedom)
    return as_interval(*_stratum_bounds(np.float64(one.mean), one.counts, correlation, freedom))


def stratum_interval(one: Clusters) -> Interval:
    """Return the same of a stratum that stands alone."""
    return alike_interval(one, own_resemblances([one])[0]) if one.size else UNKNOWN


def stratum_bounds(strata: Strata) -> tuple[Floats, Floats]:
    """Return the bounds of every stratum's interval, each beside all others; shape (..., strata)."""
    return _stratum_bounds(strata.means, strata.counts, *_own_correlations(strata))


def strata_interval(strata: Sequence[Clusters]) -> Interval:
    """Return the 95% interval of the mean over all values of these strata, with other clusters: see strata_bounds.

    Strata with a single cluster are taken together.
    """
    return strata_intervals([strata])[0]


def strata_intervals(data_sets: Sequence[Sequence[Clusters]]) -> list[Interval]:
    """Return strata_interval of each of many data sets, in the time of a few."""
    kept = [_merged(strata) for strata in data_sets]
    found = {place: stratum_interval(strata[0]) for place, strata in enumerate(kept) if len(strata) == 1}
    for number in {len(strata) for strata in kept} - {1}:
        own = [place for place, strata in enumerate(kept) if len(strata) == number]
        sums, counts = padded([one for place in own for one in kept[place]])
        shape = (len(own), number, -1)
        bounds = zip(*strata_bounds(Strata(sums.reshape(shape), counts.reshape(shape))), strict=True)
        found |= {place: as_interval(low, high) for place, (low, high) in zip(own, bounds, strict=True)}
    return [found[place] for place in range(len(kept))]


def strata_bounds(strata: Strata) -> tuple[Floats, Floats]:
    """Return the bounds of the mean over all values of these strata, each with two clusters or more; shape (...).

    The wider of two intervals, each of which is too narrow where the other is not. One has the variance within strata
    as it is seen: it knows nothing of strata whose few clusters happen to agree. The other has binomial variances with
    the correlation of all strata, their rates drawn a little to the mean: it knows nothing of strata that differ in
    their correlation.
    """
    found = _correlation(strata)
    correlation = _cautious(found.correlation, found.varying)
    shares = strata.values / strata.values.sum(-1, keepdims=True)
    variances, freedoms = sum_variance(strata.sums, strata.counts, correlation[..., None])
    seen = variances * (shares / strata.values) ** 2
    units = strata.clusters.sum(-1)
    bounds = [
        score_bounds(strata.mean, variance, free, units)
        for variance, free in (
            (seen.sum(-1), pooled_freedom(seen, freedoms)),
            (_expected_variance(strata, shares, correlation), found.freedom),
        )
    ]
    return wider_bounds(*bounds)


def mean_interval(
    means: Sequence[float],
    intervals: Sequence[Interval],
    weights: Sequence[float] = (),
    *,
    may_stop_early: bool = False,
) -> Interval:
    """Return the 95% interval of the mean of independent means, from an interval of each; none may be unknown.

    weights: of the means, equal if none are given. may_stop_early: whether the data of any of them say when it ends.

    Their distances to the bounds add up as variances do, so that bounds stay as lopsided as each of them is. Source:
    Zou & Donner (2008), Construction of Confidence Limits about Effect Measures, Statistics in Medicine 27 (MOVER).
    Means of runs that stop once they are decided all lean away from their bars, and their errors do not cancel out:
    the interval then goes from the mean of the lower bounds to that of the upper ones, which holds where each holds.
    """
    if not means or not all(interval.is_known for interval in intervals):
        return UNKNOWN
    bounds = np.array([(found.low, found.high) for found in intervals])
    shares = np.array(weights or np.ones(len(means)), dtype=float)
    if may_stop_early:
        low, high = shares @ bounds / shares.sum()
        return Interval(float(low), float(high))
    return as_interval(*mean_bounds(np.array(means), bounds[:, 0], bounds[:, 1], shares))


def mean_bounds(means: Floats, lows: Floats, highs: Floats, weights: Floats | float = 1.0) -> tuple[Floats, Floats]:
    """Return the bounds of the mean of independent means; shape (..., parts) each. See mean_interval."""
    given = np.broadcast_to(weights, means.shape)
    shares = given / given.sum(-1, keepdims=True)
    middle = (shares * means).sum(-1)
    below = np.sqrt(((shares * (means - lows)) ** 2).sum(-1))
    above = np.sqrt(((shares * (highs - means)) ** 2).sum(-1))
    return np.maximum(0.0, middle - below), np.minimum(1.0, middle + above)


class _Correlation(NamedTuple):
    """As Resemblance, of many data sets."""

    correlation: Floats
    freedom: Floats
    varying: Floats


def _correlation(strata: Strata, share: float = 1.0) -> _Correlation:
    counts, values, means = strata.counts, strata.values, strata.means
    rates = strata.sums / np.maximum(counts, 1)
    between = (counts * (rates - means[..., None]) ** 2).sum((-1, -2))
    within = (counts * rates * (1 - rates)).sum((-1, -2))
    shrunk = (values - (counts**2).sum(-1) / values).sum(-1)
    own = strata.clusters - 1
    freedom, repeats = own.sum(-1), (values - strata.clusters).sum(-1)
    mean_between, mean_within = between / np.maximum(freedom, 1), within / np.maximum(repeats, 1)
    more = shrunk / np.maximum(freedom, 1) - 1  # than one value in a typical cluster
    whole = mean_between + more * mean_within
    known = (freedom >= 1) & (repeats >= 1) & (whole > TINY)
    found = np.where(known, (mean_between - mean_within) / np.where(known, whole, 1), 0.0)
    if share < 1:
        found = np.where(known & (more > 0), ((1 + more * found) / share - 1) / np.where(more > 0, more, 1), found)
    varying = np.where((means > TINY) & (means < 1 - TINY), own, 0).sum(-1)
    return _Correlation(np.clip(found, 0.0, 1.0), freedom, varying)


def _own_correlations(strata: Strata) -> tuple[Floats, Floats]:
    """Return the correlation of each stratum and its degrees of freedom, as own_resemblances has them."""
    every = _correlation(strata)
    common = _cautious(every.correlation, every.varying)[..., None]
    alone = _correlation(Strata(strata.sums[..., None, :], strata.counts[..., None, :]))
    varies = alone.varying > 0
    own = (alone.freedom * alone.correlation + COMMON_FREEDOM * common) / (alone.freedom + COMMON_FREEDOM)
    highest = np.maximum(np.where(varies, own, 0.0).max(-1, keepdims=True), common)
    free = np.minimum(alone.freedom + COMMON_FREEDOM, every.freedom[..., None])
    return np.where(varies, own, highest), np.where(varies, free, every.freedom[..., None])


def _cautious(correlation: FloatOrFloats, varying: FloatOrFloats) -> Floats:
    """Return the correlation, drawn to PRIOR where hardly any stratum varies."""
    return np.asarray((varying * correlation + PRIOR_FREEDOM * PRIOR) / (varying + PRIOR_FREEDOM))


def _effective(counts: Floats, correlation: Floats | np.float64) -> Floats:
    """Return how many independent values those of each stratum are worth; counts: shape (..., clusters)."""
    values = counts.sum(-1)
    found: Floats = values / (1 + ((counts**2).sum(-1) / values - 1) * correlation)
    return found


def _stratum_bounds(
    mean: FloatOrFloats, counts: Floats, correlation: FloatOrFloats, freedom: FloatOrFloats
) -> tuple[Floats, Floats]:
    """Return Wilson's bounds with an effective size; near the ends, where those are too narrow, a Poisson bound.

    Source: Brown, Cai & DasGupta (2001), Interval Estimation for a Binomial Proportion, Statistical Science 16 (the
    modified Wilson interval: for one or two successes or failures).
    """
    size = _effective(counts, correlation)
    variance = np.maximum(mean * (1 - mean) / size, TINY * 2)
    low, high = score_bounds(np.asarray(mean), variance, freedom, np.maximum(np.round(size), 1))
    poisson_low, poisson_high = (_poisson_bound(share, size) for share in (np.asarray(mean), np.asarray(1 - mean)))
    return np.minimum(low, poisson_low), np.maximum(high, 1 - poisson_high)


def _poisson_bound(share: Floats, size: Floats) -> Floats:
    """Return the least share that so few occurrences are consistent with; 1 from more than two, or from none."""
    occurrences = share * size
    found: Floats = special.gammaincinv(np.where(occurrences > TINY, occurrences, 1.0), 1 - LEVEL) / size
    return np.where((occurrences > TINY) & (occurrences <= 2), found, 1.0)


def _merged(strata: Sequence[Clusters]) -> list[Clusters]:
    """Return the strata, those with a single cluster as one (the method of collapsed strata; Cochran 1977, 5A.12)."""
    single = [one for one in strata if one.size == 1]
    kept = [one for one in strata if one.size > 1]
    if single:
        kept.append(Clusters(np.concatenate([o.sums for o in single]), np.concatenate([o.counts for o in single])))
    return kept


def _expected_variance(strata: Strata, shares: Floats, correlation: Floats) -> Floats:
    """Return the variance of the mean if clusters of every stratum resembled each other as those of all do."""
    size = _effective(strata.counts, correlation[..., None])
    rate = (strata.means * size + strata.mean[..., None]) / (size + 1)
    found: Floats = (shares**2 * rate * (1 - rate) / size).sum(-1)
    return found
