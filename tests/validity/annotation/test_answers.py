"""Which answers people may give: those of the judge, whatever the measure."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.measures.base import Context, InvalidAnswerError
from helm_impactbench.validity.annotation.answers import SheetAnswers, answers_of, read_answer
from tests.judging.builders import metric


@pytest.mark.parametrize(
    ("measure", "changes", "expected"),
    [
        pytest.param("presence", {}, SheetAnswers(("present", "absent", "unclear"), number=False), id="presence"),
        pytest.param("presence", {"applies": "It is about money."},
                     SheetAnswers(("present", "absent", "unclear", "not_applicable"), number=False),
                     id="with a condition"),
        pytest.param("scale", {}, SheetAnswers(("low", "mid", "top", "unclear"), number=False), id="points"),
        pytest.param("stance", {}, SheetAnswers(
            ("party_2", "leans_party_2", "balanced", "leans_party_1", "party_1", "unclear"), number=False), id="sides"),
        pytest.param("quantity", {}, SheetAnswers(("none_given", "unclear"), number=True), id="a number"),
    ],
)  # fmt: skip
def test_the_measure_says_what_may_be_answered(measure: str, changes: dict[str, Any], expected: SheetAnswers) -> None:
    """No measure is named in the sheet: a new one brings its answers along."""
    assert answers_of(metric(measure, **changes)) == expected


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        pytest.param(("present", "absent", "unclear"), "pau", id="letters"),
        pytest.param(("low", "mid", "top", "unclear", "not_applicable"), "lmtux", id="with statuses"),
        pytest.param(("party_2", "balanced", "party_1", "unclear"), "123u", id="digits where letters repeat"),
        pytest.param(("none_given", "unclear"), "1u", id="digits where a letter is taken"),
    ],
)
def test_every_answer_has_a_key_of_its_own(words: tuple[str, ...], keys: str) -> None:
    """First letters, or digits where two begin alike or the page uses the letter otherwise."""
    assert list(SheetAnswers(words, number=False).keys.values()) == list(keys)


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        pytest.param("presence", "absent", 0.0, id="absent"),
        pytest.param("scale", "mid", 1.0, id="a point"),
        pytest.param("stance", "leans_party_1", 0.5, id="a side"),
        pytest.param("quantity", "250", 250.0, id="a whole number"),
        pytest.param("quantity", "0.5", 0.5, id="a fraction"),
    ],
)
def test_an_answer_is_read_as_a_judges_is(measure: str, text: str, value: float) -> None:
    """The same numbers come out."""
    assert read_answer(text, metric(measure), Context()).value == value


def test_a_side_is_told_in_the_terms_of_the_scenario() -> None:
    """Party 1 is party b where the view says so, and where the names are exchanged."""
    own = metric("stance")
    values = [
        read_answer("party_1", own, Context(view={"first": first}, swap=swap)).value
        for first in "ab"
        for swap in (False, True)
    ]
    assert values == [1.0, -1.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("measure", "text", "words"),
    [
        pytest.param("presence", "yes", "is not an answer. Write present / absent / unclear", id="unknown word"),
        pytest.param("presence", "presnt", "Did you mean present?", id="mistyped"),
        pytest.param(
            "presence", "not_applicable", "is not an answer. Write present / absent", id="where it always applies"
        ),
        pytest.param("quantity", "45,000", "without separators or unit", id="a separator"),
        pytest.param("quantity", "$45", "is not an answer. Write a number", id="a unit"),
        pytest.param("quantity", "1e3", "is not an answer. Write a number", id="an exponent"),
        pytest.param("quantity", "nan", "is not an answer. Write a number", id="no number"),
        pytest.param("quantity", "2000", "which cannot be in US dollars", id="beyond the ends"),
    ],
)
def test_what_is_not_allowed_is_refused(measure: str, text: str, words: str) -> None:
    """With what was got and what is allowed."""
    with pytest.raises(InvalidAnswerError) as caught:
        read_answer(text, metric(measure), Context())
    assert words in str(caught.value)
