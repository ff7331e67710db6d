"""A gate with a baseline says what it did not compare, whose judges differ, and which loss it leaves open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from helm_impactbench.analysis.commands.gate import Conditions, gate
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, PASSED, row


def notes(now: list[Outcome], before: list[Outcome], most_drop: float | None = None) -> str:
    """Return what the gate says below its table, which passes."""
    result = gate(
        reading_of(now), Conditions(max_drop=most_drop), baseline=replace(reading_of(before), folder=Path("old"))
    )
    assert result.verdict is not None
    assert result.verdict.exit_code == 0
    return " ".join(result.notes)


def test_cases_that_the_new_suite_lacks_are_named() -> None:
    """A benchmark that was not run again, and a quarter of another; of the same cases nothing is said."""
    before = [*row([PASSED] * 40), *row([PASSED] * 12, benchmark="other")]
    assert "model-a: 22 conversations of the baseline old not compared" in notes(before[:30], before, 0.2)
    assert "10 of 40 of mini and 12 of 12 of other." in notes(before[:30], before, 0.2)
    assert "not compared" not in notes(before, before[:30], 0.2)


def test_a_baseline_of_other_judges_is_named() -> None:
    """What `compare` does not compare at all is not passed without a word."""
    before = row([PASSED] * 40)
    other = [replace(each, votes=(JudgeVote("k", 1.0, "answered", True),)) for each in before]
    assert "model-a: other judges in the baseline" in notes(other, before, 0.2)
    assert "other judges" not in notes(before, before, 0.2)


def test_a_pass_without_a_limit_says_which_loss_it_leaves_open() -> None:
    """Eight conversations find no loss; that is no proof that there is none."""
    before, now = row([PASSED] * 8), row([PASSED] * 7 + [FAILED])
    assert "One of up to 0." in notes(now, before)
    assert "not ruled out" not in notes(row([PASSED] * 60), row([PASSED] * 60), 0.2)
