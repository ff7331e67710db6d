"""The gate says what a model lacks, what it did not compare, whose judges differ, and which loss it leaves open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from helm_impactbench.analysis.commands.gate import Conditions, gate
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, MISSING, PASSED, row


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


def test_a_baseline_of_other_judges_decides_nothing() -> None:
    """`compare` does not compare them either; bars of the suite's own are decided."""
    before = row([PASSED] * 40)
    other = [replace(each, votes=(JudgeVote("k", 1.0, "answered", True),)) for each in before]
    result = gate(reading_of(other), Conditions(["pass_rate=0.5"], max_drop=0.2), baseline=reading_of(before))
    assert [line["decision"] for line in result.tables[0].rows] == ["pass", "undecided"]
    assert "model-a: other judges in the baseline" in " ".join(result.notes)
    assert result.verdict is not None
    assert "1 cannot be decided because other judges judged the baseline" in result.verdict.sentence
    assert "other judges" not in notes(before, before, 0.2)


def test_a_pass_without_a_limit_says_which_loss_it_leaves_open() -> None:
    """Eight conversations find no loss; that is no proof that there is none."""
    before, now = row([PASSED] * 8), row([PASSED] * 7 + [FAILED])
    assert "One of up to 0." in notes(now, before)
    assert "not ruled out" not in notes(row([PASSED] * 60), row([PASSED] * 60), 0.2)


def test_a_model_that_lacks_a_benchmark_of_others_is_named() -> None:
    """Its mean is over other benchmarks than theirs, as `compare` says, and passes the same bar."""
    both = [*row([PASSED] * 40), *row([PASSED] * 40, benchmark="second")]
    with_other = [*both, *row([PASSED] * 40, model="model-b")]
    low = Conditions(lowest=["pass_rate=0.5"])
    said = [note for note in gate(reading_of(with_other), low).notes if "lacks" in note]
    assert said == ["model-b lacks second, which other models have: its pass rate is over other cases."]
    assert not [note for note in gate(reading_of(both), low).notes if "lacks" in note]
    missing = Conditions(highest=["unscored=0.5"])
    assert not [note for note in gate(reading_of(with_other), missing).notes if "lacks" in note]


def test_what_is_left_out_is_counted() -> None:
    """A benchmark without a verdict has no part in a rate that passes."""
    half = reading_of([*row([PASSED] * 40), *row([MISSING] * 40, benchmark="second")])
    kept = gate(half, Conditions(lowest=["pass_rate=0.5"], unscored="leave-out"))
    assert kept.verdict is not None
    assert kept.verdict.exit_code == 0
    assert "model-a: 40 of 80 conversations left out, without a verdict, among them all of second." in kept.notes
