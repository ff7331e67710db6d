"""A run without a verdict is told from its statistics."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.helm.missing_verdicts import no_verdict


def stat(name: str, total: float, count: int, sub_split: str = "adult") -> dict[str, Any]:
    """Return a statistic as stats.json has it."""
    return {"name": {"name": name, "split": "test", "sub_split": sub_split}, "count": count, "sum": total}


FAILED = [
    stat("unscored", 3, 3),
    stat("unscored", 1, 2, "child"),
    stat("not_applicable", 1, 2, "child"),
    stat("unscored_target_error", 3, 3),
    stat("unscored_judge_error", 1, 2, "child"),
    stat("unscored_simulator_error", 0, 5),
]


def test_reasons_are_counted_the_most_frequent_first() -> None:
    """Over all sub-splits; a question that did not arise is not a verdict either."""
    found = no_verdict("impactbench:x", FAILED)
    assert found is not None
    assert found.line == (
        "impactbench:x has no figures, because none of its 5 conversations has a verdict (target_error: 3, "
        "judge_error: 1, not_applicable: 1)."
    )


@pytest.mark.parametrize(
    ("reason", "is_failure"), [("target_error", True), ("not_judged", False), ("panel_tie", False)]
)
def test_only_failed_calls_are_a_failure(reason: str, is_failure: bool) -> None:
    """A run that waits for its judge, or whose judges disagree, has done what it could."""
    found = no_verdict("x", [stat("unscored", 3, 3), stat(f"unscored_{reason}", 3, 3)])
    assert found is not None
    assert found.is_failure is is_failure


@pytest.mark.parametrize(("reason", "is_failure"), [("target_error", True), ("judge_error", False)])
def test_judges_that_answer_later_have_not_failed(reason: str, is_failure: bool) -> None:
    """Their verdicts come with the batch; a target that failed has failed."""
    found = no_verdict("x", [stat("unscored", 3, 3), stat(f"unscored_{reason}", 3, 3)], deferred=True)
    assert found is not None
    assert found.is_failure is is_failure


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param([*FAILED, stat("unscored", 0, 1, "teenager")], id="one verdict"),
        pytest.param([stat("exact_match", 1, 3)], id="another suite"),
        pytest.param([stat("unscored", 0, 0)], id="no conversation"),
    ],
)
def test_other_runs_are_not_named(stats: list[dict[str, Any]]) -> None:
    """One verdict is enough, and runs that count nothing unscored are none of ours."""
    assert no_verdict("run", stats) is None
