"""Paired differences: the same case under two conditions, in clusters of base scenarios, in groups of benchmarks.

A case that has a value on one side alone belongs to no difference; it is counted, and bounds say what it could change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from helm_impactbench.analysis.paired_totals import Totals, totals
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, mean_of_means, same_groups_interval
from helm_impactbench.stats.population import drawn_interval
from helm_impactbench.stats.simultaneous import Correction, FamilyTest, Moves, simultaneous_tests


class CasePair(NamedTuple):
    """One case under both conditions."""

    benchmark: str
    base_id: str
    difference: float
    """First minus second, of scores from 0 to 1 or of gaps from -1 to 1."""
    metric: str = ""
    """The metric's id, where a benchmark has several."""


class HalfPair(NamedTuple):
    """One case that lacks a value on one side or on both, though it could have one."""

    benchmark: str
    base_id: str
    low: float
    """The least that the difference can be, with what is missing at its worst for the first side."""
    high: float


@dataclass(frozen=True)
class MissingBySide:
    """Cases of a comparison that have no value, by the side that lacks it."""

    first: int = 0
    second: int = 0
    not_applicable_first: int = 0
    """Where the question did not arise on the first side; these are not missing and have no bounds."""
    not_applicable_second: int = 0


@dataclass(frozen=True)
class Difference:
    """The difference over all pairs."""

    totals: Totals = field(repr=False)
    """Its pairs by base scenario, benchmark by benchmark."""
    strata: tuple[Clusters, ...] = field(repr=False)
    """What is drawn for others like these: benchmarks, or the metrics of a single one."""
    most: float
    """No difference of a pair is greater."""
    bounds: Interval
    """The least and the greatest value that the missing verdicts allow; `value` itself where none is missing."""
    worst_moves: Moves = field(repr=False)
    """As `moves`, with every missing verdict as it speaks most against the difference."""
    missing: MissingBySide = MissingBySide()
    filled: tuple[Totals, ...] = field(default=(), repr=False)
    """With every missing verdict at its worst for the first side, and at its best; empty where none is missing."""

    @cached_property
    def value(self) -> float:
        """Mean over benchmarks of the mean difference."""
        return mean_of_means(self.groups)

    @cached_property
    def interval(self) -> Interval:
        """95%, for these benchmarks and metrics with other scenarios."""
        return same_groups_interval(self.groups, -self.most, self.most)

    @cached_property
    def like_these_interval(self) -> Interval:
        """95%, for other benchmarks, metrics and scenarios like these; of one benchmark, other metrics are drawn."""
        weights = [part.values for part in self.strata] if len(self.groups) == 1 else [1] * len(self.strata)
        return drawn_interval([part.mean for part in self.strata], self.interval, weights, -self.most, self.most)

    @cached_property
    def equivalence_interval(self) -> Interval:
        """90%: where it lies within -d and d, two one-sided tests at 5% say that the sides are equal within d."""
        return self._ninety(self.groups)

    @cached_property
    def worst_equivalence_interval(self) -> Interval:
        """The same with missing verdicts at either extreme: what any of the intervals holds; unknown if one is."""
        if math.isinf(self.bounds.low) or math.isinf(self.bounds.high):  # no limit: no equality can survive
            return UNKNOWN
        found = [self.equivalence_interval, *(self._ninety(one.groups) for one in self.filled)]
        if not all(one.is_known for one in found):
            return UNKNOWN
        return Interval(min(one.low for one in found), max(one.high for one in found))

    def _ninety(self, groups: Sequence[Clusters]) -> Interval:
        return same_groups_interval(groups, -self.most, self.most, level=0.90)

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return self.totals.pairs

    @property
    def scenarios(self) -> int:
        """Number of base scenarios: the clusters."""
        return len(self.totals.clusters)

    @property
    def moves(self) -> Moves:
        """Cluster -> its part of `value`: what a flip of the cluster's sign changes."""
        return self.totals.moves

    @property
    def groups(self) -> list[Clusters]:
        """Its pairs by base scenario, benchmark by benchmark."""
        return self.totals.groups

    @cached_property
    def alone(self) -> FamilyTest:
        """The test of this difference, not corrected for any other."""
        return simultaneous_tests([self.moves])[0]

    @property
    def p_value(self) -> float:
        """Of "no difference": sign-flip test over base scenarios, two-sided, not adjusted."""
        return self.alone.p_value

    def equal_within(self, margin: float) -> bool:
        """Whether the sides are equal within `margin`: two one-sided tests at 5%.

        Source: Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15.
        """
        return _within(self.equivalence_interval, margin)

    def equality_survives(self, margin: float) -> bool:
        """Whether the sides are equal within `margin`, and are so with the missing verdicts at either extreme."""
        return _within(self.worst_equivalence_interval, margin)

    @property
    def has_missing(self) -> bool:
        """Whether a case of the comparison lacks a verdict that it could have."""
        return self.missing.first + self.missing.second > 0

    @property
    def worst(self) -> float:
        """The difference with every missing verdict as it speaks most against it."""
        return self.bounds.low if self.value >= 0 else self.bounds.high


def _within(interval: Interval, margin: float) -> bool:
    return -margin < interval.low and interval.high < margin


def paired_difference(
    pairs: Sequence[CasePair],
    most: float = 1.0,
    half_pairs: Sequence[HalfPair] = (),
    missing: MissingBySide = MissingBySide(),
) -> Difference | None:
    """Return the difference over pairs, each of which lies between -`most` and `most`; None without any."""
    whole = totals(pair[:3] for pair in pairs)
    by_metric: dict[str, list[tuple[str, float]]] = {}
    if len(whole.groups) == 1:
        for pair in pairs:
            by_metric.setdefault(pair.metric, []).append((pair.base_id, pair.difference))
    strata = [clustered(by_metric[metric]) for metric in sorted(by_metric)]
    filled = [_filled(pairs, half_pairs, low) for low in (True, False) if half_pairs]
    return difference_of(whole, strata, filled, most, missing)


def _filled(pairs: Sequence[CasePair], half_pairs: Sequence[HalfPair], low: bool) -> Totals:
    ends = ((half.benchmark, half.base_id, half.low if low else half.high) for half in half_pairs)
    return totals([*(pair[:3] for pair in pairs), *ends])


def difference_of(
    whole: Totals, strata: Sequence[Clusters], filled: Sequence[Totals], most: float, missing: MissingBySide
) -> Difference | None:
    """Return the difference that totals come to; None without a pair.

    strata: the metrics of a single benchmark, of no use for several. filled: the totals with every missing verdict at
    its worst for the first side, and at its best; nothing where none is missing.
    """
    if not whole.pairs:
        return None
    value = mean_of_means(whole.groups)
    bounds, worst_moves = Interval(value, value), whole.moves
    if filled:
        bounds = Interval(*(math.fsum(one.moves.values()) for one in filled))
        worst_moves = filled[0 if value >= 0 else 1].moves
        if not all(map(math.isfinite, worst_moves.values())):  # a quantity without a limit: no finding can survive
            worst_moves = {}
    drawn = tuple(strata if len(whole.groups) == 1 else whole.groups)
    return Difference(whole, drawn, most, bounds, worst_moves, missing, tuple(filled))


@dataclass(frozen=True, kw_only=True)
class InFamily:
    """A difference among others that are tested with it."""

    difference: Difference | None
    """First minus second; None when no case has a score on both sides."""
    test: FamilyTest | None = None
    """Of "no difference", corrected for the whole family; None as above."""
    worst_test: FamilyTest | None = None
    """The same with every missing verdict as it speaks most against the difference."""
    stopped: bool = False
    """Whether there is no test because runs of one side, or of both, ended when they had seen enough."""

    @property
    def adjusted_p_value(self) -> float:
        """After the correction; 1.0 without a case on both sides."""
        return self.test.adjusted if self.test else 1.0

    @property
    def found(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.test is not None and self.test.found

    @property
    def can_be_found(self) -> bool:
        """Whether any difference could have been found with so few base scenarios among so many tests."""
        return self.test is not None and self.test.can_be_found

    @property
    def survives(self) -> bool:
        """Whether it is found, and keeps its sign and is still found whatever the missing verdicts would have been."""
        if not self.found or self.difference is None or self.worst_test is None:
            return False
        return self.worst_test.found and self.difference.worst * self.difference.value > 0


def measured_tests(family: Sequence[Difference], correction: Correction) -> list[tuple[FamilyTest, FamilyTest | None]]:
    """Return the test of each difference among the others; not whether it survives what is missing."""
    return [(test, None) for test in simultaneous_tests([difference.moves for difference in family], correction)]


def family_tests(family: Sequence[Difference], correction: Correction = "max-t") -> list[tuple[FamilyTest, FamilyTest]]:
    """Return of each difference its test among the others, and the same with missing verdicts at their worst."""
    tests = simultaneous_tests([difference.moves for difference in family], correction)
    if not any(difference.has_missing for difference in family):
        return list(zip(tests, tests, strict=True))
    worst = simultaneous_tests([difference.worst_moves for difference in family], correction)
    return list(zip(tests, worst, strict=True))


@dataclass(frozen=True)
class Matched:
    """The cases of a comparison: those with a score on both sides, and those that lack one."""

    pairs: list[CasePair]
    half_pairs: list[HalfPair]
    missing: MissingBySide

    def difference(self) -> Difference | None:
        """Return what they say together; None without a pair."""
        return paired_difference(self.pairs, half_pairs=self.half_pairs, missing=self.missing)


def matched(sides: Sequence[tuple[Outcome, Outcome]]) -> Matched:
    """Sort the two outcomes of every case that both sides met, with a score or without one."""
    pairs, half_pairs, missing = list[CasePair](), list[HalfPair](), [0, 0, 0, 0]
    for first, second in sides:
        if first.score is not None and second.score is not None:
            pairs.append(CasePair(first.benchmark, first.base_id, first.score - second.score, first.metric_id))
            continue
        for place, outcome in enumerate((first, second)):
            missing[place] += outcome.is_missing
            missing[place + 2] += outcome.score is None and not outcome.is_missing
        if (first.is_missing and (second.is_missing or second.score is not None)) or (
            second.is_missing and first.score is not None
        ):
            half_pairs.append(_half_pair(first, second))
    return Matched(pairs, half_pairs, MissingBySide(*missing))


def _half_pair(first: Outcome, second: Outcome) -> HalfPair:
    low, high = ((0.0, 1.0) if outcome.score is None else (outcome.score, outcome.score) for outcome in (first, second))
    return HalfPair(first.benchmark, first.base_id, low[0] - high[1], low[1] - high[0])
