"""Tests of many paired differences at once: which of them chance does not explain, however many were tried?

The null hypothesis of each test: its clusters' differences are as often up as down. One random pattern of signs flips a
cluster in every test alike, so tests over the same base scenarios keep their dependence, and an adjusted p value has no
floor that rises with the number of tests: 60 models have 1,770 pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats

ALPHA = 0.05
"""Accepted risk of any false finding in the whole family of tests."""
FLIPS = 9_999
BLOCK = 500
"""Patterns of signs that are tried together."""
TIE = 1e-9
"""Sums that differ by less, relatively, are equal except for rounding."""

Moves = Mapping[Any, float]
"""Cluster -> what it adds to a difference."""


@dataclass(frozen=True)
class FamilyTest:
    """One test among others."""

    p_value: float
    """Two-sided, of this test alone; 1.0 where nothing moves."""
    adjusted: float
    """After the correction for all tests of the family."""
    smallest: float
    """The adjusted p value if all its clusters had moved alike: above ALPHA, the test could not have found anything."""
    critical: float = math.nan
    """The statistic that a difference of the family has to exceed to be found, which `family_bounds` inverts; nan where
    the test is of another kind."""

    @property
    def found(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted <= ALPHA

    @property
    def can_be_found(self) -> bool:
        """Whether any difference could have been found with so few clusters among so many tests."""
        return self.smallest <= ALPHA


def simultaneous_tests(family: Iterable[Moves]) -> list[FamilyTest]:
    """Return the tests of a family, in its order; each of its moves is looked at once.

    The statistic is the sum of a test's moves over the root of their squares, which a flip of signs leaves alone. Every
    pattern of signs is counted where there are no more than FLIPS of them; otherwise so many random ones, seeded, and
    the observed one. max-T in a single step, so that one critical value holds for all tests and for the intervals
    beside them. Sources: Fisher (1935), The Design of Experiments, section 21; Westfall & Young (1993),
    Resampling-Based Multiple Testing, section 2.3; Phipson & Smyth (2010), Permutation P-values Should Never Be Zero,
    SAGMB 9.
    """
    columns, clusters = _columns(family)
    if not len(clusters):
        return []
    observed = _statistics(columns)
    reached, highest = _under_flips(columns, observed)
    alone = np.where(observed > 0, reached, 1.0)
    adjusted = np.where(observed > 0, np.maximum(_reaching(highest, observed), alone), 1.0)
    smallest = np.maximum(_reaching(highest, np.sqrt(clusters)), np.minimum(1.0, 2.0 / 2 ** np.minimum(clusters, 999)))
    critical = float(highest[len(highest) - 1 - int(ALPHA * len(highest))])
    return [
        FamilyTest(float(p_value), float(own), float(least), critical)
        for p_value, own, least in zip(alone, adjusted, smallest, strict=True)
    ]


def _columns(family: Iterable[Moves]) -> tuple[Floats, Floats]:
    """Return the moves of each test over the root of their squares, and its number of clusters.

    Shapes (clusters that move anything, tests) and (tests,).
    """
    met: dict[Any, int] = {}
    found, clusters = list[tuple[list[int], Floats]](), list[float]()
    for moves in family:
        places = [met.setdefault(key, len(met)) for key, move in moves.items() if move]
        found.append((places, np.array([move for move in moves.values() if move])))
        clusters.append(float(len(moves)))
    row = np.zeros(len(met), np.intp)
    row[[met[key] for key in sorted(met, key=repr)]] = np.arange(len(met))
    columns = np.zeros((len(met), len(found)))
    for test, (places, own) in enumerate(found):
        columns[row[places], test] = own
    norms = np.sqrt((columns**2).sum(axis=0))
    normed: Floats = np.divide(columns, norms, out=np.zeros_like(columns), where=norms > 0)
    return normed, np.array(clusters)


def _statistics(columns: Floats) -> Floats:
    """Return how far each test's moves add up; shape (tests,). Zero where they cancel out, however sums are rounded."""
    sums: Floats = np.abs(columns.sum(axis=0))
    sums[sums <= TIE * np.abs(columns).sum(axis=0)] = 0.0
    return sums


def _under_flips(columns: Floats, observed: Floats) -> tuple[Floats, Floats]:
    """Return the share of the patterns in which each test reaches what was observed, and every pattern's highest."""
    reached, own, highest, patterns = observed * (1 - TIE), np.zeros(len(observed)), list[Floats](), 0
    for signs in _signs(len(columns), FLIPS):
        sums = np.abs(signs @ columns)
        own += (sums >= reached).sum(axis=0)
        highest.append(sums.max(axis=1))
        patterns += len(signs)
    return own / patterns, np.sort(np.concatenate(highest))


def _reaching(highest: Floats, statistics: Floats) -> Floats:
    """Return the share of the patterns whose highest statistic reaches each of these; `highest` is sorted."""
    found: Floats = (len(highest) - np.searchsorted(highest, statistics * (1 - TIE))) / len(highest)
    return found


def _signs(clusters: int, flips: int) -> Iterator[Floats]:
    """Yield patterns of signs, the observed one first; shape (patterns, clusters) each."""
    if 2 ** min(clusters, 64) <= flips:
        bits = (np.arange(2**clusters)[:, None] >> np.arange(clusters)[None, :]) & 1
        yield (1 - 2 * bits).astype(np.float64)
        return
    yield np.ones((1, clusters))
    rng = np.random.default_rng(SEED)
    for start in range(0, flips, BLOCK):
        drawn = rng.integers(0, 2, size=(min(BLOCK, flips - start), clusters), dtype=np.int8)
        yield (2 * drawn - 1).astype(np.float64)


def stepped_down(shares: Floats, observed: Floats) -> Floats:
    """Return step-down p values from shares by rank, the least statistic first: none below one with more.

    A share is that of the patterns in which the largest statistic of this test and of those with less reaches the
    observed one.
    """
    order = np.argsort(observed, kind="stable")
    adjusted = np.empty_like(shares)
    adjusted[order] = np.maximum.accumulate(shares[::-1])[::-1]
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number, in their order. Source: Benjamini & Hochberg (1995), JRSS B 57."""
    values = np.array(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    shares = values[order] * len(values) / np.arange(1, len(values) + 1)
    values[order] = np.minimum(np.minimum.accumulate(shares[::-1])[::-1], 1.0)
    return [float(value) for value in values]


def family_bounds(moves: Floats, weights: Floats, critical: float) -> tuple[float, float]:
    """Return between which values of a mean difference its test, among those of its family, finds nothing.

    moves: as of the test; weights: the clusters' shares in the mean; both of shape (clusters,). For each value the
    moves are taken less their share of it: what is left is found to differ from 0 outside of the bounds. They exclude 0
    just where the test finds a difference, hold for all of a family at once, and are infinite where so few clusters
    can exclude nothing. Source: Hodges & Lehmann (1963), Annals of Mathematical Statistics 34, for test inversion.
    """
    squared, value = critical**2, float(moves.sum())
    squares, cross, spread = ((moves**2).sum(), (moves * weights).sum(), (weights**2).sum())
    a, b, c = 1 - squared * spread, value - squared * cross, value**2 - squared * squares  # a x^2 - 2 b x + c <= 0
    root = math.sqrt(max(0.0, b * b - a * c))
    if a > TIE:
        return (b - root) / a, (b + root) / a
    if c <= 0:
        return -math.inf, math.inf
    near = c / (b + math.copysign(root, value))  # the other root is beyond what a difference can be
    return (near, math.inf) if value > 0 else (-math.inf, near)
