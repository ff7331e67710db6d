"""Quantity: a number with its unit, or none given."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.registry import built
from tests.support.looped import looped

OPEN = built({"kind": "quantity", "unit": "US dollars a year"})
YEARS = built({"kind": "quantity", "unit": "years", "least": 0, "most": 40})


@pytest.mark.parametrize(
    ("answer", "shown", "value"),
    [(80_000, "80,000", 80_000), (0, "0", 0), (-2.5, "-2.5", -2.5), (-0.0, "0", 0), (1e15, "1e+15", 1e15)],
)
def test_a_number_is_read_with_its_unit(answer: float, shown: str, value: float) -> None:
    """Whole or not; there is no minus zero."""
    reading = OPEN.read(answer, applies=False)
    assert reading == ParsedAnswer("answered", f"{shown} US dollars a year", float(value))
    assert str(reading.value)[0] != "-" or value < 0


def test_none_given_means_that_the_question_does_not_arise() -> None:
    """It is no 0, and no judge's failure."""
    assert OPEN.read("none_given", applies=False) == ParsedAnswer("not_applicable")
    assert "none_given" in OPEN.instructions()
    assert OPEN.answer_form(applies=False) == '<a number> or "none_given" or "unclear"'
    assert OPEN.answer_form(applies=True) == '<a number> or "none_given" or "unclear" or "not_applicable"'


@looped(
    ("answer", "problem"),
    [
        pytest.param("80000", "neither a number nor one of none_given, unclear", id="number in quotation marks"),
        pytest.param("80,000", "neither a number", id="with a separator"),
        pytest.param("about 80", "neither a number", id="words"),
        pytest.param(True, "neither a number", id="flag"),
        pytest.param(None, "neither a number", id="null"),
        pytest.param([80], "neither a number", id="list"),
        pytest.param({"low": 1, "high": 2}, "neither a number", id="range"),
        pytest.param("", "neither a number", id="empty"),
        pytest.param("None_given", "neither a number", id="wrong case"),
        pytest.param(float("nan"), "too large", id="no number"),
        pytest.param(float("inf"), "too large", id="without end"),
        pytest.param(10**400, "too large", id="more than a float holds"),
        pytest.param(-(10**16), "too large", id="a slip below"),
    ],
)
def test_anything_else_is_refused(answer: Any, problem: str) -> None:
    """Numbers are not read out of words."""
    with pytest.raises(InvalidAnswerError, match=problem):
        OPEN.read(answer, applies=False)


@pytest.mark.parametrize("answer", [-1, 40.5, 400])
def test_what_cannot_be_is_refused(answer: float) -> None:
    """Bounds are part of the question; the judge is told what was wrong."""
    with pytest.raises(InvalidAnswerError, match="cannot be in years"):
        YEARS.read(answer, applies=False)


def test_bounds_are_known_where_both_are_set() -> None:
    """Without them there is no share of a range, and so no score."""
    half = built({"kind": "quantity", "unit": "years", "least": 0})
    assert (OPEN.bounds, half.bounds, YEARS.bounds) == (None, None, (0.0, 40.0))


@pytest.mark.parametrize(("values", "value"), [([3], 3), ([1, 2], 1.5), ([1, 2, 1000], 2)])
def test_the_median_decides(values: list[float], value: float) -> None:
    """One judge's slip of a digit does not."""
    assert OPEN.combine(values) == value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "unit: it is missing"),
        ({"unit": " "}, "unit: it is empty"),
        ({"unit": "years", "least": 2, "most": 2}, r"least \(2\) must be below most \(2\)"),
        ({"unit": "years", "least": float("-inf"), "most": 2}, "least: it must be a number"),
        ({"unit": "years", "most": "2"}, "most: it must be a number"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    """Before any conversation is held."""
    with pytest.raises(ValueError, match=message):
        built({"kind": "quantity", **settings})
