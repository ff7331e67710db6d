"""People's answers read back: what a spreadsheet may do to them, and every mistake with its line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.validity.annotation.answers import read_answer
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.reading import Annotation, read_annotations
from helm_impactbench.validity.annotation.sheet import sheet_csv
from tests.judging.builders import metric
from tests.validity.annotation.builders import reader, readers, view

ITEMS = readers("c1aa", "c2bb", "c3cc")
PLAIN = "item_id,answer,note,annotator\nc1aa,present,,ann\nc2bb,absent,why,ann\nc3cc,,,ann\n"


def words(found: list[Annotation]) -> list[tuple[str, str, str]]:
    """Return (person, item, word)."""
    return [(one.person, one.item_id, one.word) for one in found]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(PLAIN.encode(), id="plain"),
        pytest.param(b"\xef\xbb\xbf" + PLAIN.encode(), id="byte order mark"),
        pytest.param(PLAIN.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(PLAIN.replace(",", ";").encode(), id="semicolons"),
        pytest.param(PLAIN.replace(",", "\t").encode("utf-16"), id="UTF-16 with tabs"),
        pytest.param(PLAIN.replace("why", "Größe").encode("cp1252"), id="cp1252"),
        pytest.param(
            PLAIN.replace("present", " Present ").replace("item_id", "ITEM_ID").encode(), id="case and spaces"
        ),
        pytest.param((PLAIN + ",,,\n\n").encode(), id="empty rows"),
        pytest.param(PLAIN.replace("why", '"=1+1, ""x""\nnext line"').encode(), id="quoted"),
        pytest.param(PLAIN.replace("c3cc,,,ann", "c3cc").encode().replace(b"c3cc", b"c3cc,,,ann"), id="short row"),
    ],
)
def test_what_a_spreadsheet_does_to_a_file_is_undone(tmp_path: Path, content: bytes) -> None:
    """The same answers come out of every form."""
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert words(read_annotations([path], ITEMS)) == [
        ("ann", "c1aa", "present"),
        ("ann", "c2bb", "absent"),
        ("ann", "c3cc", ""),
    ]


def test_a_filled_in_sheet_is_read_and_the_file_is_the_person(tmp_path: Path) -> None:
    """sheet.csv with its transcripts and one answer; without a column annotator the file is called as the person is."""
    text = sheet_csv([("c1aa", view("x" * 200_000)), ("c2bb", view())])
    (tmp_path / "bo.csv").write_text(text[: -len('"",""\r\n')] + '"unclear",""\r\n', encoding="utf-8-sig", newline="")
    assert words(read_annotations([tmp_path / "bo.csv"], ITEMS)) == [("bo", "c1aa", ""), ("bo", "c2bb", "unclear")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "is empty", id="empty"),
        pytest.param("item_id,answer\n", "No answer in", id="header only"),
        pytest.param("item_id,answer\nc1aa,\n", "all 1 rows are empty", id="nothing answered"),
        pytest.param("item,label\nc1aa,present\n", "line 1: the header lacks the column 'item_id'", id="no id"),
        pytest.param("item_id,anser\nc1aa,present\n", "Did you mean anser?", id="mistyped column"),
        pytest.param("item_id,answer,answer\nc1aa,present,x\n", "has twice the column 'answer'", id="column twice"),
        pytest.param("item_id,answer\nc1aa,yes\n", "line 2: 'yes' is not an answer. Write present", id="unknown word"),
        pytest.param("item_id,answer\nc1aa,presnt\n", "Did you mean present?", id="mistyped word"),
        pytest.param("item_id,answer\nc1aa,present\nc9zz,absent\n", "line 3: no item 'c9zz'", id="unknown item"),
        pytest.param("item_id,answer\nc1aa,present\nc1aa,absent\n", "line 3: x answered c1aa before", id="twice"),
        pytest.param('item_id,answer,note\nc1aa,present,"open\nc2bb,absent,\n', "line 2: the row that begins there",
                     id="open quotation mark"),
        pytest.param("PK\x03\x04...", "save it as CSV UTF-8", id="workbook"),
        pytest.param("a\nb\n", "lacks the column", id="something else"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    """One error with file, line, what is allowed; the file stays as it was."""
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(AnnotationError) as caught:
        read_annotations([path], ITEMS)
    assert message in str(caught.value)
    assert path.read_text() == content


def test_the_line_is_that_of_the_file_when_notes_have_many_lines(tmp_path: Path) -> None:
    """Line numbers count lines and not rows."""
    path = tmp_path / "x.csv"
    path.write_text('item_id,answer,note\nc1aa,present,"a\nb\nc"\nc2bb,maybe,\n')
    with pytest.raises(AnnotationError, match="line 5: 'maybe' is not an answer"):
        read_annotations([path], ITEMS)


def test_all_mistakes_are_told_at_once_up_to_ten(tmp_path: Path) -> None:
    """A person corrects a file once and not ten times."""
    path = tmp_path / "x.csv"
    path.write_text("item_id,answer\n" + "".join(f"z{n},present\n" for n in range(14)))
    with pytest.raises(AnnotationError) as caught:
        read_annotations([path], ITEMS)
    assert str(caught.value).count("no item") == 10
    assert "and 4 more" in str(caught.value)


def test_files_of_the_same_name_are_different_people(tmp_path: Path) -> None:
    """Two sheet.csv in two folders, without names in them."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sheet.csv").write_text("item_id,answer\nc1aa,present\n")
    found = read_annotations([tmp_path / "one/sheet.csv", tmp_path / "two/sheet.csv"], ITEMS)
    assert len({one.person for one in found}) == 2


def test_one_person_in_two_files_is_one_person(tmp_path: Path) -> None:
    """Half and half is fine; the same item in both is not."""
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("item_id,answer,annotator\nc1aa,present,ann\n")
    second.write_text("item_id,answer,annotator\nc2bb,present,ann\n")
    assert {one.person for one in read_annotations([first, second], ITEMS)} == {"ann"}
    second.write_text("item_id,answer,annotator\nc1aa,absent,ann\n")
    with pytest.raises(AnnotationError, match=r"ann answered c1aa before, in .*a\.csv, line 2"):
        read_annotations([first, second], ITEMS)


@given(st.binary(max_size=200))
def test_no_bytes_end_in_anything_but_an_answer_or_our_own_error(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes
) -> None:
    """The reader meets whatever is on a disk."""
    path = tmp_path_factory.mktemp("junk") / "x.csv"
    path.write_bytes(b"item_id,answer\nc1aa,present\n" + junk)
    with suppress(AnnotationError):
        assert read_annotations([path], ITEMS)


def test_every_item_is_read_by_its_own_measure(tmp_path: Path) -> None:
    """A sheet may mix presence, sides and numbers; a word of one is wrong for another."""
    mixed = {"c1aa": reader(), "c2bb": reader("stance"), "c3cc": reader("quantity")}
    path = tmp_path / "x.csv"
    path.write_text("item_id,answer\nc1aa,present\nc2bb,balanced\nc3cc,250\n")
    readings = [one.reading for one in read_annotations([path], mixed)]
    assert [reading.value for reading in readings if reading] == [1.0, 0.0, 250.0]
    path.write_text("item_id,answer\nc1aa,balanced\nc2bb,present\nc3cc,5\n")
    with pytest.raises(AnnotationError) as caught:
        read_annotations([path], mixed)
    assert "line 2: 'balanced' is not an answer. Write present" in str(caught.value)
    assert "line 3: 'present' is not an answer. Write party_2" in str(caught.value)


def test_the_guard_against_formulas_is_taken_away_on_reading(tmp_path: Path) -> None:
    """A number below zero and a person whose name begins with "=" come back as they were given."""
    own = metric().model_copy(update={"measure": built({"kind": "quantity", "unit": "points", "least": -10})})
    below_zero = {"c1aa": lambda text: read_answer(text, own, Context())}
    path = tmp_path / "x.csv"
    path.write_text('item_id,answer,annotator\n"c1aa","\'-5","\'=ann"\n')
    (found,) = read_annotations([path], below_zero)
    assert (found.word, found.person, found.reading and found.reading.value) == ("-5", "=ann", -5)
