"""How far apart two sets of points are: the energy distance as a share, with its interval, and a likeness from it.

Points come in clusters. A cluster counts once, however many points it has, and distances within one are left out: they
say nothing of two independent points. So two samples of one distribution are 0 apart on average.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import LEVEL, UNKNOWN, Interval
from helm_impactbench.stats.scipy_modules import distance, special

HALVES = 200
"""Splits of a set into two halves."""


@dataclass(frozen=True)
class EnergyPoints:
    """A set of points in clusters."""

    values: Floats
    """Shape (points, coordinates); without nan."""
    clusters: tuple[Hashable, ...]
    """The key of each point's cluster."""

    @cached_property
    def keys(self) -> tuple[Hashable, ...]:
        """The clusters' keys, ordered."""
        return tuple(sorted(set(self.clusters), key=repr))

    @cached_property
    def shares(self) -> Floats:
        """What each point counts for in its cluster's mean; shape (clusters, points), rows add up to 1."""
        place = {key: row for row, key in enumerate(self.keys)}
        found = np.zeros((len(self.keys), len(self.clusters)))
        found[[place[key] for key in self.clusters], np.arange(len(self.clusters))] = 1.0
        counted: Floats = found / np.maximum(found.sum(axis=1, keepdims=True), 1.0)
        return counted

    def distances(self, other: EnergyPoints) -> Floats:
        """Return mean Euclidean distances between clusters; shape (clusters, clusters of other)."""
        found: Floats = self.shares @ distance.cdist(self.values, other.values) @ other.shares.T
        return found


@dataclass(frozen=True)
class EnergyGap:
    """The distance between two sets, and what it is without each of their clusters."""

    one: EnergyPoints
    other: EnergyPoints
    coefficient: float
    """2 E|X-Y| - E|X-X'| - E|Y-Y'| over 2 E|X-Y|: 0 for equal distributions, 1 for two constants, below 0 where chance
    made two sets more alike than one set's parts; nan with less than two clusters.
    """
    without_one: Floats
    """The coefficient without each cluster of the first set; shape (clusters,)."""
    without_other: Floats

    @property
    def interval(self) -> Interval:
        """95% interval of the coefficient, for other clusters on both sides like these.

        The variance is the jackknife's over the clusters of either set, with a t quantile of the smaller set's clusters
        less one. Source: Arvesen (1969), Jackknifing U-statistics, Annals of Mathematical Statistics 40.
        """
        return _interval(self.coefficient, (self.without_one, self.without_other))


def gap_between(one: EnergyPoints, other: EnergyPoints, within_other: Floats | None = None) -> EnergyGap:
    """Return the gap between two sets; `within_other` are the distances of the second one's clusters, if known.

    Source: Szekely & Rizzo (2013), Energy statistics: A class of statistics based on distances, JSPI 143 (coefficient
    of inhomogeneity), as a U-statistic over clusters.
    """
    between = one.distances(other)
    own, others = one.distances(one), other.distances(other) if within_other is None else within_other
    total, first, second = between.sum(), _Within(own), _Within(others)
    rows, columns = between.shape
    return EnergyGap(
        one,
        other,
        float(_coefficient(total / (rows * columns), first.mean, second.mean)),
        _coefficient((total - between.sum(axis=1)) / max(1, (rows - 1) * columns), first.without, second.mean),
        _coefficient((total - between.sum(axis=0)) / max(1, rows * (columns - 1)), first.mean, second.without),
    )


def difference_of_gaps(one: EnergyGap, other: EnergyGap) -> tuple[float, Interval]:
    """Return how much larger the first gap's coefficient is than the second's, to one reference, with its 95% interval.

    Clusters that both sets have are left out together, as is each of the reference.
    """
    keys = sorted({*one.one.keys, *other.one.keys}, key=repr)
    value = one.coefficient - other.coefficient
    parts = (_by_key(one, keys) - _by_key(other, keys), one.without_other - other.without_other)
    return value, _interval(value, parts)


def likeness(coefficient: float) -> float:
    """Return 100 (1 - root of a coefficient): 100 for equal distributions, 0 for two constants."""
    return 100 * (1 - math.sqrt(min(1.0, max(0.0, coefficient))))


def halves(within: Floats) -> Floats:
    """Return the coefficients of random halves of one set, from its clusters' distances; shape (HALVES,), or none."""
    size = len(within)
    if size < 4:
        return np.array([])
    order = np.argsort(np.random.default_rng(SEED).random((HALVES, size)), axis=1)
    first = (order < size // 2).astype(np.float64)
    second, pairs = 1 - first, within - np.diag(np.diag(within))
    own = [np.einsum("bi,bi->b", half @ pairs, half) / (half.sum(1) * (half.sum(1) - 1)) for half in (first, second)]
    between = np.einsum("bi,bi->b", first @ within, second) / (first.sum(1) * second.sum(1))
    return _coefficient(between, own[0], own[1])


class _Within:
    """The mean distance between different clusters of a set, and what it is without each of them."""

    def __init__(self, distances: Floats) -> None:
        size = len(distances)
        pairs = distances - np.diag(np.diag(distances))
        total = float(pairs.sum())
        self.mean: Floats = np.array(total / (size * (size - 1)) if size > 1 else math.nan)
        smaller = (size - 1) * (size - 2)
        self.without: Floats = (total - 2 * pairs.sum(axis=1)) / smaller if smaller > 0 else np.full(size, math.nan)


def _coefficient(between: Floats | float, one: Floats, other: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(np.asarray(between) > 0, 1 - (one + other) / (2 * np.asarray(between)), one * 0.0)
    return found


def _by_key(gap: EnergyGap, keys: list[Hashable]) -> Floats:
    known = dict(zip(gap.one.keys, gap.without_one.tolist(), strict=True))
    return np.array([known.get(key, gap.coefficient) for key in keys])


def _interval(value: float, parts: tuple[Floats, ...]) -> Interval:
    """Return the interval of the jackknife over independent sets of clusters."""
    smallest = min(map(len, parts))
    if smallest < 3 or math.isnan(value) or any(np.isnan(part).any() for part in parts):
        return UNKNOWN
    variance = sum((len(part) - 1) / len(part) * float(((part - part.mean()) ** 2).sum()) for part in parts)
    half = float(special.stdtrit(smallest - 1, (1 + LEVEL) / 2)) * math.sqrt(variance)
    return Interval(value - half, value + half)
