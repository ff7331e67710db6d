"""Tables on narrow terminals, and long lines on any."""

from __future__ import annotations

import io

import pytest

from helm_impactbench.cli.fitting import fitted, is_figures, records, table_width, widths
from helm_impactbench.cli.folding import Folded

HEADER = ("Model", "Pass rate", "95% interval")
ROWS = [("a/model (scripted)", "0.500", "0.250 to 0.750"), ("b/other", "-", "unknown")]


def test_a_table_fits_where_no_word_and_no_figure_has_to_be_broken() -> None:
    """Names may be broken between words, intervals may not."""
    figures = [("a/model (scripted)", "0.500", "0.250 to 0.750")]
    width = len("(scripted)") + len("0.500") + len("0.250 to 0.750") + 2 * 3 + 2
    assert table_width(HEADER, *figures) == width
    assert widths(HEADER) == [5, 4, 8]
    assert fitted(200, HEADER, *figures) == [18, 9, 14]
    assert fitted(width + 5, HEADER, *figures) == [11, 9, 14]
    assert fitted(width, HEADER, *figures) == [10, 5, 14]
    assert is_figures(["0.250 to 0.750", "-", "", "72 / 72", "$1.20", "+0.1 (0.0 to 0.2)"])
    assert not is_figures(["adult (18+)"])


def test_a_table_that_does_not_fit_is_printed_row_by_row() -> None:
    """Each figure stands after its column's name; no line is wider than asked."""
    assert records(HEADER, ROWS, 60) == [
        "a/model (scripted)",
        "  Pass rate: 0.500   95% interval: 0.250 to 0.750",
        "b/other",
        "  Pass rate: -   95% interval: unknown",
    ]
    assert records(HEADER, ROWS[:1], 34) == [
        "a/model (scripted)",
        "  Pass rate: 0.500",
        "  95% interval: 0.250 to 0.750",
    ]
    assert max(map(len, records(HEADER, ROWS, 20))) <= 20


def test_rows_of_one_model_stand_under_one_heading() -> None:
    """Its name is said once; a pair says which of its sides comes first."""
    assert records(("Model", "Scope", "Pass rate"), [("a", "x", "1"), ("a", "y", "2"), ("b", "x", "3")], 60) == [
        "a", "  Scope: x   Pass rate: 1", "  Scope: y   Pass rate: 2", "b", "  Scope: x   Pass rate: 3",
    ]  # fmt: skip
    assert records(("First", "Second"), [("a", "b"), ("a", "c")], 60) == ["First: a", "  Second: b", "  Second: c"]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_lines_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A continuation is indented, what draws itself is left alone, and what continues a line too."""
    monkeypatch.setenv("COLUMNS", "20")
    to = _Terminal()
    stream = Folded(to)
    stream.write("a line of words that is long\n  indented words that are long\n")
    assert to.getvalue() == "a line of words that\n  is long\n  indented words\n    that are long\n"
    drawn = "\x1b[1m" + "x" * 30
    stream.write(drawn)
    stream.write(" and so on, unbroken as it was")
    assert to.getvalue().endswith(drawn + " and so on, unbroken as it was")
    with pytest.raises(TypeError):
        stream.write(b"bytes")  # type: ignore[arg-type]
