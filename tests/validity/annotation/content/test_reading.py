"""Experts' answers from the files that they hand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.validity.annotation.content.reading import read_answers
from helm_impactbench.validity.annotation.errors import AnnotationError
from tests.validity.annotation.content.builders import item, write_answers

ITEMS = (item(1), item(2, "absent"), item(3, None))


def test_answers_are_read_and_gaps_stay_gaps(tmp_path: Path) -> None:
    """Points, verdicts in any case, a comment alone; a row without anything is not an answer."""
    path = write_answers(tmp_path / "ann.csv", {
        "c1": ["5", "4", "", " Present ", "3", ""], "c2": ["", "", "", "", "", "Why?"], "c3": [""] * 6,
    })  # fmt: skip
    first, second = read_answers([path], ITEMS)
    assert (first.person, first.verdict, first.agrees) == ("ann", "present", True)
    assert [first.points(name) for name in ("relevance", "clarity", "realism", "confidence")] == [5, 4, None, 3]
    assert (second.verdict, second.agrees, second.comment) == (None, None, "Why?")


def test_unclear_is_a_verdict_that_is_not_the_intended_one(tmp_path: Path) -> None:
    """So that doubt never raises the share."""
    (answer,) = read_answers([write_answers(tmp_path / "a.csv", {"c1": ["", "", "", "unclear", "", ""]})], ITEMS)
    assert (answer.verdict, answer.agrees) == ("unclear", False)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(
            {"c1": ["6", "", "", "", "", ""]}, "line 2, relevance: '6' is not an answer. Write 1, 2", id="six"
        ),
        pytest.param({"c1": ["4.5", "", "", "", "", ""]}, "line 2, relevance: '4.5' is not", id="between points"),
        pytest.param({"c1": ["", "", "", "presnt", "", ""]}, "line 2, verdict: 'presnt'.* Did you mean", id="mistyped"),
        pytest.param(
            {"c3": ["", "", "", "absent", "", ""]}, "has no sample reply. Leave the cell empty", id="no reply"
        ),
        pytest.param({"c9": ["5", "", "", "", "", ""]}, "line 2: no item 'c9' in this key", id="unknown item"),
        pytest.param({"c1": [""] * 6}, "No answer in", id="empty"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, rows: dict[str, list[str]], message: str) -> None:
    """File, line, column, what was got and what is allowed."""
    with pytest.raises(AnnotationError, match=message):
        read_answers([write_answers(tmp_path / "a.csv", rows)], ITEMS)


def test_a_missing_column_and_an_item_twice_are_refused(tmp_path: Path) -> None:
    """A sheet of conversations handed in by mistake, and a row that was copied."""
    (tmp_path / "x.csv").write_text("item_id,answer\nc1,present\n")
    with pytest.raises(AnnotationError, match="lacks the column 'relevance'"):
        read_answers([tmp_path / "x.csv"], ITEMS)
    path = write_answers(tmp_path / "a.csv", {"c1": ["5", "5", "5", "present", "5", ""]})
    path.write_text(path.read_text() + "c1,D.,4,4,4,absent,4,\n")
    with pytest.raises(AnnotationError, match="answered c1 before"):
        read_answers([path], ITEMS)
