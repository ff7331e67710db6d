"""Paired differences: the same case under two conditions, in clusters of base scenarios, in groups of benchmarks.

A case that has a value on one side alone belongs to no difference; it is counted, and bounds say what it could change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from helm_impactbench.analysis.paired_totals import Totals, totals
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import LEVEL, UNKNOWN, Interval, mean_of_means, same_groups_interval
from helm_impactbench.stats.paired_interval import paired_interval
from helm_impactbench.stats.population import drawn_interval
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.stats.simultaneous import TIE, FamilyTest, Moves, family_bounds, simultaneous_tests


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
    worst: Totals | None = field(repr=False)
    """The pairs with every missing verdict as it speaks most against the difference; None where there is no limit to
    that, and no finding can survive."""
    missing: MissingBySide = MissingBySide()
    filled: tuple[Totals, ...] = field(default=(), repr=False)
    """With every missing verdict at its worst for the first side, and at its best; empty where none is missing."""
    test: FamilyTest | None = None
    """Of "no difference", among others; None where it stands alone."""
    if_applicable: Interval | None = None
    """The least and the greatest value if the cases to which the question did not apply on a side had passed or failed
    there, beside what is missing; None where there are none."""

    @cached_property
    def value(self) -> float:
        """Mean over benchmarks of the mean difference."""
        return mean_of_means(self.groups)

    @cached_property
    def interval(self) -> Interval:
        """95%, over scenarios.

        Among others that are tested with it, for all of them at once: it excludes 0 just where the test finds a
        difference, and is unknown where no difference could be found.
        """
        return _interval_of(self.totals, self.most) if self.test is None else _agreeing(self, self.test)

    @cached_property
    def like_these_interval(self) -> Interval:
        """95%, for other benchmarks, metrics and scenarios like these; of one benchmark, other metrics are drawn."""
        weights = [part.values for part in self.strata] if len(self.groups) == 1 else [1] * len(self.strata)
        return drawn_interval([part.mean for part in self.strata], self.interval, weights, -self.most, self.most)

    @cached_property
    def equivalence_interval(self) -> Interval:
        """90%: where it lies within -d and d, two one-sided tests at 5% say that the sides are equal within d."""
        return _interval_of(self.totals, self.most, 0.90)

    @cached_property
    def worst_equivalence_interval(self) -> Interval:
        """The same with missing verdicts at either extreme: what any of the intervals holds; unknown if one is."""
        if math.isinf(self.bounds.low) or math.isinf(self.bounds.high):  # no limit: no equality can survive
            return UNKNOWN
        found = [self.equivalence_interval, *(_interval_of(one, self.most, 0.90) for one in self.filled)]
        if not all(one.is_known for one in found):
            return UNKNOWN
        return Interval(min(one.low for one in found), max(one.high for one in found))

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

    def equality_tips(self, margin: float) -> float | None:
        """Return the share of the missing verdicts that would have to go one way to undo the equality; None if no share
        would. Bounds are taken to move in proportion.
        """
        return equality_tips(self.equivalence_interval, self.worst_equivalence_interval, margin)

    def tips(self) -> float | None:
        """Return the share of the missing verdicts that would have to go against a found difference to undo it."""
        return _tipping(self.moves, self.worst.moves if self.worst else {}, self.test.critical) if self.test else None

    @property
    def has_missing(self) -> bool:
        """Whether a case of the comparison lacks a verdict that it could have."""
        return self.missing.first + self.missing.second > 0


def _interval_of(found: Totals, most: float, level: float = LEVEL) -> Interval:
    """Return the interval of a difference: from gains and losses, or as it is where there is no limit to it."""
    if math.isinf(most):
        return same_groups_interval(found.groups, -most, most, level)
    return paired_interval(found.paired, most, level)


def _agreeing(found: Difference, test: FamilyTest) -> Interval:
    """Return the interval of a difference that is tested among others: what the test leaves open, and gains and losses.

    Gains and losses say more of what was not seen, such as rare losses of whole scenarios. They widen what the test
    leaves open; an end that they would carry past 0, against the test, stands at 0. Where a benchmark has a single base
    scenario, which shows no variance of its own, they are those of all base scenarios as one group.
    """
    if not test.can_be_found:
        return UNKNOWN
    low, high = family_bounds(found.totals.shifts, found.totals.weights, test.critical)
    level = max(LEVEL, 2 * float(special.ndtr(test.critical)) - 1)  # never narrower than if it stood alone
    wider = _interval_of(found.totals, found.most, level)
    if math.isinf(found.most) and not wider.is_known:  # differences that are all equal say nothing of how others vary
        return UNKNOWN
    if not wider.is_known:
        wider = paired_interval(found.totals.pooled, found.most, level)
    if wider.is_known:
        ends = wider.low, wider.high
        if test.found:  # the nearest that still agrees with the test
            ends = (max(wider.low, TIE), wider.high) if low > 0 else (wider.low, min(wider.high, -TIE))
        low, high = min(low, ends[0]), max(high, ends[1])
    return Interval(max(low, -found.most), min(high, found.most))


def equality_tips(seen: Interval, worst: Interval, margin: float) -> float | None:
    """Return Difference.equality_tips from its 90% intervals, as it is and with missing verdicts at either extreme."""
    if not worst.is_known:
        return 0.0
    moved = [(margin - end, worse - end) for end, worse in ((-seen.low, -worst.low), (seen.high, worst.high))]
    return min((room / move for room, move in moved if move >= room and move > 0), default=None)


def _within(interval: Interval, margin: float) -> bool:
    return -margin < interval.low and interval.high < margin


def paired_difference(
    pairs: Sequence[CasePair],
    most: float = 1.0,
    half_pairs: Sequence[HalfPair] = (),
    missing: MissingBySide = MissingBySide(),
    never: Sequence[HalfPair] = (),
) -> Difference | None:
    """Return the difference over pairs, each of which lies between -`most` and `most`; None without any.

    half_pairs: cases that lack a verdict; never: those to which the question did not apply on a side.
    """
    whole = totals(pair[:3] for pair in pairs)
    by_metric: dict[str, list[tuple[str, float]]] = {}
    if len(whole.groups) == 1:
        for pair in pairs:
            by_metric.setdefault(pair.metric, []).append((pair.base_id, pair.difference))
    strata = [clustered(by_metric[metric]) for metric in sorted(by_metric)]
    filled = [_filled(pairs, half_pairs, low) for low in (True, False) if half_pairs]
    found = difference_of(whole, strata, filled, most, missing)
    every = [*half_pairs, *never]
    return with_applicable(found, [_filled(pairs, every, low) for low in (True, False)] if never else [])


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
    bounds, worst = Interval(value, value), whole
    if filled:
        bounds = Interval(*(math.fsum(one.shifts.tolist()) for one in filled))
        worst = filled[0 if value >= 0 else 1]
    limited = bool(np.isfinite(worst.shifts).all())  # not so of a quantity without a limit
    drawn = tuple(strata if len(whole.groups) == 1 else whole.groups)
    return Difference(whole, drawn, most, bounds, worst if limited else None, missing, tuple(filled))


def with_applicable(difference: Difference | None, filled: Sequence[Totals]) -> Difference | None:
    """Return a difference with what it could be had the question applied everywhere; filled: at worst, and at best."""
    if difference is None or not filled:
        return difference
    low, high = (math.fsum(one.shifts.tolist()) for one in filled)
    return replace(difference, if_applicable=Interval(low, high))


@dataclass(frozen=True, kw_only=True)
class InFamily:
    """A difference among others that are tested with it."""

    difference: Difference | None
    """First minus second, with its test among the others; None when no case has a score on both sides."""
    stopped: bool = False
    """Whether there is no test because runs of one side, or of both, ended when they had seen enough."""

    @property
    def test(self) -> FamilyTest | None:
        """Of "no difference", corrected for the whole family."""
        return self.difference.test if self.difference else None

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

    @cached_property
    def tips(self) -> float | None:
        """The share of the missing verdicts that would have to go against a finding to undo it, if the others were as
        those that are there; None if no share would. 0.0 where a missing value has no limit.
        """
        if not self.found or self.difference is None or not self.difference.has_missing:
            return None
        return self.difference.tips()

    @property
    def undone(self) -> str:
        """What it would take of missing verdicts to undo a finding, as a sentence; empty where they cannot."""
        return "" if self.tips is None else f"It would be undone if {of_the_missing(self.tips)} went against it."


def of_the_missing(share: float) -> str:
    """Return a share of missing verdicts in words."""
    return "any of the missing verdicts" if share <= 0 else f"{max(share, 0.01):.0%} of the missing verdicts"


def undone_words(tips: Iterable[float | None]) -> Iterator[str]:
    """Yield a sentence on how many findings missing verdicts could undo, if any; tips: of each, as InFamily has it."""
    if known := [share for share in tips if share is not None]:
        yield (
            f"Missing verdicts could undo {len(known):,} of these, the first of them if {of_the_missing(min(known))} "
            "went against it."
        )


def _tipping(moves: Moves, worst: Moves, critical: float) -> float | None:
    """Return how far from `moves` to `worst` a test of their sum stops finding anything; None if it never does."""
    if not worst:
        return 0.0
    keys = sorted({*moves, *worst}, key=repr)
    own, ends = (np.array([given.get(key, 0.0) for key in keys]) for given in (moves, worst))
    steps, squared = ends - own, critical**2
    a = steps.sum() ** 2 - squared * (steps**2).sum()
    b = own.sum() * steps.sum() - squared * (own * steps).sum()
    c = own.sum() ** 2 - squared * (own**2).sum()
    roots = np.roots([a, 2 * b, c])
    return min((float(x.real) for x in roots if abs(x.imag) < TIE and 0 <= x.real <= 1), default=None)


def among(family: Sequence[Difference]) -> list[Difference]:
    """Return differences with their tests, each corrected for all of them by max-T."""
    tests = simultaneous_tests(difference.moves for difference in family)
    return [replace(difference, test=test) for difference, test in zip(family, tests, strict=True)]


@dataclass(frozen=True)
class Matched:
    """The cases of a comparison: those with a score on both sides, and those that lack one."""

    pairs: list[CasePair]
    half_pairs: list[HalfPair]
    missing: MissingBySide
    never: list[HalfPair]
    """Cases to which the question did not apply on a side, with what verdicts there could have made of them."""

    def difference(self) -> Difference | None:
        """Return what they say together; None without a pair."""
        return paired_difference(self.pairs, half_pairs=self.half_pairs, missing=self.missing, never=self.never)


def matched(sides: Sequence[tuple[Outcome, Outcome]]) -> Matched:
    """Sort the two outcomes of every case that both sides met, with a score or without one."""
    pairs, half_pairs, never, missing = list[CasePair](), list[HalfPair](), list[HalfPair](), [0, 0, 0, 0]
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
        else:
            never.append(_half_pair(first, second))
    return Matched(pairs, half_pairs, MissingBySide(*missing), never)


def _half_pair(first: Outcome, second: Outcome) -> HalfPair:
    low, high = ((0.0, 1.0) if outcome.score is None else (outcome.score, outcome.score) for outcome in (first, second))
    return HalfPair(first.benchmark, first.base_id, low[0] - high[1], low[1] - high[0])
