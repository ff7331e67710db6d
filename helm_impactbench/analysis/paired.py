"""Paired differences: the same case under two conditions, in clusters of base scenarios, in groups of benchmarks.

A case that has a value on one side alone belongs to no difference; it is counted, and bounds say what it could change.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import Interval, mean_of_means, same_groups_interval
from helm_impactbench.stats.population import drawn_interval
from helm_impactbench.stats.simultaneous import Correction, FamilyTest, Moves, simultaneous_tests

Cluster = tuple[str, str]
"""Benchmark (or metric) and base scenario."""


class Pair(NamedTuple):
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

    value: float
    """Mean over benchmarks of the mean difference."""
    interval: Interval
    """95%, for these benchmarks and metrics with other scenarios."""
    like_these_interval: Interval
    """95%, for other benchmarks, metrics and scenarios like these; of one benchmark, other metrics are drawn."""
    equivalence_interval: Interval
    """90%: where it lies within -d and d, two one-sided tests at 5% say that the sides are equal within d."""
    pairs: int
    scenarios: int
    """Base scenarios: the clusters."""
    moves: Moves = field(repr=False)
    """Cluster -> its part of `value`: what a flip of the cluster's sign changes."""
    bounds: Interval
    """The least and the greatest value that the missing verdicts allow; `value` itself where none is missing."""
    worst_moves: Moves = field(repr=False)
    """As `moves`, with every missing verdict as it speaks most against the difference."""
    missing: MissingBySide = MissingBySide()
    groups: tuple[Clusters, ...] = field(default=(), repr=False)
    """Its pairs by base scenario, benchmark by benchmark."""

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
        return -margin < self.equivalence_interval.low and self.equivalence_interval.high < margin

    @property
    def has_missing(self) -> bool:
        """Whether a case of the comparison lacks a verdict that it could have."""
        return self.missing.first + self.missing.second > 0

    @property
    def worst(self) -> float:
        """The difference with every missing verdict as it speaks most against it."""
        return self.bounds.low if self.value >= 0 else self.bounds.high


def paired_difference(
    pairs: Sequence[Pair],
    most: float = 1.0,
    half_pairs: Sequence[HalfPair] = (),
    missing: MissingBySide = MissingBySide(),
) -> Difference | None:
    """Return the difference over pairs, each of which lies between -`most` and `most`; None without any."""
    if not pairs:
        return None
    groups = _groups(pairs)
    value = mean_of_means(groups)
    moves = cluster_moves(pairs)
    bounds, worst_moves = Interval(value, value), moves
    if half_pairs:
        filled = [cluster_moves(_filled(pairs, half_pairs, low)) for low in (True, False)]
        bounds = Interval(*(math.fsum(found.values()) for found in filled))
        worst_moves = filled[0 if value >= 0 else 1]
        if not all(map(math.isfinite, worst_moves.values())):  # a quantity without a limit: no finding can survive
            worst_moves = {}
    interval = same_groups_interval(groups, -most, most)
    return Difference(
        value=value,
        interval=interval,
        like_these_interval=_like_these(pairs, groups, interval, most),
        equivalence_interval=same_groups_interval(groups, -most, most, level=0.90),
        pairs=len(pairs),
        scenarios=sum(group.size for group in groups),
        moves=moves,
        bounds=bounds,
        worst_moves=worst_moves,
        missing=missing,
        groups=tuple(groups),
    )


def _like_these(pairs: Sequence[Pair], groups: Sequence[Clusters], these: Interval, most: float) -> Interval:
    weights = [1] * len(groups)
    if len(groups) == 1:
        by_metric: dict[str, list[tuple[str, float]]] = {}
        for pair in pairs:
            by_metric.setdefault(pair.metric, []).append((pair.base_id, pair.difference))
        groups = [clustered(by_metric[metric]) for metric in sorted(by_metric)]
        weights = [group.values for group in groups]
    return drawn_interval([group.mean for group in groups], these, weights, -most, most)


def _filled(pairs: Sequence[Pair], half_pairs: Sequence[HalfPair], low: bool) -> list[Pair]:
    return [*pairs, *(Pair(half.benchmark, half.base_id, half.low if low else half.high) for half in half_pairs)]


def cluster_moves(pairs: Sequence[Pair]) -> dict[Cluster, float]:
    """Return the clusters' sums, weighted so that their total is the mean over benchmarks of the mean difference."""
    sums = defaultdict[Cluster, float](float)
    for benchmark, base_id, difference, _ in pairs:
        sums[benchmark, base_id] += difference
    counts = Counter(pair[0] for pair in pairs)
    return {cluster: total / (counts[cluster[0]] * len(counts)) for cluster, total in sums.items()}


def _groups(pairs: Sequence[Pair]) -> list[Clusters]:
    by_benchmark = defaultdict[str, list[tuple[str, float]]](list)
    for benchmark, base_id, difference, _ in pairs:
        by_benchmark[benchmark].append((base_id, difference))
    return [clustered(by_benchmark[slug]) for slug in sorted(by_benchmark)]


@dataclass(frozen=True, kw_only=True)
class InFamily:
    """A difference among others that are tested with it."""

    difference: Difference | None
    """First minus second; None when no case has a score on both sides."""
    test: FamilyTest | None = None
    """Of "no difference", corrected for the whole family; None as above."""
    worst_test: FamilyTest | None = None
    """The same with every missing verdict as it speaks most against the difference."""

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

    pairs: list[Pair]
    half_pairs: list[HalfPair]
    missing: MissingBySide

    def difference(self) -> Difference | None:
        """Return what they say together; None without a pair."""
        return paired_difference(self.pairs, half_pairs=self.half_pairs, missing=self.missing)


def matched(sides: Sequence[tuple[Outcome, Outcome]]) -> Matched:
    """Sort the two outcomes of every case that both sides met, with a score or without one."""
    pairs, half_pairs, missing = list[Pair](), list[HalfPair](), [0, 0, 0, 0]
    for first, second in sides:
        if first.score is not None and second.score is not None:
            pairs.append(Pair(first.benchmark, first.base_id, first.score - second.score, first.metric_id))
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
