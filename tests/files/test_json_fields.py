"""Only the fields that are asked for are built; everything else is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.files.json_fields import MOST_BUILT, First, read_fields

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(
    value=st.dictionaries(st.sampled_from(["a", "b", "id", 'q"\\', ""]) | st.text(max_size=3), VALUES),
    wide=st.booleans(),
)
def test_what_is_read_is_what_json_reads(value: dict[str, Any], wide: bool) -> None:
    """For any object, however it is written."""
    text = json.dumps(value, indent=2 if wide else None, ensure_ascii=wide)
    needed = {name: value[name] for name in ("a", "id") if name in value}
    assert read_fields(text, {"a": None, "id": None}) == needed
    assert read_fields(text, dict.fromkeys(value)) == value


def test_fields_of_fields_and_the_first_of_a_list() -> None:
    """What has another kind than expected is returned whole."""
    fields = {"a": {"b": None}, "c": First({"d": None})}
    assert read_fields('{"a": {"b": 1, "x": 2}, "c": [{"d": 3, "x": 4}, {"d": 5}]}', fields) == {
        "a": {"b": 1}, "c": [{"d": 3}],
    }  # fmt: skip
    assert read_fields('{"a": [1], "c": {"d": 3}}', fields) == {"a": [1], "c": {"d": 3}}
    assert read_fields('{"c": []}', fields) == {"c": []}
    assert read_fields("[1, 2]", fields) == [1, 2]


def test_the_last_of_two_fields_of_one_name_counts() -> None:
    """As in json; also where the name is written with escapes."""
    assert read_fields('{"id": 1, "x": 2, "i\\u0064": 3}', {"id": None}) == {"id": 3}


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a"}', '{"a":}', "[1, 2", '{"a": 1 "b": 2}', "{,}", '{"b": "open', '{"b": [1, {"c": 2}', "nul",
     '{"a": nul}', "{} {}", '{"a": 1}]', '{"b": tru]'],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    """Where it shows: inside values that nobody needs only strings and brackets are looked at."""
    with pytest.raises(ValueError):  # noqa: PT011  # the words of json or our own
        read_fields(text, {"a": None})


def test_what_is_too_deep_or_too_long_to_be_built_is_null() -> None:
    """Nobody's words are 5,000 levels deep; texts have no limit here."""
    assert read_fields(f'{{"a": {"[" * 5000}{"]" * 5000}}}', {"a": None}) == {"a": None}
    assert read_fields(f'{{"a": [{"1," * MOST_BUILT}1]}}', {"a": None}) == {"a": None}
    assert read_fields(f'{{"a": "{"x" * 3 * MOST_BUILT}"}}', {"a": None}) == {"a": "x" * 3 * MOST_BUILT}
    assert read_fields(f'{{"a": {"9" * 5000}}}', {"a": None}) == {"a": float("inf")}


def test_a_text_that_was_made_to_cost_time_is_refused() -> None:
    """After a million pieces."""
    with pytest.raises(ValueError, match="too many nested values"):
        read_fields('{"x": [' + '[["a"],[[1]]],' * 600_000 + "1]}", {"a": None})
