"""Intervals of rates whose values come in clusters, and the clusters in strata: base scenarios within metrics.

For these very strata with other clusters. How much values of one cluster resemble each other is estimated over all
strata together: three clusters of one metric tell next to nothing about it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.intervals import TINY, UNKNOWN, Interval, score_interval, wider


@dataclass(frozen=True)
class Resemblance:
    """How much values of one cluster resemble each other."""

    correlation: float
    """Intraclass correlation, from 0 (independent) to 1 (all alike)."""
    freedom: int
    """Degrees of freedom that it rests on: clusters minus strata."""
    share: float = 1.0
    """Variance of the values around their means, as a share of what zeros and ones with these means have."""

    def effective_size(self, clusters: Clusters) -> float:
        """Return how many independent zeros and ones the values of these clusters are worth. Source: Kish (1965)."""
        per_cluster = float((clusters.counts**2).sum()) / clusters.values
        return clusters.values / self.share / (1 + (per_cluster - 1) * self.correlation)


def resemblance(strata: Sequence[Clusters], share: float = 1.0) -> Resemblance:
    """Return the intraclass correlation of values from 0 to 1 within strata, by analysis of variance.

    `share`: as in Resemblance, above 0; with 1, values between 0 and 1 are taken to vary as zeros and ones do. Source:
    Ridout, Demetrio & Firth (1999), Estimating Intraclass Correlation for Binary Data, Biometrics 55.
    """
    between = within = shrunk = 0.0
    freedom, repeats = 0, 0.0
    for one in strata:
        rates = one.sums / one.counts
        between += float((one.counts * (rates - one.mean) ** 2).sum())
        within += float((one.counts * rates * (1 - rates)).sum())
        shrunk += one.values - float((one.counts**2).sum()) / one.values
        freedom += one.size - 1
        repeats += one.values - one.size
    if freedom < 1 or repeats < 1:
        return Resemblance(0.0, freedom, share)
    mean_between, mean_within, typical = between / freedom, within / repeats, shrunk / freedom
    whole = mean_between + (typical - 1) * mean_within
    found = (mean_between - mean_within) / whole if whole > TINY else 0.0
    if share < 1 and typical > 1:
        found = ((1 + (typical - 1) * found) / share - 1) / (typical - 1)
    return Resemblance(min(1.0, max(0.0, found)), freedom, share)


def stratum_interval(one: Clusters, peers: Sequence[Clusters] = ()) -> Interval:
    """Return the 95% interval of one stratum's rate: Wilson's, with the number of values that its own are worth.

    `peers`: the strata that it is one of, itself included; without them it stands alone. Covers 93 to 98% with 3
    clusters of 6 and 6 of 2 beside eleven others, rates from .1 to .9 and correlations up to .8.
    """
    return alike_interval(one, resemblance(peers or [one]))


def alike_interval(one: Clusters, how: Resemblance) -> Interval:
    """Return the same where the resemblance is known: of many strata, it is computed once."""
    if how.freedom < 1 or not one.size:
        return UNKNOWN
    size = how.effective_size(one)
    return score_interval(
        one.mean, max(one.mean * (1 - one.mean) / size, TINY * 2), how.freedom, units=round(size) or 1
    )


def strata_interval(strata: Sequence[Clusters]) -> Interval:
    """Return the 95% interval of the mean over all values of these strata, with other clusters.

    The wider of two, each of which is too narrow where the other is not. One has the variance within strata as it is
    seen, with Satterthwaite's degrees of freedom: it knows nothing of strata whose few clusters happen to agree. The
    other has binomial variances with the correlation of all strata, their rates drawn a little to the mean: it knows
    nothing of strata that differ in their correlation. Strata with a single cluster are taken together.
    """
    whole = Clusters(np.concatenate([one.sums for one in strata]), np.concatenate([one.counts for one in strata]))
    kept = _merged(strata)
    if len(kept) == 1:
        return stratum_interval(kept[0])
    how = resemblance(kept)
    if how.freedom < 1:
        return UNKNOWN
    seen, freedom = _seen_variance(kept, whole.values)
    expected = _expected_variance(kept, whole, how)
    intervals = [
        score_interval(whole.mean, variance, free, units=whole.size)
        for variance, free in ((seen, freedom), (expected, how.freedom))
    ]
    return wider(*intervals)


def mean_interval(means: Sequence[float], intervals: Sequence[Interval], weights: Sequence[float] = ()) -> Interval:
    """Return the 95% interval of the mean of independent means, from an interval of each; none may be unknown.

    weights: of the means, equal if none are given.

    Their distances to the bounds add up as variances do, so that bounds stay as lopsided as each of them is. Source:
    Zou & Donner (2008), Construction of Confidence Limits about Effect Measures, Statistics in Medicine 27 (MOVER).
    """
    if not means or not all(interval.is_known for interval in intervals):
        return UNKNOWN
    total = math.fsum(weights) or float(len(means))
    parts = list(zip(means, intervals, weights or [1.0] * len(means), strict=True))
    below = math.sqrt(math.fsum((weight * (mean - found.low)) ** 2 for mean, found, weight in parts)) / total
    above = math.sqrt(math.fsum((weight * (found.high - mean)) ** 2 for mean, found, weight in parts)) / total
    middle = math.fsum(weight * mean for mean, _, weight in parts) / total
    return Interval(max(0.0, middle - below), min(1.0, middle + above))


def _merged(strata: Sequence[Clusters]) -> list[Clusters]:
    """Return the strata, those with a single cluster as one (the method of collapsed strata; Cochran 1977, 5A.12)."""
    single = [one for one in strata if one.size == 1]
    kept = [one for one in strata if one.size > 1]
    if single:
        kept.append(Clusters(np.concatenate([o.sums for o in single]), np.concatenate([o.counts for o in single])))
    return kept


def _seen_variance(strata: Sequence[Clusters], values: int) -> tuple[float, float]:
    """Return the variance of the mean from the clusters' residuals, and its degrees of freedom.

    Satterthwaite (1946), Biometrics Bulletin 2; the squares of estimated variances are too large by
    (clusters + 1) / (clusters - 1) each, and are corrected for it.
    """
    parts: list[tuple[float, int]] = []
    for one in strata:
        if one.size > 1:
            residuals: Floats = one.sums - one.counts * one.mean
            parts.append((one.size / (one.size - 1) * float((residuals**2).sum()) / values**2, one.size))
    total = math.fsum(variance for variance, _ in parts)
    most = sum(size - 1 for variance, size in parts if variance > TINY)
    if total <= TINY:
        return total, max(1, sum(size - 1 for _, size in parts))
    return total, max(1.0, min(most, total**2 / sum(variance**2 / (size + 1) for variance, size in parts)))


def _expected_variance(strata: Sequence[Clusters], whole: Clusters, how: Resemblance) -> float:
    """Return the variance of the mean if clusters of every stratum resembled each other as those of all do."""
    total = 0.0
    for one in strata:
        size = how.effective_size(one)
        rate = (one.mean * size + whole.mean) / (size + 1)
        total += (one.values / whole.values) ** 2 * rate * (1 - rate) / size
    return total
