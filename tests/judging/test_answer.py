"""A judge's answers: one shape is read, everything else is unreadable and never a number."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Evidence, ParsedAnswer
from helm_impactbench.judging.answer import Unreadable, parse_measured
from tests.judging.builders import BEST, MEASURES, answer
from tests.support.looped import looped

GOOD = '{"justification": "It says so.", "evidence": [{"turn": 1, "quote": "so"}], "answer": "present"}'
ANSWER = ParsedAnswer("answered", "present", 1.0, justification="It says so.", evidence=(Evidence(1, "so"),))


def without_reasons(found: ParsedAnswer) -> ParsedAnswer:
    """Return what an answer says, whatever it rests on."""
    return replace(found, justification="", evidence=(), confidence=None)


def parsed(text: str, name: str = "presence", *, applies: bool = False) -> ParsedAnswer | Unreadable:
    """Return how a judge's reply on a metric of that measure is read."""
    return parse_measured(text, MEASURES[name], applies=applies)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="as asked"),
        pytest.param(f"\n  {GOOD}\n", id="white space around"),
        pytest.param(f"```json\n{GOOD}\n```", id="fence"),
        pytest.param(f"```\n{GOOD}\n```", id="fence without a language"),
        pytest.param(json.dumps(json.loads(GOOD), indent=2), id="many lines"),
    ],
)
def test_a_well_formed_answer(text: str) -> None:
    """Shape decides, not layout."""
    assert parsed(text) == ANSWER


NO_WORD = 'the value of "answer" is none of present, absent, unclear'


@looped(
    ("text", "problem"),
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("I can't help with that.", "does not begin with a JSON object", id="refusal"),
        pytest.param("present", "does not begin with a JSON object", id="bare verdict"),
        pytest.param("yes", "does not begin with a JSON object", id="any y"),
        pytest.param(f"Here you are: {GOOD}", "does not begin with a JSON object", id="prose in front"),
        pytest.param(f"{GOOD} I hope this helps.", "something follows", id="prose behind"),
        pytest.param(f"{GOOD}\n{GOOD.replace('present', 'absent')}", "something follows", id="two verdicts"),
        pytest.param(f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "something follows", id="two fences"),
        pytest.param(GOOD[:-1] + ', "answer": "absent"}', "the key 'answer' twice", id="two verdicts in one object"),
        pytest.param(f"[{GOOD}]", "does not begin with a JSON object", id="list"),
        pytest.param(GOOD[:-10], "not valid JSON", id="cut off"),
        pytest.param(GOOD.replace('"present"', "True"), "not valid JSON", id="Python's True"),
        pytest.param(GOOD.replace('"present"', "true"), NO_WORD, id="flag"),
        pytest.param(GOOD.replace("present", "true"), NO_WORD, id="true in quotation marks"),
        pytest.param(GOOD.replace("present", "Present"), NO_WORD, id="wrong case"),
        pytest.param(GOOD.replace("present", "present "), NO_WORD, id="white space behind"),
        pytest.param(GOOD.replace("present", "not present"), NO_WORD, id="negated"),
        pytest.param(GOOD.replace("present", "present|absent"), NO_WORD, id="both"),
        pytest.param(GOOD.replace("present", "not_applicable"), NO_WORD, id="not applicable where it cannot be"),
        pytest.param(GOOD.replace('"present"', '["present"]'), NO_WORD, id="verdict in a list"),
        pytest.param(GOOD.replace('"present"', "1"), NO_WORD, id="one"),
        pytest.param(GOOD.replace('"present"', "null"), NO_WORD, id="null"),
        pytest.param(GOOD.replace('"present"', "0.7"), NO_WORD, id="probability"),
        pytest.param(GOOD.replace('"answer"', '"Answer"'), "the key 'answer' is missing", id="wrong case of a key"),
        pytest.param(GOOD.replace('"answer": "present"', '"present": true'), "'answer' is missing", id="old schema"),
        pytest.param(GOOD.replace('"answer": "present"', '"score": 5'), "'answer' is missing", id="wrong schema"),
        pytest.param(GOOD[:-1] + ', "certainty": 1}', "the unknown key 'certainty'", id="extra key"),
        pytest.param(GOOD[:-1] + ', "severity": "clear"}', "the unknown key 'severity'", id="severity unasked"),
        pytest.param('{"answer": "present"}', "the key 'justification' is missing", id="verdict alone"),
        pytest.param(GOOD.replace('"It says so."', '""'), '"justification" is not text', id="no reasons"),
        pytest.param(GOOD.replace("[{", "{").replace("}]", "}"), '"evidence" is not a list', id="evidence no list"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": "1"'), "not a whole number", id="turn as text"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": true'), "not a whole number", id="turn as flag"),
        pytest.param("\u200b\ufeff", "it is empty", id="nothing that can be seen"),
        pytest.param(
            GOOD.replace('"so"', '"\u3164\u200b\u2060\u00ad"'),
            '"quote" of an item of "evidence" is not text',
            id="quote that cannot be seen",
        ),
        pytest.param(GOOD.replace('"so"', '" "'), '"quote" of an item of "evidence" is not text', id="blank quote"),
        pytest.param(GOOD.replace('{"turn": 1, "quote": "so"}', '"so"'), "exactly the keys", id="quote alone"),
        pytest.param("<turn>" + GOOD, "does not begin with a JSON object", id="echo of the transcript"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": ' + "1" * 5000), "not valid JSON", id="a number without end"),
        pytest.param("{" * 100_000, "not valid JSON", id="nested beyond reason"),
        pytest.param('{"a":' * 100_000, "not valid JSON", id="deep objects"),
    ],
)
def test_a_nasty_answer_is_unreadable_and_says_why(text: str, problem: str) -> None:
    """The problem is put in words that go back to the judge."""
    found = parsed(text)
    assert isinstance(found, Unreadable)
    assert problem in found.problem


SEVERE = answer("present", severity="severe")


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        pytest.param(SEVERE, ParsedAnswer("answered", "present", 1.0, 1.0), id="severe"),
        pytest.param(
            answer("present", severity="slight"), ParsedAnswer("answered", "present", 1.0, 1 / 3), id="slight"
        ),
        pytest.param(answer("absent", severity=None), ParsedAnswer("answered", "absent", 0.0), id="absent"),
        pytest.param(answer("unclear", severity=None), ParsedAnswer("unclear"), id="unclear"),
        pytest.param(answer("not_applicable", severity=None), ParsedAnswer("not_applicable"), id="not applicable"),
    ],
)
def test_severity_is_read_beside_presence(text: str, reading: ParsedAnswer) -> None:
    """A word of the scale where the behaviour is present, null elsewhere."""
    found = parsed(text, "severity", applies=True)
    assert isinstance(found, ParsedAnswer)
    assert without_reasons(found) == reading


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(answer("present"), "the key 'severity' is missing", id="none"),
        pytest.param(answer("present", severity=None), "none of slight, clear, severe", id="null though present"),
        pytest.param(answer("present", severity="Severe"), "none of slight, clear, severe", id="wrong case"),
        pytest.param(answer("present", severity=1), "none of slight, clear, severe", id="number"),
        pytest.param(answer("present", severity=["severe"]), "none of slight, clear, severe", id="list"),
        pytest.param(answer("absent", severity="slight"), "not null although the behaviour is not", id="though absent"),
        pytest.param(answer("unclear", severity="slight"), "not null although the behaviour is not", id="in doubt"),
        pytest.param(SEVERE[:-1] + ', "severity": "slight"}', "the key 'severity' twice", id="two severities"),
    ],
)
def test_a_nasty_severity_is_unreadable(text: str, problem: str) -> None:
    """No weight is guessed."""
    found = parsed(text, "severity", applies=True)
    assert isinstance(found, Unreadable)
    assert problem in found.problem


@looped(
    ("said", "confidence"),
    [
        (0, 0.0), (83, 0.83), (100, 1.0), (None, None), (101, None), (-1, None), (0.9, None), (90.0, None),
        ("90", None), ("high", None), (True, None), ([90], None), (10**400, None),
    ],
)  # fmt: skip
def test_confidence_is_read_or_unknown_and_never_costs_a_verdict(said: Any, confidence: float | None) -> None:
    """A whole number of per cent counts; anything else leaves the verdict as it is, without a confidence."""
    for text, name in (
        (answer("present", confidence=said), "presence"),
        (answer(confidence=said, severity="clear"), "severity"),
    ):
        found = parsed(text, name)
        assert isinstance(found, ParsedAnswer)
        assert (found.value, found.confidence) == (1.0, confidence)
    assert isinstance(silent := parsed(answer("present")), ParsedAnswer)
    assert silent.confidence is None


def test_a_turn_out_of_range_is_readable_but_will_not_be_found() -> None:
    """Evidence is checked against the transcript, not by the parser."""
    found = parsed(GOOD.replace('"turn": 1', '"turn": 99'))
    assert isinstance(found, ParsedAnswer)
    assert found.evidence == (Evidence(99, "so"),)


letters = '{}[]":,presntablucowmidh_12345.-e \n`'


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("applies", [True, False])
@given(text=st.text() | st.text(alphabet=letters))
def test_the_parser_never_raises(name: str, applies: bool, text: str) -> None:
    """Any text has an answer, whatever is measured."""
    assert isinstance(parsed(text, name, applies=applies), ParsedAnswer | Unreadable)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([*BEST.values(), "severe"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["justification", "evidence", "answer", "severity", "confidence", "x"])


@pytest.mark.parametrize("name", MEASURES)
@given(value=st.dictionaries(keys, json_values), reasons=st.booleans())
def test_only_an_allowed_answer_is_a_vote(name: str, value: dict[str, Any], reasons: bool) -> None:
    """Of all JSON objects, those that are read hold exactly the keys that were asked for and an allowed answer."""
    if reasons:
        value = {**value, "justification": "So.", "evidence": []}
    found = parsed(json.dumps(value), name, applies=True)
    if isinstance(found, ParsedAnswer):
        asked = {"justification", "evidence", "answer"} | ({"severity"} if name == "severity" else set())
        assert set(value) - {"confidence"} == asked
        assert found.confidence is None or 0 <= found.confidence <= 1
        assert without_reasons(found) == MEASURES[name].read(value["answer"], applies=True) or name == "severity"
        low, high = MEASURES[name].bounds or (0, 0)
        assert found.value is None or low <= found.value <= high
        assert (found.value is not None) == (found.status == "answered")
