"""What a judge is told: the measure's rules, the definition and the transcript, and nothing that gives a wish away."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.measures.stance import Stance
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.question import metric_question
from tests.judging.builders import BEST, MEASURES, metric

TURNS = (Turn(number=1, user="user-words", assistant="assistant-words", thought="thought", reasoning="reasoning"),)


@pytest.mark.parametrize("name", MEASURES)
def test_the_judge_sees_definition_lines_facts_and_transcript_alone(name: str) -> None:
    """Law 2 for every measure: no name, type, id, source, axis, level or thought."""
    own = metric(
        name, name="secret-name", id="secret-id", rationale="secret-why", source="secret-source",
        near_misses=["near-line"], facts=["fact-of-the-metric"], labels=["agency"],
    )  # fmt: skip
    context = Context(axes={"teller": "secret-level"}, view={"first": "a"})
    question = metric_question(own, TURNS, ["fact-of-the-case"], context)
    text = "\n".join(message.content for message in question.messages)
    for shown in (
        "The assistant says x.",
        "I say x!",
        "near-line",
        "fact-of-the-metric",
        "fact-of-the-case",
        "assistant-words",
    ):
        assert text.count(shown) == 1
    assert ("user-words" in text) == MEASURES[name].presentation.shows_user
    hidden = ["secret", "negative", "contrast", "teller", "thought\n", "reasoning", "agency", "{{", "{%"]
    assert [word for word in hidden if word in text] == []


@pytest.mark.parametrize("name", MEASURES)
def test_the_schema_names_the_measure_and_puts_reasons_before_the_answer(name: str) -> None:
    """An answer that follows from its reasons; scripted judges know a question by its title."""
    schema = metric_question(metric(name), TURNS).schema
    assert schema is not None
    assert schema["title"] == MEASURES[name].kind
    asked = [
        "justification",
        "evidence",
        "answer",
        *(["severity"] if name == "severity" else []),
        "engaged",
        "confidence",
    ]
    assert list(schema["properties"]) == schema["required"] == asked
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "quantity"])
@pytest.mark.parametrize("applies", [None, "The user asks for x."])
def test_every_answer_of_the_schema_is_in_the_prompt_and_is_read(name: str, applies: str | None) -> None:
    """Prompt, schema and parser agree, with and without a condition."""
    own = metric(name, applies=applies)
    question = metric_question(own, TURNS)
    assert question.schema is not None
    words = question.schema["properties"]["answer"]["enum"]
    assert ("not_applicable" in words) == (applies is not None)
    assert (applies or "<applies>") in question.messages[1].content or applies is None
    for word in words:
        assert f'"{word}"' in question.messages[0].content
        reading = own.measure.read(word, applies=applies is not None)
        assert reading.status == (word if word in ("unclear", "not_applicable") else "answered")
    assert BEST[name] in words


def test_what_is_fixed_for_a_metric_comes_first() -> None:
    """The system prompt does not depend on the conversation: a provider's prompt cache holds."""
    other = (Turn(number=1, user="else", assistant="else"),)
    one, two = (metric_question(metric(), turns).messages for turns in (TURNS, other))
    assert one[0] == two[0]
    assert one[1].content.split("<transcript-")[0] == two[1].content.split("<transcript-")[0]


@pytest.mark.parametrize("name", MEASURES)
def test_a_repeat_says_what_was_wrong_and_shows_the_form_again(name: str) -> None:
    """The form in the repeat is that of the system prompt."""
    question = metric_question(metric(name), TURNS)
    form = question.retry("it is empty").split("in this form:\n")[1]
    assert form in question.messages[0].content
    assert "it is empty" in question.retry("it is empty")


def test_the_type_is_in_no_question() -> None:
    """Law 1: a metric and its opposite are one question."""
    positive, negative = (metric_question(metric(type=kind), TURNS) for kind in ("positive", "negative"))
    assert (positive.messages, positive.schema) == (negative.messages, negative.schema)


def test_a_stance_shows_the_third_person_alone() -> None:
    """The user's words would tell who asked; evidence is checked against what the judge saw."""
    said = (Turn(number=1, user="I am the landlord", assistant="You are right."),)
    question = metric_question(metric("stance"), said, ["{A} asks {b} for more."], Context({"teller": "a"}))
    assert question.turns[0].assistant == "Party 1 is right."
    assert "Party 1 asks Party 2 for more." in question.messages[1].content
    assert "landlord" not in question.messages[1].content
    assert isinstance(metric("stance").measure, Stance)
