"""A run without a verdict is told from its statistics."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.helm.missing_verdicts import missing_line


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
    assert missing_line("impactbench:x", FAILED) == (
        "impactbench:x has no figures, because none of its 5 conversations has a verdict (target_error: 3, "
        "judge_error: 1, not_applicable: 1)."
    )


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
    assert missing_line("run", stats) is None
