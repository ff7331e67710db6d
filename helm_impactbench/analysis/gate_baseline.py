"""Is a model worse than in another suite? Decided on the interval of the difference, as the gate's other conditions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from helm_impactbench.analysis.gate import Decision, GateCheck, decided, with_missing
from helm_impactbench.analysis.looks import at_any_look
from helm_impactbench.analysis.paired import matched
from helm_impactbench.analysis.rates import by_area, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.population import DEFAULT, Population, interval_of


def not_worse(
    outcomes: Sequence[Outcome],
    baseline: Sequence[Outcome],
    most_drop: float,
    *,
    leave_out: bool = False,
    population: Population = DEFAULT,
    any_look: bool = False,
) -> list[GateCheck]:
    """Return for each model whether it surely is no more than `most_drop` worse than in the baseline, in each area.

    Pairs are the same variant and sample of the same model in both suites. With `most_drop` 0 the interval would have
    to lie above 0, which an unchanged model never reaches: there, a model fails when it surely is worse.
    A conversation without a verdict counts as failed now, unless those are left out; in the baseline it makes no pair.
    any_look: whether the suite has grown since somebody looked at it, so that intervals have to hold at any look.
    Undecided where a run of either side may stop early: the cases that it has depend on what it found on them.
    """
    before = grouped(baseline, lambda outcome: outcome.model)
    kept = outcomes if leave_out else with_missing(outcomes, 0.0)
    return [
        _drop_check(model, area, own, before.get(model, []), most_drop, population, any_look)
        for area, found in by_area(outcome for outcome in kept if outcome.is_level).items()
        for model, own in sorted(grouped(found, lambda outcome: outcome.model).items())
    ]


def drop_words(most_drop: float) -> str:
    """Return the condition as people read it."""
    return f"not worse than the baseline by more than {most_drop:g}" if most_drop else "not worse than the baseline"


def is_comparison(condition: str) -> bool:
    """Return whether a condition compares with a baseline, from its words."""
    return condition.startswith(drop_words(0.0))


def _drop_check(
    model: str,
    area: str,
    now: Sequence[Outcome],
    before: Sequence[Outcome],
    most_drop: float,
    population: Population,
    any_look: bool,
) -> GateCheck:
    condition = drop_words(most_drop)
    sides = suite_sides(now, before)
    difference = matched(sides).difference()
    if any(outcome.draw is not None for pair in sides for outcome in pair):
        return GateCheck(model, condition, area, math.nan, UNKNOWN, "undecided", len(sides), may_stop_early=True)
    if difference is None:
        return GateCheck(model, condition, area, math.nan, UNKNOWN, "undecided", 0)
    interval = interval_of(at_any_look(difference, 1) if any_look else difference, population)
    decision: Decision = decided(interval, -most_drop)
    if interval.is_known and not most_drop:
        decision = "fail" if interval.high < 0 else "pass"
    return GateCheck(model, condition, area, difference.value, interval, decision, difference.pairs, bar=-most_drop)


def suite_sides(now: Sequence[Outcome], before: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    """Return the cases that one model met in both suites, whatever judge or user it had."""
    old = {outcome.case: outcome for outcome in before}
    return [(outcome, old[outcome.case]) for outcome in now if outcome.case in old]
