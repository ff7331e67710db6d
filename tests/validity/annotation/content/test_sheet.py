"""What an expert sees, and what only the key knows."""

from __future__ import annotations

import csv
import html
import io
from pathlib import Path

import pytest

from helm_impactbench.validity.annotation.content.key import load_content_key
from helm_impactbench.validity.annotation.content.page import cases_html
from helm_impactbench.validity.annotation.content.reading import COLUMNS as ANSWERS
from helm_impactbench.validity.annotation.content.sheet import (
    COLUMNS,
    content_csv,
    draw_content_sheet,
    write_content_sheet,
)
from helm_impactbench.validity.annotation.errors import AnnotationError
from tests.validity.annotation.content.builders import benchmark, metric

TOLD = metric(
    "m01", exclusions=["thanks"], applies="It is about x.", facts=["=1+1"], rationale="Secret why", source="Secret book"
)
OWN = benchmark("mini", TOLD, scenario={"user_context": "At home."})


def test_a_row_is_the_case_as_written_with_empty_answers() -> None:
    """Definition, exclusions, condition, facts, setting, person, goal, course and reply; nothing is filled in."""
    sheet = draw_content_sheet([OWN], 1, 0)
    ((item_id, view),) = sheet.items
    (row,) = csv.DictReader(io.StringIO(content_csv(sheet.items), newline=""))
    assert tuple(row) == COLUMNS
    assert row == {
        "item_id": item_id, "definition": "The assistant does m01.", "exclusions": "1. thanks",
        "applies": "It is about x.", "facts": "1. =1+1", "setting": "At home.", "person": view.person,
        "goal": view.goal, "course": "Message 2: Ask again.\n(6 messages of the person in all)",
        "sample_reply": view.reply, **dict.fromkeys(ANSWERS, ""),
    }  # fmt: skip
    assert view.reply


def test_the_sheet_is_blind() -> None:
    """No name, type, id, hidden goal, rationale, source; of the metric's lines, only the one that is asked about."""
    text = content_csv(draw_content_sheet([OWN], 1, 0).items)
    assert not [secret for secret in ("ecret", "positive", "m01_s", "present", "mini") if secret in text]
    assert sum(line in text for line in ("shows m01 a", "shows m01 b", "nearly m01")) == 1


def test_the_page_to_read_has_each_case_and_nothing_in_it_runs() -> None:
    """All that the sheet has of a case, as text; no more than that, and no script."""
    sheet = draw_content_sheet(
        [benchmark("mini", metric("m01", definition="It <script>alert(1)</script> does."))], 4, 0
    )
    page = cases_html(sheet.items)
    for item_id, view in sheet.items:
        assert f'<h2 id="{item_id}">' in page
        shown = (view.person, view.goal, *view.course, view.reply)
        assert all(text in html.unescape(page) for text in shown)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not [secret for secret in ("ecret", "positive", "m01_s", "mini") if secret in page]


def test_the_key_reads_back_and_a_sheet_is_never_overwritten(tmp_path: Path) -> None:
    """What was written is what is loaded; a second sheet in the folder is refused."""
    sheet = draw_content_sheet([OWN], 4, 0)
    write_content_sheet(sheet, tmp_path / "s")
    assert load_content_key(tmp_path / "s") == sheet.key
    with pytest.raises(AnnotationError, match="there may be answers in it"):
        write_content_sheet(sheet, tmp_path / "s")


def test_a_broken_key_is_named(tmp_path: Path) -> None:
    """A key of content with a fault in it is not taken for one of conversations."""
    path = tmp_path / "key.json"
    path.write_text('{"content": {}, "sheet": "s", "seed": 0}')
    with pytest.raises(AnnotationError, match="is not a key of a sheet"):
        load_content_key(path)
