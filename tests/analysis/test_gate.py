"""The gate: it decides on bounds, not on values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from helm_impactbench.analysis.gate import at_least, at_most
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.widest_gap import units_apart
from helm_impactbench.results.outcome import Outcome
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import contrast_outcome, outcome


def decisions(checks: list[Any]) -> list[str]:
    """Return the decisions of checks."""
    return [check.decision for check in checks]


def test_the_gate_decides_on_bounds() -> None:
    """A rate above the bar is not enough; the bound has to be."""
    many, few = [PASSED] * 95 + [FAILED] * 5, [PASSED] * 9 + [FAILED]
    assert decisions(at_least(row(many), "pass_rate", 0.85)) == ["pass"]
    assert decisions(at_least(row(few), "pass_rate", 0.85)) == ["undecided"]
    assert decisions(at_least(row(few), "pass_rate", 0.995)) == ["fail"]
    assert decisions(at_least(row(many), "negative_pass_rate", 0.1)) == ["undecided"]
    assert decisions(at_most(row([PASSED] * 100), "unscored", 0.05)) == ["pass"]
    assert decisions(at_most(row([PASSED] * 80 + [MISSING] * 20), "unscored", 0.05)) == ["fail"]
    assert decisions(at_least(row([MISSING] * 3), "pass_rate", 0.0)) == ["undecided"]


def test_missing_verdicts_come_in_base_scenarios() -> None:
    """20 of 200 unscored are less certain where ten scenarios have them all than where each has its own."""
    alone = row([PASSED] * 180 + [MISSING] * 20)
    together = [replace(each, base_id=f"s{place // 10}") for place, each in enumerate(alone)]
    one, other = (at_most(found, "unscored", 0.16)[0] for found in (alone, together))
    assert (one.decision, other.decision) == ("pass", "undecided")
    assert one.value == other.value == 0.1


def test_a_model_whose_calls_broke_does_not_pass_on_the_rest() -> None:
    """33 of 72 without a verdict, the rest passing: no bar is cleared unless those are to be left out."""
    broken = row([PASSED] * 39 + [MISSING] * 33)
    assert decisions(at_least(broken, "pass_rate", 0.8)) == ["fail"]
    assert decisions(at_least(broken, "pass_rate", 0.8, leave_out=True)) == ["pass"]
    assert decisions(not_worse(broken, row([PASSED] * 72), 0.2)) == ["fail"]
    assert decisions(not_worse(broken, row([PASSED] * 72), 0.2, leave_out=True)) == ["pass"]
    failing = row([FAILED] * 39 + [MISSING] * 33)
    assert decisions(at_most(failing, "pass_rate", 0.2)) == ["fail"]
    assert decisions(at_most(failing, "pass_rate", 0.2, leave_out=True)) == ["pass"]


def test_the_gate_against_a_baseline() -> None:
    """Unchanged passes, a sure loss fails, a margin holds when the interval says so, a new model is undecided."""
    before = row([PASSED] * 40)
    assert decisions(not_worse(before, before, 0.0)) == ["pass"]
    assert decisions(not_worse(before, before, 0.2)) == ["pass"]
    worse = row([FAILED] * 20 + [PASSED] * 20)
    assert decisions(not_worse(worse, before, 0.0)) == ["fail"]
    assert decisions(not_worse(worse, before, 0.45)) == ["undecided"]
    assert decisions(not_worse(row([PASSED], model="new"), before, 0.0)) == ["undecided"]


def sides(model: str, when_a: float, when_b: float, bases: int = 40) -> list[Outcome]:
    """Return a model's outcomes on a contrast metric, the same values in every base scenario."""
    return [
        contrast_outcome(value, level, f"base_{base}", model=model)
        for base in range(bases)
        for level, value in (("a", when_a), ("b", when_b))
    ]


def test_a_gap_is_bounded_in_both_directions() -> None:
    """An even-handed model clears the bar; one that flatters and one that contradicts miss it alike."""
    data = [*sides("even", 0.5, 0.5), *sides("flatters", 1, -1), *sides("contradicts", -1, 1)]
    checks = {check.model: check for check in at_most(data, "contrast_gap_size", 0.2)}
    assert {model: (check.value, check.decision, check.scope) for model, check in checks.items()} == {
        "even": (0.0, "pass", "sides"),
        "flatters": (1.0, "fail", "sides"),
        "contradicts": (1.0, "fail", "sides"),
    }
    assert {check.model: check.decision for check in at_most(data, "both_sides_rate", 0.2)} == {
        "even": "pass", "flatters": "fail", "contradicts": "pass",
    }  # fmt: skip


def test_missing_values_of_contrasts_count_against_the_bar() -> None:
    """Half of the answers to one side are missing: the even rest passes only when they are left out."""
    data = [replace(o, value=None, status="unscored", unscored="target_error") if place % 4 == 0 else o
            for place, o in enumerate(sides("even", 0, 0, 60))]  # fmt: skip
    for quantity, bar in (("contrast_gap_size", 0.15), ("both_sides_rate", 0.15), ("agree_rate", 0.15)):
        (strict,), (rest,) = (at_most(data, quantity, bar, leave_out=leave_out) for leave_out in (False, True))
        assert (strict.decision, rest.decision) == ("pass" if quantity == "both_sides_rate" else "fail", "pass")
    (gap,) = at_most(data, "contrast_gap_size", 0.2)
    assert (gap.value, gap.cases) == (0.25, 60)
    (dollars,) = at_most([replace(o, bounds=None) for o in data], "contrast_gap_size", 5)
    assert dollars.decision == "undecided"


def test_areas_and_contrasts_are_decided_each_for_itself() -> None:
    """Safety does not make up for impact, and a suite of contrasts has no pass rate to hold a bar against."""
    data = [*row([FAILED] * 40), *row([PASSED] * 40, benchmark="xstest", area="safety")]
    assert [(c.scope, c.decision) for c in at_least(data, "pass_rate", 0.5)] == [("impact", "fail"), ("safety", "pass")]
    assert [(c.cases, c.decision) for c in at_least(sides("m", 1, 1), "pass_rate", 0.5)] == [(0, "undecided")]


def test_statuses_are_shares_of_the_conversations() -> None:
    """Not applicable is not a missing verdict; unclear is one, and is counted by itself as well."""
    silent = [
        outcome(None, status=status, unscored=None, base_id=f"s{n}", variant_id=f"s{n}")
        for n, status in enumerate(["not_applicable"] * 20 + ["unclear"] * 10)
    ]
    data = [*row([PASSED] * 60), *silent]
    values = {name: at_most(data, name, 1.0)[0].value for name in ("not_applicable", "unclear", "unscored")}
    assert values == {"not_applicable": 20 / 90, "unclear": 10 / 90, "unscored": 10 / 70}


def test_a_gap_in_dollars_is_not_lost_among_other_metrics() -> None:
    """The widest gap of a benchmark that has a metric in dollars is undecided, not that of the other metrics."""
    fair = sides("even", 0, 0, 60)
    (alone,) = at_most(fair, "contrast_gap_size", 0.3)
    paid = [replace(o, metric_id="pays", value=1000.0 * place, bounds=None) for place, o in enumerate(fair)]
    (both,) = at_most(fair + paid, "contrast_gap_size", 0.3)
    assert (alone.decision, both.decision) == ("pass", "undecided")
    assert units_apart(fair) == units_apart(paid) == []
    assert units_apart(fair + paid) == [paid[0].metric]
