"""What an author model writes, read with care."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.authoring.replies import objects_in, one_object


@pytest.mark.parametrize(
    ("text", "objects", "problem"),
    [
        pytest.param('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}], "", id="list"),
        pytest.param('{"metrics": [{"a": 1}, {"b": 2}]}', [{"a": 1}, {"b": 2}], "", id="wrapped list"),
        pytest.param('```json\n[{"a": 1}]\n```', [{"a": 1}], "", id="fence"),
        pytest.param('Sure! Here: [{"a": 1}] Enjoy.', [{"a": 1}], "", id="prose around"),
        pytest.param('[{"a": 1}, {"b": 2}, {"c"', [{"a": 1}, {"b": 2}], "broken or cut-off", id="cut off"),
        pytest.param('{"metrics": [{"a": 1}, {"b":', [{"a": 1}], "broken or cut-off", id="wrapped and cut off"),
        pytest.param("", [], "is empty", id="empty"),
        pytest.param("I cannot do that.", [], "no complete JSON object", id="refusal"),
        pytest.param("[1, 2]", [], "no complete JSON object", id="no objects"),
    ],
)
def test_every_whole_object_of_a_reply_is_kept(text: str, objects: list[dict[str, Any]], problem: str) -> None:
    """What can be used is used; what broke is said."""
    found, said = objects_in(text)
    assert found == objects
    assert problem in said
    assert bool(problem) == bool(said)


@given(st.text(alphabet='{}[]":,ab1 \\'))
def test_reading_a_reply_never_raises(text: str) -> None:
    """Any text has an answer."""
    assert isinstance(objects_in(text)[0], list)
    assert isinstance(one_object(text)[1], str)
