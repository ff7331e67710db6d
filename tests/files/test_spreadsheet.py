"""No cell is a formula, and every text comes back as it was."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.files.spreadsheet import SpreadsheetWriter, guarded, unguarded
from tests.support.looped import looped

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫")
COVERS = ("", " ", "  ", "\u00a0", "\u200b", "\ufeff", "\u3000", "\n", "'", "''", "' ")


@looped("start", STARTS)
@looped("cover", COVERS)
def test_what_could_be_a_formula_gets_an_apostrophe(start: str, cover: str) -> None:
    """Also behind white space, invisible characters and apostrophes, in full-width and small forms."""
    text = f'{cover}{start}HYPERLINK("http://x","y")'
    assert guarded(text) == f"'{text}"
    assert guarded(f"a{text}") == f"a{text}"


@given(st.text(alphabet=st.sampled_from([*"'=+-@\t\r\n \u200b＝a1\","]), max_size=6))
def test_the_guard_is_taken_away_exactly(text: str) -> None:
    """Whatever a text begins with; and one that was never guarded stays as it is."""
    assert unguarded(guarded(text)) == text
    assert guarded(text) == text or unguarded(text) in (text, text[1:])
    file = io.StringIO(newline="")
    SpreadsheetWriter(file, quote_all=True).row([text, 1, None])
    ((cell, number, empty),) = csv.reader(io.StringIO(file.getvalue(), newline=""), strict=True)
    assert (unguarded(cell), number, empty) == (text, "1", "")


def test_formulas_are_counted_and_numbers_are_none() -> None:
    """Exact on request; a number below zero is a number."""
    for guard, first in ((True, "'=1"), (False, "=1")):
        file = io.StringIO(newline="")
        writer = SpreadsheetWriter(file, guard=guard)
        writer.row(["=1", -1.5, None, "a"])
        assert (file.getvalue(), writer.formulas) == (f"{first},-1.5,,a\r\n", 1)
