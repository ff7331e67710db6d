"""Pass rates on all cases of a reference: no model and no conversation is lost, and no run may stop early."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from helm_impactbench.analysis.gate import GateCheck, at_least, at_most
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.gate_reasons import Reasons, reasons
from helm_impactbench.analysis.reference import reference_rates
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN
from tests.support.outcomes import outcome

BASES = 24
HARMFUL = "m02"
"""The metric of a behaviour to avoid; m01 is of a wanted one."""


def met(model: str, bases: range = range(BASES), metrics: tuple[str, ...] = ("m01", HARMFUL)) -> list[Outcome]:
    """Return a conversation on each base scenario of each metric, three of four of which pass."""
    return [
        outcome(base % 4 > 0, model=model, metric_id=metric,
                metric_type="negative" if metric == HARMFUL else "positive",
                base_id=f"{metric}_s{base:03d}", variant_id=f"{metric}_s{base:03d}_v01")
        for metric in metrics for base in bases
    ]  # fmt: skip


OLD = [*met("old-a"), *met("old-b")]


def edited(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the same conversations on reworded cases, all failed."""
    return [replace(o, content=f"{o.content}, reworded", score=0.0, value=0.0) for o in outcomes]


def early(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the same from a run that may stop early."""
    return [
        replace(o, draw=Draw(place=place, of=100, size=1, most=1, conversations=100, bar=0.5))
        for place, o in enumerate(outcomes, start=1)
    ]


def decisions(checks: list[GateCheck]) -> dict[str, str]:
    """Return decisions by model."""
    return {check.model: check.decision for check in checks}


def test_conversations_on_cases_that_the_reference_lacks_leave_a_condition_open() -> None:
    """All that match pass and all that do not fail: the gate must not pass on the rest. Each counts once."""
    half = [replace(o, score=1.0) for o in met("new", range(12))]
    assert decisions(at_least(half, "pass_rate", 0.7, reference=OLD)) == {"new": "pass"}
    changed = [*half, *edited(met("new", range(12, BASES)))]
    checks = [*at_least(changed, "pass_rate", 0.7, reference=OLD), *at_most(changed, "pass_rate", 0.99, reference=OLD)]
    assert [(check.decision, math.isnan(check.value)) for check in checks] == [("undecided", True)] * 2
    assert reasons(checks, changed, OLD) == Reasons(0, 0, 0, 0, 0, 0, no_match=2, unmatched=24)


def test_a_metric_on_reworded_cases_is_no_metric_that_was_left_out() -> None:
    """What was drawn, in whatever words, was meant to be there."""
    (rate,) = reference_rates([*met("new", metrics=("m01",)), *edited(met("new", metrics=(HARMFUL,)))], OLD)
    assert (rate.left_out, rate.unmatched) == ((), BASES)


def test_a_case_that_two_judges_read_is_matched_twice() -> None:
    """Two set-ups of the same cases: nothing is missing from the reference."""
    twice = [*met("new", range(12)), *(replace(o, setup=f"{o.setup}2") for o in met("new", range(12)))]
    (rate,) = reference_rates(twice, OLD)
    assert (rate.matched, rate.unmatched) == (24, 0)


def test_a_model_without_a_conversation_of_the_kind_is_undecided() -> None:
    """It is not left out of the conditions, whether or not another model has some; a reference without a case is."""
    wanted_only = met("new-b", metrics=("m01",))
    for suite in ([*met("new-a"), *wanted_only], wanted_only):
        checks = at_most(suite, "negative_pass_rate", 0.99, reference=OLD)
        assert decisions(checks)["new-b"] == "undecided"
        assert len(checks) == len({o.model for o in suite})
        assert reasons(checks, suite, OLD).no_case == 1
    for nothing in ([], edited(OLD)):
        with pytest.raises(ImpactBenchError, match="No case of the suite is in the reference"):
            at_least(wanted_only, "pass_rate", 0.1, reference=nothing)


def test_what_is_left_out_is_said_of_each_model() -> None:
    """One model met both metrics, the other one of them: its rate is on that metric alone."""
    found = {rate.model: rate for rate in reference_rates([*met("a"), *met("b", metrics=("m01",))], OLD)}
    assert {model: rate.left_out for model, rate in found.items()} == {"a": (), "b": ("mini: metric m02",)}
    assert (found["a"].cases, found["b"].cases) == (2 * BASES, BASES)


@pytest.mark.parametrize("side", ["own", "reference"])
def test_runs_that_may_stop_early_are_not_estimated(side: str) -> None:
    """Their cases depend on what was found on them: no interval, and the gate says why."""
    own, others = (early(met("new")), OLD) if side == "own" else (met("new"), early(met("old-a")))
    (rate,) = reference_rates(own, others)
    assert rate.may_stop_early
    assert (rate.interval, rate.all_cases_interval, rate.like_these_interval) == (UNKNOWN,) * 3
    assert math.isnan(rate.value)
    checks = at_least(own, "pass_rate", 0.1, reference=others)
    assert decisions(checks) == {"new": "undecided"}
    assert reasons(checks, own, others) == Reasons(0, 0, 0, 0, 0, 0, early=1)


@pytest.mark.parametrize("which", ["now", "before"])
def test_a_baseline_with_runs_that_may_stop_early_is_undecided(which: str) -> None:
    """In simulations, 18 benchmarks that lost .03 passed --max-drop 0.03 in 59% of suites."""
    now, before = (early(met("a")), met("a")) if which == "now" else (met("a"), early(met("a")))
    checks = not_worse(now, before, 0.3)
    assert decisions(checks) == {"a": "undecided"}
    assert reasons(checks, now) == Reasons(0, 0, 0, 0, 0, 0, early=1)


@pytest.mark.parametrize("quantity", ["pass_rate", "unscored"])
def test_rows_have_one_order(quantity: str) -> None:
    """By name, whatever the value."""
    worse = [replace(o, score=0.0) for o in met("a")]
    assert [check.model for check in at_least([*met("c"), *met("b"), *worse], quantity, 0.5)] == ["a", "b", "c"]
    if quantity == "pass_rate":
        checks = at_least([*met("c"), *met("b"), *worse], quantity, 0.5, reference=OLD)
        assert [check.model for check in checks] == ["a", "b", "c"]
