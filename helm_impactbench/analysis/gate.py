"""Does a model meet a condition? Decided on the bounds of intervals, so that chance neither passes nor fails it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from helm_impactbench.analysis.contrast_metrics import (
    AGREE,
    BOTH_SIDES,
    UPLIFT,
    ContrastFigure,
    FigureEstimate,
    LevelGap,
    estimate,
    gap_between,
)
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.rates import grouped, model_scores, models_of
from helm_impactbench.analysis.reference import ReferenceRate, check_matches, estimated_rates
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
_FIGURES: dict[str, ContrastFigure] = {figure.name: figure for figure in (BOTH_SIDES, AGREE, UPLIFT)}
CONTRASTS = (GAP_SIZE, *_FIGURES)
"""Of contrast metrics, in each benchmark of its own."""
QUANTITIES = (*RATES, *MISSING, *CONTRASTS)
Decision = Literal["pass", "fail", "undecided"]
OpenBecause = Literal["", "baseline's answers", "people differ", "other judges"]
"""Answers are the baseline's own stored ones; people fare differently with the model, so that its average is nobody's
rate; other judges judged the baseline."""
Missing = Literal["low", "high", "left out"]
"""What conversations without a verdict count as."""


@dataclass(frozen=True)
class GateCheck:
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
    estimate: ReferenceRate | None = None
    """Of a pass rate on all cases of a reference: what it is taken from."""
    bar: float = math.nan
    """What the figure is held against."""
    open_because: OpenBecause = ""
    """What keeps it undecided whatever its figure is; empty where the figure decides."""
    may_stop_early: bool = False
    """Whether it is undecided since runs end when their own data say so, for which the figure has no interval."""
    part: str = ""
    """What of the outcomes it is about, for people; empty for all."""
    among: Sequence[Outcome] | None = field(default=None, compare=False, repr=False)
    """Those outcomes; None for all."""
    is_severe_only: bool = False
    """Whether milder failures do not count."""

    @property
    def words(self) -> str:
        """The condition with what it is about, as people read it: `pass_rate >= 0.8 (age=child)`."""
        return f"{self.condition} ({self.part})" if self.part else self.condition


def at_least(
    outcomes: Sequence[Outcome],
    quantity: str,
    bar: float,
    *,
    leave_out: bool = False,
    population: Population = DEFAULT,
    reference: Sequence[Outcome] | None = None,
) -> list[GateCheck]:
    """Return for each model whether `quantity`, one of QUANTITIES, is surely `bar` or more.

    Conversations without a verdict count against the bar, unless they are to be left out: as failed in pass rates, and
    in figures of contrasts with the lowest value that they could have. With the outcomes of a reference, pass rates are
    those on all of its cases (see reference); undecided where it lacks a case of the model, which may be one that
    fails. Raises ImpactBenchError when no case is in both.
    """
    missing: Missing = "left out" if leave_out else "low"
    return [
        _check(model, f"{quantity} >= {bar:g}", bar, scope, found, decided(found[1], bar), estimate)
        for model, scope, found, estimate in _values(outcomes, quantity, missing, population, reference)
    ]


def at_most(
    outcomes: Sequence[Outcome],
    quantity: str,
    bar: float,
    *,
    leave_out: bool = False,
    population: Population = DEFAULT,
    reference: Sequence[Outcome] | None = None,
) -> list[GateCheck]:
    """Return for each model whether `quantity`, one of QUANTITIES, is surely `bar` or less.

    Conversations without a verdict count against the bar, unless they are to be left out: as passed in pass rates, and
    in figures of contrasts with the highest value that they could have. A reference is used as by at_least.
    """
    missing: Missing = "left out" if leave_out else "high"
    return [
        _check(model, f"{quantity} <= {bar:g}", bar, scope, found, decided(_mirrored(found[1]), -bar), estimate)
        for model, scope, found, estimate in _values(outcomes, quantity, missing, population, reference)
    ]


def without_data(model: str, condition: str) -> GateCheck:
    """Return the check of a model that has nothing to take a condition's figure from."""
    return GateCheck(model, condition, "all", math.nan, UNKNOWN, "undecided", 0)


def _check(
    model: str, condition: str, bar: float, scope: str, found: Found, decision: Decision, estimate: ReferenceRate | None
) -> GateCheck:
    value, interval, cases = found
    early = estimate is not None and estimate.may_stop_early
    return GateCheck(model, condition, scope, value, interval, decision, cases, estimate, bar, may_stop_early=early)


def with_missing(outcomes: Sequence[Outcome], score: float) -> list[Outcome]:
    """Return the outcomes with this score in place of every missing one; a model without any score stays without."""
    judged = {(outcome.model, outcome.area) for outcome in outcomes if outcome.score is not None}
    return [
        replace(outcome, status="scored", score=score, unscored=None)
        if outcome.is_level and outcome.is_missing and (outcome.model, outcome.area) in judged
        else outcome
        for outcome in outcomes
    ]


Found = tuple[float, Interval, int]
"""Value, interval, conversations or matched sets."""
_NOTHING: Found = (math.nan, UNKNOWN, 0)
"""Where there is nothing to take a value from."""


def _values(
    outcomes: Sequence[Outcome],
    quantity: str,
    missing: Missing,
    population: Population,
    reference: Sequence[Outcome] | None,
) -> list[tuple[str, str, Found, ReferenceRate | None]]:
    """Return (model, scope, what is found, its estimate), by scope and model; nothing is found without any data."""
    rated, counted = quantity in RATES, quantity in MISSING
    kept = with_missing(outcomes, float(missing == "high")) if rated and missing != "left out" else outcomes
    kept = [o for o in kept if counted or (o.is_level if rated else o.contrast)]
    if rated and reference is not None:
        return _estimates(kept, quantity, population, reference)
    scopes = grouped(kept, lambda outcome: outcome.area if rated or counted else outcome.benchmark)
    return [
        (model, scope, found, None)
        for scope, own in sorted(scopes.items())
        for model, found in (
            _contrasts(own, quantity, missing, population)
            if not (rated or counted)
            else [
                (model, _share(found, quantity) if counted else _rate(found, quantity, population))
                for model, found in _by_model(own)
            ]
        )
    ] or [(model, "all", _NOTHING, None) for model in models_of(outcomes)]


def _by_model(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    return sorted(grouped(outcomes, lambda outcome: outcome.model).items())


def _estimates(
    outcomes: Sequence[Outcome], quantity: str, population: Population, reference: Sequence[Outcome]
) -> list[tuple[str, str, Found, ReferenceRate | None]]:
    """Return _values on all cases of a reference, of every model in an area, also of one without any of the kind."""
    check_matches(outcomes, reference)
    rates = estimated_rates(_of_kind(outcomes, quantity), _of_kind(reference, quantity), "overall")
    estimates = {(rate.scope, rate.model): rate for rate in rates}
    return [
        (model, area, _estimated(estimates.get((area, model)), population), estimates.get((area, model)))
        for area, model in sorted({(outcome.area, outcome.model) for outcome in outcomes})
    ]


def _estimated(rate: ReferenceRate | None, population: Population) -> Found:
    if rate is None:
        return _NOTHING
    if rate.unmatched:
        return math.nan, UNKNOWN, rate.scored
    return rate.value, interval_of(rate, population), rate.scored


def _of_kind(outcomes: Sequence[Outcome], quantity: str) -> list[Outcome]:
    kind = quantity.removesuffix("pass_rate").rstrip("_")
    return [outcome for outcome in outcomes if kind in ("", outcome.metric_type)]


def _rate(outcomes: Sequence[Outcome], quantity: str, population: Population) -> Found:
    scores = model_scores(_of_kind(outcomes, quantity))
    return (scores[0].mean, interval_of(scores[0], population), len(scores[0].total.scored)) if scores else _NOTHING


def _contrasts(
    outcomes: Sequence[Outcome], quantity: str, missing: Missing, population: Population
) -> list[tuple[str, Found]]:
    found = [
        (model, _contrast(list(matched_sets(own)), quantity, missing, population)) for model, own in _by_model(outcomes)
    ]
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


def _gaps(pair: LevelGap, sets: Sequence[MatchedSet], missing: Missing) -> list[FigureEstimate]:
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
        filled = [
            each.filled({pair.first: one, pair.second: other}) for each, (one, other) in zip(sets, ends, strict=True)
        ]
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


def decided(interval: Interval, bar: float) -> Decision:
    """Return whether a figure with this interval is surely `bar` or more."""
    if not interval.is_known:
        return "undecided"
    return "pass" if interval.low >= bar else "fail" if interval.high < bar else "undecided"
