"""Does a model clear the bar? Decided on the bounds of intervals, so that luck neither passes nor fails it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from helm_impactbench.analysis.paired import Pair, paired_difference
from helm_impactbench.analysis.rates import ModelScore, Rate, grouped, model_scores
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval, wilson

Quantity = Literal["pass_rate", "positive_pass_rate", "negative_pass_rate", "unscored"]
QUANTITIES: tuple[Quantity, ...] = ("pass_rate", "positive_pass_rate", "negative_pass_rate", "unscored")
Decision = Literal["pass", "fail", "undecided"]


@dataclass(frozen=True)
class Check:
    """One condition for one model."""

    model: str
    condition: str
    """As people read it, for example `pass_rate >= 0.8`."""
    value: float
    """nan when there is nothing to take it from."""
    interval: Interval
    decision: Decision
    """undecided: the bar lies within the interval; does not pass, as does whatever cannot be measured."""
    cases: int
    """Conversations, or pairs of them."""


def at_least(outcomes: Sequence[Outcome], quantity: Quantity, bar: float) -> list[Check]:
    """Return for each model whether `quantity` is surely `bar` or more."""
    return [_check(model, f"{quantity} >= {bar:g}", found, bar) for model, found in _values(outcomes, quantity)]


def at_most(outcomes: Sequence[Outcome], quantity: Quantity, bar: float) -> list[Check]:
    """Return for each model whether `quantity` is surely `bar` or less."""
    checks = []
    for model, (value, interval, cases) in _values(outcomes, quantity):
        mirrored = (-value, Interval(-interval.high, -interval.low), cases)
        decision = _check(model, "", mirrored, -bar).decision
        checks.append(Check(model, f"{quantity} <= {bar:g}", value, interval, decision, cases))
    return checks


def not_worse(outcomes: Sequence[Outcome], baseline: Sequence[Outcome], most_drop: float) -> list[Check]:
    """Return for each model whether it surely is no more than `most_drop` worse than in the baseline.

    Pairs are the same variant and sample of the same model in both suites. With `most_drop` 0 the interval would have
    to lie above 0, which an unchanged model never reaches: there, a model fails when it surely is worse.
    """
    before = grouped(baseline, lambda outcome: outcome.model)
    return [
        _drop_check(model, own, before.get(model, []), most_drop)
        for model, own in sorted(grouped(outcomes, lambda outcome: outcome.model).items())
    ]


def _drop_check(model: str, now: Sequence[Outcome], before: Sequence[Outcome], most_drop: float) -> Check:
    condition = (
        f"not worse than the baseline by more than {most_drop:g}" if most_drop else "not worse than the baseline"
    )
    difference = paired_difference(suite_pairs(now, before))
    if difference is None:
        return Check(model, condition, float("nan"), UNKNOWN, "undecided", 0)
    interval = difference.interval
    if most_drop or not interval.is_known:
        return _check(model, condition, (difference.value, interval, difference.pairs), -most_drop)
    decision: Decision = "fail" if interval.high < 0 else "pass"
    return Check(model, condition, difference.value, interval, decision, difference.pairs)


def suite_pairs(now: Sequence[Outcome], before: Sequence[Outcome]) -> list[Pair]:
    """Return the cases of one model that have a verdict in both suites, whatever judge or user they had."""
    old = {outcome.case: outcome for outcome in before if outcome.score is not None}
    return [
        Pair(o.benchmark, o.base_id, (o.score or 0.0) - (old[o.case].score or 0.0))
        for o in now
        if o.score is not None and o.case in old
    ]


Found = tuple[float, Interval, int]
"""Value, interval, conversations."""


def _values(outcomes: Sequence[Outcome], quantity: Quantity) -> list[tuple[str, Found]]:
    if quantity == "unscored":
        return [(score.model, _unscored(score.total)) for score in model_scores(outcomes)]
    kind = quantity.removesuffix("pass_rate").rstrip("_")
    kept = [outcome for outcome in outcomes if kind in ("", outcome.metric_type)]
    found = {score.model: _rate(score) for score in model_scores(kept)}
    nothing: Found = (float("nan"), UNKNOWN, 0)
    return [(score.model, found.get(score.model, nothing)) for score in model_scores(outcomes)]


def _rate(score: ModelScore) -> Found:
    """Return the mean over benchmarks, for these benchmarks: a bar is set for what was measured."""
    scored = len(score.total.scored)
    if len(score.groups) == 1:
        return score.mean, score.total.interval, scored
    return score.mean, score.same_benchmarks_interval, scored


def _unscored(rate: Rate) -> Found:
    possible = len(rate.scored) + rate.missing
    if not possible:
        return float("nan"), UNKNOWN, 0
    return rate.missing / possible, wilson(rate.missing, possible), possible


def _check(model: str, condition: str, found: Found, bar: float) -> Check:
    value, interval, cases = found
    if not interval.is_known:
        return Check(model, condition, value, interval, "undecided", cases)
    decision: Decision = "pass" if interval.low >= bar else "fail" if interval.high < bar else "undecided"
    return Check(model, condition, value, interval, decision, cases)
