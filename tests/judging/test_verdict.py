"""A judge's answers: one shape is read, everything else is unreadable and never a number."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.judging.verdict import Answer, Evidence, Unreadable, parse_answer

GOOD = '{"justification": "It says so.", "evidence": [{"turn": 1, "quote": "so"}], "present": true}'
ANSWER = Answer(True, "It says so.", (Evidence(1, "so"),))


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
    assert parse_answer(text) == ANSWER


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("I can't help with that.", "does not begin with a JSON object", id="refusal"),
        pytest.param("true", "does not begin with a JSON object", id="bare verdict"),
        pytest.param("yes", "does not begin with a JSON object", id="any y"),
        pytest.param(f"Here you are: {GOOD}", "does not begin with a JSON object", id="prose in front"),
        pytest.param(f"{GOOD} I hope this helps.", "something follows", id="prose behind"),
        pytest.param(f"{GOOD}\n{GOOD.replace('true', 'false')}", "something follows", id="two verdicts"),
        pytest.param(f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "something follows", id="two fences"),
        pytest.param(GOOD[:-1] + ', "present": false}', "the key 'present' twice", id="two verdicts in one object"),
        pytest.param(f"[{GOOD}]", "does not begin with a JSON object", id="list"),
        pytest.param(GOOD[:-10], "not valid JSON", id="cut off"),
        pytest.param(GOOD.replace("true", "True"), "not valid JSON", id="Python's True"),
        pytest.param(GOOD.replace("true", '"true"'), "neither true nor false", id="true in quotation marks"),
        pytest.param(GOOD.replace("true", '"false"'), "neither true nor false", id="false in quotation marks"),
        pytest.param(GOOD.replace("true", "1"), "neither true nor false", id="one"),
        pytest.param(GOOD.replace("true", "null"), "neither true nor false", id="null"),
        pytest.param(GOOD.replace("true", "0.7"), "neither true nor false", id="probability"),
        pytest.param(GOOD.replace('"present"', '"Present"'), "the key 'present' is missing", id="wrong case of a key"),
        pytest.param(GOOD.replace('"present": true', '"score": 5'), "'present' is missing", id="wrong schema"),
        pytest.param(GOOD[:-1] + ', "confidence": 1}', "the unknown key 'confidence'", id="extra key"),
        pytest.param('{"present": true}', "the key 'justification' is missing", id="verdict alone"),
        pytest.param(GOOD.replace('"It says so."', '""'), '"justification" is no text', id="no reasons"),
        pytest.param(GOOD.replace("[{", "{").replace("}]", "}"), '"evidence" is no list', id="evidence no list"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": "1"'), "no whole number", id="turn as text"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": true'), "no whole number", id="turn as flag"),
        pytest.param(GOOD.replace('"so"', '" "'), '"quote" of an item of "evidence" is no text', id="blank quote"),
        pytest.param(GOOD.replace('{"turn": 1, "quote": "so"}', '"so"'), "exactly the keys", id="quote alone"),
        pytest.param("<turn>" + GOOD, "does not begin with a JSON object", id="echo of the transcript"),
        pytest.param(GOOD.replace('"turn": 1', '"turn": ' + "1" * 5000), "not valid JSON", id="a number without end"),
        pytest.param("{" * 100_000, "not valid JSON", id="nested beyond reason"),
        pytest.param('{"a":' * 100_000, "not valid JSON", id="deep objects"),
    ],
)
def test_a_nasty_answer_is_unreadable_and_says_why(text: str, problem: str) -> None:
    """The problem is put in words that go back to the judge."""
    parsed = parse_answer(text)
    assert isinstance(parsed, Unreadable)
    assert problem in parsed.problem


def test_a_turn_out_of_range_is_readable_but_will_not_be_found() -> None:
    """Evidence is checked against the transcript, not by the parser."""
    assert parse_answer(GOOD.replace('"turn": 1', '"turn": 99')) == Answer(True, "It says so.", (Evidence(99, "so"),))


@given(st.text() | st.text(alphabet='{}[]":,truefalsn0 \n`'))
def test_the_parser_never_raises(text: str) -> None:
    """Any text has an answer."""
    assert isinstance(parse_answer(text), Answer | Unreadable)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["justification", "evidence", "present", "x"]), json_values))
def test_only_a_real_flag_is_a_vote(value: dict[str, object]) -> None:
    """Of all JSON objects, those that are read hold exactly the three keys and a true flag."""
    parsed = parse_answer(json.dumps(value))
    if isinstance(parsed, Answer):
        assert set(value) == {"justification", "evidence", "present"}
        assert value["present"] is parsed.present
