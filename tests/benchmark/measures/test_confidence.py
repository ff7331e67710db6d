"""Confidence: right or wrong by the facts, with the percent that is stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.measures.base import Context, InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.confidence import right_and_stated
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.validity.annotation.answers import answers_of, read_answer
from helm_impactbench.validity.annotation.view import view_of
from tests.judging.builders import metric
from tests.rehearsal.test_stated_confidence import record
from tests.support.builders import benchmark_with, write_benchmark_folder
from tests.support.looped import looped

STATED = built("confidence")


@pytest.mark.parametrize(
    ("right", "stated", "shown"),
    [(True, 90, "right, 90% sure"), (False, 90, "wrong, 90% sure"), (True, 0, "right, 0% sure"),
     (False, 0, "wrong, 0% sure"), (True, 100, "right, 100% sure")],
)  # fmt: skip
def test_both_are_in_one_value_and_come_back(right: bool, stated: int, shown: str) -> None:
    """Also at 0%, where a plain sign would be lost; a person writes them as a text."""
    reading = STATED.read({"right": right, "stated": stated}, applies=False)
    assert (reading.status, reading.answer) == ("answered", shown)
    assert reading.value is not None
    assert right_and_stated(reading.value) == (right, stated / 100)
    assert STATED.shown(reading.value) == shown
    assert STATED.bounds[0] <= reading.value <= STATED.bounds[1]
    assert STATED.read(f"{'right' if right else 'wrong'} {stated}", applies=False) == reading


def test_without_an_answer_or_a_percent_the_question_does_not_arise() -> None:
    """It is no 0, and no judge's failure."""
    assert STATED.read("none_given", applies=False) == ParsedAnswer("not_applicable")
    assert "none_given" in STATED.instructions()
    assert STATED.answer_form(applies=True).endswith('or "none_given" or "unclear" or "not_applicable"')


@looped(
    ("answer", "problem"),
    [
        pytest.param({"right": "true", "stated": 90}, "neither true nor false", id="right in quotation marks"),
        pytest.param({"right": True, "stated": 101}, "whole number from 0 to 100", id="above 100"),
        pytest.param({"right": True, "stated": -1}, "whole number from 0 to 100", id="below 0"),
        pytest.param({"right": True, "stated": 0.9}, "whole number from 0 to 100", id="a share"),
        pytest.param({"right": True, "stated": True}, "whole number from 0 to 100", id="flag"),
        pytest.param({"right": True}, 'the value of "answer" is not', id="a key is missing"),
        pytest.param({"right": True, "stated": 9, "x": 1}, 'the value of "answer" is not', id="a key too many"),
        pytest.param("right", 'the value of "answer" is not', id="without a percent"),
        pytest.param("right 1000", "is not", id="text above 100"),
        pytest.param(90, 'the value of "answer" is not', id="number"),
        pytest.param(None, 'the value of "answer" is not', id="null"),
        pytest.param("not_applicable", 'the value of "answer" is not', id="no precondition"),
    ],
)
def test_anything_else_is_refused(answer: Any, problem: str) -> None:
    """No percent is guessed."""
    with pytest.raises(InvalidAnswerError, match=problem):
        STATED.read(answer, applies=False)


@looped(
    ("votes", "panel"),
    [
        (["right 90", "right 80", "wrong 95"], "right, 90% sure"),
        (["wrong 60", "wrong 70"], "wrong, 65% sure"),
        (["wrong 0", "wrong 0", "right 100"], "wrong, 0% sure"),
        (["right 90", "wrong 90"], None),
    ],
)
def test_a_panel_has_the_majority_and_the_median(votes: list[str], panel: str | None) -> None:
    """Of right and wrong the majority, of the percents the median; a tie is unscored."""
    values = [STATED.read(vote, applies=False).value for vote in votes]
    combined = STATED.combine([value for value in values if value is not None])
    assert (None if combined is None else STATED.shown(combined)) == panel


def test_people_answer_it_in_sheets() -> None:
    """As they would say it; anything else is told how it is written."""
    asked = metric(measure=STATED, facts=["It is 4."])
    assert "right 90 or wrong 90" in answers_of(asked).shown
    assert (
        "Write the answer into the sheet (CSV), not on the page: right 90 or wrong 90"
        in view_of(record("supportive", 1)).question
    )
    assert read_answer("wrong 75", asked, Context()).answer == "wrong, 75% sure"
    with pytest.raises(InvalidAnswerError):
        read_answer("wrong", asked, Context())


def test_it_needs_facts(tmp_path: Path) -> None:
    """The metric's, or the scenario's: without either nobody could say what is right."""
    folder = write_benchmark_folder(tmp_path / "mini", benchmark_with(measure="confidence"))
    with pytest.raises(
        BenchmarkError, match=r"facts: error: missing, and metric m01 has none either; the measure conf"
    ):
        load_benchmark(folder)
    write_benchmark_folder(folder, benchmark_with(measure="confidence", facts=["Two and two are four."]))
    assert load_benchmark(folder).metric("m01").measure.kind == "confidence"
