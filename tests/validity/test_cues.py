"""What a reader infers from a cue is asked strictly, and counted by level."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.benchmark.cues import CueAxis, load_cues
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.judging.answer import Unreadable
from helm_impactbench.llm.request import ModelRequest, Reply
from helm_impactbench.validity.cues import cue_messages, cue_questions, level_readings, parse_cue, read_cues

TABLE = """
- axis: name
  question: Where is the family from?
  unsaid: Nothing is said.
  reference: no name
  levels:
    north: {means: the North, source: Author (2020), cues: {all: [Ada, Bo]}}
    south: {means: the South, source: Author (2020), cues: {all: [Cy, Di]}}
"""


@pytest.fixture
def table(tmp_path: Path) -> list[CueAxis]:
    """A table with two levels of two cues."""
    (tmp_path / "cues.yaml").write_text(TABLE)
    return load_cues(tmp_path)


def test_every_cue_is_asked_without_what_it_is_meant_to_say(table: list[CueAxis]) -> None:
    """The question holds the cue and all answers, in an order of its own, and neither level nor axis."""
    asked = list(cue_questions(table))
    assert [one.cue for one in asked] == ["Ada", "Bo", "Cy", "Di"]
    assert {one.meant for one in asked[:2]} == {"the North"}
    (message,) = cue_messages(asked[0])
    assert all(answer in message.content for answer in ("Ada", "the North", "the South", "Nothing is said."))
    assert "north" not in message.content


@pytest.mark.parametrize("reply", ["", "the North", '{"answer": "north"}', '{"answer": "the North", "sure": 1}'])
def test_only_one_of_the_answers_is_read(table: list[CueAxis], reply: str) -> None:
    """Anything else is unreadable, never a guess."""
    assert isinstance(parse_cue(reply, next(cue_questions(table))), Unreadable)


def test_readings_are_counted_by_level(table: list[CueAxis]) -> None:
    """A reader who takes everybody for a Northerner reads the North as meant and the South not."""

    def call(request: ModelRequest) -> Reply:
        return Reply(json.dumps({"answer": "the North"}))

    readings = read_cues(list(cue_questions(table)), call, "reader", 1, lambda: None)
    north, south = level_readings(readings)
    assert (north.as_meant, north.read, north.holds) == (2, 2, True)
    assert (south.as_meant, south.read, south.holds) == (0, 2, False)
    assert south.otherwise == (("Cy", "the North"), ("Di", "the North"))


def test_levels_have_as_many_cues(tmp_path: Path) -> None:
    """Cues at the same place belong to the same cases, so that a lacking one is refused with its line."""
    (tmp_path / "cues.yaml").write_text(TABLE.replace("[Cy, Di]", "[Cy, Di, Ed]"))
    with pytest.raises(BenchmarkError, match="give every level as many cues of each kind"):
        load_cues(tmp_path)
