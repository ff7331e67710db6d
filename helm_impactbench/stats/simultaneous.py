"""Tests of many paired differences at once: which of them chance does not explain, however many were tried?

The null hypothesis of each test: its clusters' differences are as often up as down. One random pattern of signs flips a
cluster in every test alike, so tests over the same base scenarios keep their dependence, and an adjusted p value has no
floor that rises with the number of tests: 60 models have 1,770 pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats

ALPHA = 0.05
"""Accepted risk of any false finding with max-T, accepted share among the findings with Benjamini-Hochberg."""
FLIPS = 9_999
MOST_FLIPS = 99_999
"""For Benjamini-Hochberg, whose smallest p values have to be exact to 1 / tests."""
BLOCK = 500
"""Patterns of signs that are tried together."""
TIE = 1e-9
"""Sums that differ by less, relatively, are equal except for rounding."""

Moves = Mapping[Any, float]
"""Cluster -> what it adds to a difference."""
Correction = Literal["max-t", "bh"]
CORRECTIONS: dict[Correction, str] = {
    "max-t": "max-T (Westfall and Young): at most a 5% risk of any false finding in the whole family of tests",
    "bh": "Benjamini-Hochberg: at most 5% false ones expected among the findings",
}
"""What each correction promises."""


@dataclass(frozen=True)
class FamilyTest:
    """One test among others."""

    p_value: float
    """Two-sided, of this test alone; 1.0 where nothing moves."""
    adjusted: float
    """After the correction for all tests of the family."""
    smallest: float
    """The adjusted p value if all its clusters had moved alike: above ALPHA, the test could not have found anything."""

    @property
    def found(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted <= ALPHA

    @property
    def can_be_found(self) -> bool:
        """Whether any difference could have been found with so few clusters among so many tests."""
        return self.smallest <= ALPHA


def simultaneous_tests(family: Sequence[Moves], correction: Correction = "max-t") -> list[FamilyTest]:
    """Return the tests of a family, in its order.

    The statistic is the sum of a test's moves over the root of their squares, which a flip of signs leaves alone. Every
    pattern of signs is counted where there are no more than FLIPS of them; otherwise so many random ones, seeded, and
    the observed one. max-T is the step-down procedure. Sources: Fisher (1935), The Design of Experiments, section 21;
    Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 2.8; Romano & Wolf (2005), Exact and
    Approximate Stepdown Methods for Multiple Hypothesis Testing, JASA 100; Phipson & Smyth (2010), Permutation P-values
    Should Never Be Zero, SAGMB 9.
    """
    if not family:
        return []
    columns = _columns(family)
    observed = _statistics(columns)
    clusters = np.array([float(len(moves)) for moves in family])
    flips = FLIPS if correction == "max-t" else min(MOST_FLIPS, max(FLIPS, 40 * len(family) - 1))
    counts = _counts(columns, observed, np.sqrt(clusters), flips)
    alone = np.where(observed > 0, counts.alone, 1.0)
    stepped = (
        stepped_down(counts.stepped, observed)
        if correction == "max-t"
        else np.array(benjamini_hochberg(alone.tolist()))
    )
    adjusted = np.where(observed > 0, np.maximum(stepped, alone), 1.0)
    smallest = _smallest(counts.ideal, clusters, correction)
    return [FamilyTest(*map(float, each)) for each in zip(alone, adjusted, smallest, strict=True)]


def _columns(family: Sequence[Moves]) -> Floats:
    """Return the moves of each test over the root of their squares; shape (clusters that move anything, tests)."""
    keys = sorted({key for moves in family for key, move in moves.items() if move}, key=repr)
    place = {key: row for row, key in enumerate(keys)}
    columns = np.zeros((len(keys), len(family)))
    for test, moves in enumerate(family):
        columns[[place[key] for key, move in moves.items() if move], test] = [move for move in moves.values() if move]
    norms = np.sqrt((columns**2).sum(axis=0))
    normed: Floats = np.divide(columns, norms, out=np.zeros_like(columns), where=norms > 0)
    return normed


def _statistics(columns: Floats) -> Floats:
    """Return how far each test's moves add up; shape (tests,). Zero where they cancel out, however sums are rounded."""
    sums: Floats = np.abs(columns.sum(axis=0))
    sums[sums <= TIE * np.abs(columns).sum(axis=0)] = 0.0
    return sums


@dataclass(frozen=True)
class _Shares:
    """Shares of the patterns of signs; shape (tests,) each."""

    alone: Floats
    """In which the test's own statistic is at least the observed one."""
    stepped: Floats
    """In which the largest statistic of this test and of those with less is at least the observed one; by rank."""
    ideal: Floats
    """In which the largest of all statistics is at least the greatest that this test can have."""


def _counts(columns: Floats, observed: Floats, ideal: Floats, flips: int) -> _Shares:
    order = np.argsort(observed, kind="stable")  # the least first, so that a running maximum is the step-down one
    ranked, reached, highest = columns[:, order], observed[order] * (1 - TIE), ideal * (1 - TIE)
    alone, stepped, best = (np.zeros(len(observed)) for _ in range(3))
    patterns = 0
    for signs in _signs(len(columns), flips):
        sums = np.abs(signs @ ranked)
        alone += (sums >= reached).sum(axis=0)
        most = np.maximum.accumulate(sums, axis=1)
        stepped += (most >= reached).sum(axis=0)
        best += len(signs) - np.searchsorted(np.sort(most[:, -1]), highest)
        patterns += len(signs)
    own = np.empty_like(alone)
    own[order] = alone
    return _Shares(own / patterns, stepped / patterns, best / patterns)


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


def _smallest(shares: Floats, clusters: Floats, correction: Correction) -> Floats:
    """Return the adjusted p value of a test whose clusters all move alike: two of all patterns reach that alone."""
    alone = np.minimum(1.0, 2.0 / 2.0 ** np.minimum(clusters, 1_000))
    # With Benjamini-Hochberg no test is adjusted where each of them finds as much.
    return alone if correction == "bh" or len(clusters) == 1 else np.maximum(shares, alone)
