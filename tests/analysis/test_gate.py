"""The gate: it decides on bounds, not on values."""

from __future__ import annotations

from typing import Any

from helm_impactbench.analysis.gate import at_least, at_most, not_worse
from tests.analysis.builders import FAILED, MISSING, PASSED, row


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


def test_the_gate_against_a_baseline() -> None:
    """Unchanged passes, a sure loss fails, a margin holds when the interval says so, a new model is undecided."""
    before = row([PASSED] * 40)
    assert decisions(not_worse(before, before, 0.0)) == ["pass"]
    assert decisions(not_worse(before, before, 0.2)) == ["pass"]
    worse = row([FAILED] * 20 + [PASSED] * 20)
    assert decisions(not_worse(worse, before, 0.0)) == ["fail"]
    assert decisions(not_worse(worse, before, 0.45)) == ["undecided"]
    assert decisions(not_worse(row([PASSED], model="new"), before, 0.0)) == ["undecided"]
