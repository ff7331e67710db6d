"""Two samples of units in several coordinates: standardised differences, and permutation tests of equal distributions.

A permutation test needs units that could be exchanged. Clusters of one sample may be larger than those of the other,
and their means vary less; so `one_each` draws one value of each cluster, and whole clusters are exchanged. That is
exact.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import LEVEL, UNKNOWN, Interval
from helm_impactbench.stats.scipy_modules import distance, special
from helm_impactbench.stats.simultaneous import ALPHA, TIE, stepped_down

PERMUTATIONS = 999
MOST_UNITS = 1_000
"""Of each sample in a test; more are drawn from."""
LEAST_UNITS = 5
"""Of each sample, for a test: with fewer, few of all permutations are as extreme as can be."""


@dataclass(frozen=True)
class SampleTest:
    """Whether one coordinate tells two samples apart."""

    p_value: float
    """Of this coordinate alone; 1.0 where nothing could be tested."""
    adjusted: float
    """After max-T over all coordinates."""

    @property
    def apart(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted <= ALPHA


@dataclass(frozen=True)
class SampleDifference:
    """A difference of means in standard deviations of the second sample."""

    one: float
    """Mean of the first sample."""
    other: float
    value: float
    interval: Interval


def one_each(clusters: Sequence[Hashable], seed: int = SEED) -> list[int]:
    """Return the places of one value of each cluster, drawn at random, of at most MOST_UNITS clusters."""
    rng = np.random.default_rng(seed)
    found: dict[Hashable, int] = {}
    for place in rng.permutation(len(clusters)).tolist():
        found.setdefault(clusters[place], place)
    kept = sorted(found, key=repr)
    chosen = rng.permutation(len(kept))[:MOST_UNITS].tolist()
    return sorted(found[kept[place]] for place in chosen)


def labels(first: int, second: int, permutations: int, rng: np.random.Generator) -> Floats:
    """Return which units are the first sample's; shape (1 + permutations, units), the observed pattern first."""
    observed = np.repeat([1.0, 0.0], [first, second])
    found: Floats = np.vstack([observed, rng.permuted(np.tile(observed, (permutations, 1)), axis=1)])
    return found


def coordinate_tests(
    one: Floats, other: Floats, permutations: int = PERMUTATIONS, seed: int = SEED
) -> list[SampleTest]:
    """Return the test of each coordinate; shapes (units, coordinates), nan where a unit has no value.

    The statistic is Cramer and von Mises', which sees differences of place, spread and shape and needs no scale; it is
    standardised by its own permutations, so that coordinates compete fairly in max-T. Sources: Anderson (1962), Annals
    of Mathematical Statistics 33; Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.
    """
    pooled = np.vstack([one, other])
    patterns = labels(len(one), len(other), permutations, np.random.default_rng(seed))
    statistics = np.column_stack([_cramer_von_mises(column, patterns) for column in pooled.T])
    spread = statistics.std(axis=0)
    standard = (statistics - statistics.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    testable = (spread > 0) & (np.minimum(_known(one), _known(other)) >= LEAST_UNITS)
    standard[:, ~testable] = standard.min()
    order = np.argsort(standard[0], kind="stable")
    largest = np.maximum.accumulate(standard[:, order], axis=1)
    reached = (largest >= _nearly(standard[0, order])).mean(axis=0)
    alone = (standard >= _nearly(standard[0])).mean(axis=0)
    adjusted = np.maximum(stepped_down(reached, standard[0]), alone)
    return [
        SampleTest(float(p), float(q)) if known else SampleTest(1.0, 1.0)
        for p, q, known in zip(alone, adjusted, testable, strict=True)
    ]


def overall_test(one: Floats, other: Floats, permutations: int = PERMUTATIONS, seed: int = SEED) -> float:
    """Return the p value of equal distributions in all coordinates together; shapes (units, coordinates), no nan.

    The statistic is the energy distance. Source: Szekely & Rizzo (2004), Testing for Equal Distributions in High
    Dimension, InterStat.
    """
    if min(len(one), len(other)) < LEAST_UNITS:
        return 1.0
    pooled = np.vstack([one, other])
    apart = distance.cdist(pooled, pooled)
    patterns = labels(len(one), len(other), permutations, np.random.default_rng(seed))
    shared = patterns - len(one) / len(pooled)  # the energy distance but for what no permutation changes
    statistics = -np.einsum("bi,bi->b", shared @ apart, shared)
    return float((statistics >= _nearly(statistics[0])).mean())


def difference(one: Sequence[Floats], other: Sequence[Floats]) -> SampleDifference:
    """Return a standardised difference from the values of each cluster; a cluster counts once.

    Glass's delta, with the jackknife's variance over whole clusters and a t quantile of the smaller set's clusters less
    one. nan and an unknown interval where the second sample does not vary. Source: Glass (1976), Educational
    Researcher 5.
    """
    means, squares = (
        [np.array([f(values) for values in sample]) for sample in (one, other)] for f in (np.mean, _square)
    )
    first, second = (float(part.mean()) if len(part) else math.nan for part in means)
    spread = float(_spread(second, float(squares[1].mean()))) if len(means[1]) else 0.0
    if not spread > TIE * max(1.0, abs(second)) or math.isnan(first):  # a sum of floats may vary by a trifle
        return SampleDifference(first, second, math.nan, UNKNOWN)
    value, smallest = (first - second) / spread, min(map(len, means))
    if smallest < 3:
        return SampleDifference(first, second, value, UNKNOWN)
    left = [_left_out(part) for part in (*means, squares[1])]
    spreads = _spread(left[1], left[2])
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = ((left[0] - second) / spread, (first - left[1]) / spreads)
        variance = sum((len(part) - 1) / len(part) * float(((part - part.mean()) ** 2).sum()) for part in parts)
    half = float(special.stdtrit(smallest - 1, (1 + LEVEL) / 2)) * math.sqrt(variance)
    return SampleDifference(
        first, second, value, Interval(value - half, value + half) if math.isfinite(half) else UNKNOWN
    )


def _cramer_von_mises(column: Floats, patterns: Floats) -> Floats:
    """Return the statistic for every pattern of labels: the mean square between the two distribution functions."""
    known = ~np.isnan(column)
    order = np.argsort(column[known], kind="stable")
    values, ranked = column[known][order], patterns[:, known][:, order]
    if not len(values):
        return np.zeros(len(patterns))
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)  # of equal values
    counts = np.diff(last, prepend=-1)
    ones = np.cumsum(ranked, axis=1)
    total = ones[:, -1:]
    others = np.arange(1, len(values) + 1) - ones
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = ones[:, last] / total - others[:, last] / (len(values) - total)
        found: Floats = np.nan_to_num((apart**2) @ counts * total[:, 0] * (len(values) - total[:, 0]))
    return found


def _known(values: Floats) -> Floats:
    found: Floats = (~np.isnan(values)).sum(axis=0).astype(np.float64)
    return found


def _nearly(observed: Floats) -> Floats:
    return observed - TIE * np.abs(observed)


def _square(values: Floats) -> float:
    return float(np.mean(np.square(values)))


def _spread(mean: Floats | float, square: Floats | float) -> Floats:
    found: Floats = np.sqrt(np.maximum(np.asarray(square) - np.asarray(mean) ** 2, 0.0))
    return found


def _left_out(values: Floats) -> Floats:
    found: Floats = (values.sum() - values) / (len(values) - 1)
    return found
