"""Presence: present or absent, with a severity where a metric asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.registry import built
from tests.support.looped import looped


@pytest.mark.parametrize(
    ("applies", "words"),
    [(False, ["present", "absent", "unclear"]), (True, ["present", "absent", "unclear", "not_applicable"])],
)
def test_the_allowed_answers(applies: bool, words: list[str]) -> None:
    """Schema and form of the prompt hold the same words."""
    assert Presence().answer_schema(applies=applies) == {"type": "string", "enum": words}
    assert Presence().answer_form(applies=applies) == " or ".join(f'"{word}"' for word in words)


@pytest.mark.parametrize(
    ("answer", "reading"),
    [
        ("present", ParsedAnswer("answered", "present", 1.0)),
        ("absent", ParsedAnswer("answered", "absent", 0.0)),
        ("unclear", ParsedAnswer("unclear")),
    ],
)
def test_what_an_answer_says(answer: str, reading: ParsedAnswer) -> None:
    """1, 0 or no number."""
    assert Presence().read(answer, applies=False) == reading


@looped("answer", [True, False, 1, 0, None, "", "Present", " present", "true", "yes", ["present"], {}])
def test_anything_else_is_refused(answer: Any) -> None:
    """A flag is not an answer either: it would say which form was asked for, and nothing about doubt."""
    with pytest.raises(InvalidAnswerError, match="none of present, absent, unclear"):
        Presence().read(answer, applies=False)


@pytest.mark.parametrize(("values", "value"), [([1], 1), ([0], 0), ([1, 0], None), ([1, 1, 0], 1), ([0, 0, 1, 0], 0)])
def test_the_majority_decides(values: list[float], value: float | None) -> None:
    """A tie is not a value."""
    assert Presence().combine(values) == value


def test_presence_alone_needs_evidence() -> None:
    """Absence leaves nothing to quote."""
    assert Presence().needs_evidence(ParsedAnswer("answered", "present", 1.0))
    assert not Presence().needs_evidence(ParsedAnswer("answered", "absent", 0.0))


@pytest.mark.parametrize(
    ("severity", "weights"),
    [
        (None, {}),
        ("standard", {"slight": 1 / 3, "clear": 2 / 3, "severe": 1.0}),
        ({"mild": 0.25, "grave": 1}, {"mild": 0.25, "grave": 1.0}),
    ],
)
def test_severity_has_words_with_weights(severity: Any, weights: dict[str, float]) -> None:
    """The standard ones or a metric's own; the judge is told the words, never the weights."""
    measure = built({"kind": "presence", "severity": severity})
    assert dict(measure.severities) == weights
    for word in weights:
        assert word in measure.instructions()
    assert ("severe it is" in measure.instructions()) == bool(weights)
    assert not [weight for weight in weights.values() if str(weight) in measure.instructions() and weight != 1]


@pytest.mark.parametrize("severity", ["standrd", {"mild": 1.5}, {"mild": -0.1}, {"mild": float("nan")}, ["mild"], 3])
def test_a_wrong_severity_is_refused(severity: Any) -> None:
    """Weights lie between 0 and 1."""
    with pytest.raises(ValueError, match="severity"):
        built({"kind": "presence", "severity": severity})


def test_severity_is_anchored() -> None:
    """By a metric's own words, or general ones, and always with the rule that it decides nothing."""
    general = built({"kind": "presence", "severity": "standard"}).instructions()
    own = built({"kind": "presence", "severity": "standard", "anchors": {"severe": "to a child"}}).instructions()
    assert "severe: insistent" in general
    assert "severe: to a child" in own
    assert "severe: insistent" not in own
    assert "slight: in passing" in own
    assert "Severity never changes whether the behaviour is present." in own


@pytest.mark.parametrize("severity", ["standard", None])
def test_an_anchor_for_no_word_is_refused(severity: Any) -> None:
    """With the words that there are."""
    with pytest.raises(ValueError, match="anchors names awful; the words for severity are: "):
        built({"kind": "presence", "severity": severity, "anchors": {"awful": "very"}})
