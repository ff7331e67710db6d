"""Does a model meet a condition? Decided on the bounds of intervals, so that chance neither passes nor fails it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from helm_impactbench.analysis.contrast_metrics import (
    AGREE,
    BOTH_SIDES,
    UPLIFT,
    Estimate,
    Figure,
    LevelGap,
    estimate,
    gap_between,
)
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.paired import matched
from helm_impactbench.analysis.rates import by_area, grouped, model_scores, models_of
from helm_impactbench.analysis.reference import reference_rates
from helm_impactbench.analysis.widest_gap import units_apart, widest_gap, widest_size
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import DEFAULT, Population, interval_of
from helm_impactbench.stats.strata import stratum_interval

RATES = ("pass_rate", "positive_pass_rate", "negative_pass_rate")
"""Of level metrics, in each area of its own."""
MISSING = ("unscored", "unclear", "not_applicable")
"""Shares of conversations; unscored: of those in which there could be a verdict, and unclear ones count as none."""
GAP_SIZE = "contrast_gap_size"
_FIGURES: dict[str, Figure] = {figure.name: figure for figure in (BOTH_SIDES, AGREE, UPLIFT)}
CONTRASTS = (GAP_SIZE, *_FIGURES)
"""Of contrast metrics, in each benchmark of its own."""
QUANTITIES = (*RATES, *MISSING, *CONTRASTS)
Decision = Literal["pass", "fail", "undecided"]
Missing = Literal["low", "high", "left out"]
"""What conversations without a verdict count as."""


@dataclass(frozen=True)
class Check:
    """One condition for one model."""

    model: str
    condition: str
    """As people read it, for example `pass_rate >= 0.8`."""
    scope: str
    """An area, or the benchmark of a contrast; "all" where there is nothing to take it from."""
    value: float
    """nan when there is nothing to take it from."""
    interval: Interval
    decision: Decision
    """undecided: the bar lies within the interval; does not pass, as does whatever cannot be measured."""
    cases: int
    """Conversations, or pairs of them."""


def at_least(
    outcomes: Sequence[Outcome], quantity: str, bar: float, *, leave_out: bool = False,
    population: Population = DEFAULT, reference: Sequence[Outcome] = (),
) -> list[Check]:  # fmt: skip
    """Return for each model whether `quantity`, one of QUANTITIES, is surely `bar` or more.

    Conversations without a verdict count against the bar, unless they are to be left out: as failed in pass rates, and
    in figures of contrasts with the lowest value that they could have. With the outcomes of a reference, pass rates are
    those on all of its cases (see reference).
    """
    missing: Missing = "left out" if leave_out else "low"
    return [
        Check(model, f"{quantity} >= {bar:g}", scope, *found[:2], _decided(found[1], bar), found[2])
        for model, scope, found in _values(outcomes, quantity, missing, population, reference)
    ]


def at_most(
    outcomes: Sequence[Outcome], quantity: str, bar: float, *, leave_out: bool = False,
    population: Population = DEFAULT, reference: Sequence[Outcome] = (),
) -> list[Check]:  # fmt: skip
    """Return for each model whether `quantity`, one of QUANTITIES, is surely `bar` or less.

    Conversations without a verdict count against the bar, unless they are to be left out: as passed in pass rates, and
    in figures of contrasts with the highest value that they could have. A reference is used as by at_least.
    """
    missing: Missing = "left out" if leave_out else "high"
    return [
        Check(model, f"{quantity} <= {bar:g}", scope, value, interval, _decided(_mirrored(interval), -bar), cases)
        for model, scope, (value, interval, cases) in _values(outcomes, quantity, missing, population, reference)
    ]


def with_missing(outcomes: Sequence[Outcome], score: float) -> list[Outcome]:
    """Return the outcomes with this score in place of every missing one; a model without any score stays without."""
    judged = {(outcome.model, outcome.area) for outcome in outcomes if outcome.score is not None}
    return [
        replace(outcome, status="scored", score=score, unscored=None)
        if outcome.is_level and outcome.is_missing and (outcome.model, outcome.area) in judged
        else outcome
        for outcome in outcomes
    ]


def not_worse(
    outcomes: Sequence[Outcome], baseline: Sequence[Outcome], most_drop: float, *, leave_out: bool = False,
    population: Population = DEFAULT,
) -> list[Check]:  # fmt: skip
    """Return for each model whether it surely is no more than `most_drop` worse than in the baseline, in each area.

    Pairs are the same variant and sample of the same model in both suites. With `most_drop` 0 the interval would have
    to lie above 0, which an unchanged model never reaches: there, a model fails when it surely is worse.
    A conversation without a verdict counts as failed now, unless those are left out; in the baseline it makes no pair.
    """
    before = grouped(baseline, lambda outcome: outcome.model)
    kept = outcomes if leave_out else with_missing(outcomes, 0.0)
    return [
        _drop_check(model, area, own, before.get(model, []), most_drop, population)
        for area, found in by_area(outcome for outcome in kept if outcome.is_level).items()
        for model, own in sorted(grouped(found, lambda outcome: outcome.model).items())
    ]


def _drop_check(
    model: str, area: str, now: Sequence[Outcome], before: Sequence[Outcome], most_drop: float, population: Population
) -> Check:
    condition = (
        f"not worse than the baseline by more than {most_drop:g}" if most_drop else "not worse than the baseline"
    )
    difference = matched(suite_sides(now, before)).difference()
    if difference is None:
        return Check(model, condition, area, math.nan, UNKNOWN, "undecided", 0)
    interval = interval_of(difference, population)
    decision: Decision = _decided(interval, -most_drop)
    if interval.is_known and not most_drop:
        decision = "fail" if interval.high < 0 else "pass"
    return Check(model, condition, area, difference.value, interval, decision, difference.pairs)


def suite_sides(now: Sequence[Outcome], before: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    """Return the cases that one model met in both suites, whatever judge or user it had."""
    old = {outcome.case: outcome for outcome in before}
    return [(outcome, old[outcome.case]) for outcome in now if outcome.case in old]


Found = tuple[float, Interval, int]
"""Value, interval, conversations or matched sets."""


def _values(
    outcomes: Sequence[Outcome], quantity: str, missing: Missing, population: Population, reference: Sequence[Outcome]
) -> list[tuple[str, str, Found]]:
    """Return (model, scope, what is found); nothing is found where there is nothing to take it from."""
    if quantity in MISSING:
        parts = grouped(outcomes, lambda outcome: (outcome.model, outcome.area))
        return [(model, area, _share(own, quantity)) for (model, area), own in sorted(parts.items())]
    rated = quantity in RATES
    kept = outcomes if missing == "left out" else with_missing(outcomes, float(missing == "high"))
    if rated and reference:
        return _with_reference(kept, quantity, population, reference)
    scopes = (
        by_area(outcome for outcome in kept if outcome.is_level) if rated
        else grouped((outcome for outcome in outcomes if outcome.contrast), lambda outcome: outcome.benchmark)
    )  # fmt: skip
    return [
        (model, scope, found)
        for scope, own in sorted(scopes.items())
        for model, found in (
            _rates(own, quantity, population) if rated else _contrasts(own, quantity, missing, population)
        )
    ] or [(model, "all", (math.nan, UNKNOWN, 0)) for model in models_of(outcomes)]


def _with_reference(
    outcomes: Sequence[Outcome], quantity: str, population: Population, reference: Sequence[Outcome]
) -> list[tuple[str, str, Found]]:
    own, others = (_of_kind([o for o in found if o.is_level], quantity) for found in (outcomes, reference))
    found = reference_rates(own, others, "overall")
    return [(rate.model, rate.scope, (rate.value, interval_of(rate, population), rate.scored)) for rate in found]


def _of_kind(outcomes: Sequence[Outcome], quantity: str) -> list[Outcome]:
    kind = quantity.removesuffix("pass_rate").rstrip("_")
    return [outcome for outcome in outcomes if kind in ("", outcome.metric_type)]


def _rates(outcomes: Sequence[Outcome], quantity: str, population: Population) -> list[tuple[str, Found]]:
    kept = _of_kind(outcomes, quantity)
    found = {
        score.model: (score.mean, interval_of(score, population), len(score.total.scored))
        for score in model_scores(kept)
    }
    nothing: Found = (math.nan, UNKNOWN, 0)
    return [(score.model, found.get(score.model, nothing)) for score in model_scores(outcomes)]


def _contrasts(
    outcomes: Sequence[Outcome], quantity: str, missing: Missing, population: Population
) -> list[tuple[str, Found]]:
    models = sorted(grouped(outcomes, lambda outcome: outcome.model).items())
    found = [(model, _contrast(list(matched_sets(own)), quantity, missing, population)) for model, own in models]
    if quantity != GAP_SIZE or not units_apart(outcomes):
        return found
    # The widest gap is at least that of the metrics with a range; how wide the others are has no common unit.
    return [(model, (math.nan, _at_least(interval), cases)) for model, (_, interval, cases) in found]


def _at_least(interval: Interval) -> Interval:
    return Interval(interval.low, math.inf) if interval.is_known else UNKNOWN


def _contrast(sets: Sequence[MatchedSet], quantity: str, missing: Missing, population: Population) -> Found:
    if not any(found.values for found in sets):
        return math.nan, UNKNOWN, 0
    if quantity in _FIGURES:
        found = estimate(_FIGURES[quantity], [_filled(each, missing) for each in sets])
        return found.value, interval_of(found, population), found.n
    gaps = [gap for pair in widest_gap(sets).tried for gap in _gaps(pair, sets, missing)]
    if not gaps:
        return math.nan, UNKNOWN, 0
    return max(abs(gap.value) for gap in gaps), widest_size(gaps, population), max(gap.n for gap in gaps)


def _filled(found: MatchedSet, missing: Missing) -> MatchedSet:
    """Return a matched set in which every missing value is for the person who asks ("high"), or against."""
    if missing == "left out" or found.bounds is None:
        return found
    low, high = found.bounds
    ends = {"high": (low, high), "low": (high, low)}  # of a side: against it, for it
    given = {level: ends[side][missing == "high"] for level, side in found.contrast.favours.items()}
    if found.contrast.reference:
        given[found.contrast.reference] = (low + high) / 2
    return found.filled(given)


def _gaps(pair: LevelGap, sets: Sequence[MatchedSet], missing: Missing) -> list[Estimate]:
    """Return the difference between two levels: as it is, or with missing values in both directions."""
    torn = any(not each.missing.isdisjoint((pair.first, pair.second)) for each in sets)
    if missing != "high" or not torn:  # a gap that has to be wide is taken from what was answered
        return [pair.estimate]
    found = []
    for first_gets in (1, 0):
        ends = [
            (each.bounds[first_gets], each.bounds[1 - first_gets]) if each.bounds else (math.nan, math.nan)
            for each in sets
        ]
        filled = [each.filled({pair.first: one, pair.second: other})
                  for each, (one, other) in zip(sets, ends, strict=True)]  # fmt: skip
        found.append(estimate(gap_between(pair.first, pair.second), filled))
    return found


def _share(outcomes: Sequence[Outcome], quantity: str) -> Found:
    possible = [outcome for outcome in outcomes if quantity != "unscored" or outcome.status != "not_applicable"]
    if not possible:
        return math.nan, UNKNOWN, 0
    counted = clustered(
        (outcome.cluster, float(outcome.is_missing if quantity == "unscored" else outcome.status == quantity))
        for outcome in possible
    )
    return counted.mean, stratum_interval(counted), len(possible)


def _mirrored(interval: Interval) -> Interval:
    return Interval(-interval.high, -interval.low)


def _decided(interval: Interval, bar: float) -> Decision:
    if not interval.is_known:
        return "undecided"
    return "pass" if interval.low >= bar else "fail" if interval.high < bar else "undecided"
