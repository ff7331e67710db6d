"""Results show themselves: as plain text, and as HTML in a notebook."""

from __future__ import annotations

from typing import Annotated, TypedDict

from helm_impactbench.stats.intervals import Interval
from helm_impactbench.tables import Column, Conclusion, Result, Table
from helm_impactbench.tables.cells import off_zero, range_text


class _Row(TypedDict):
    model: Annotated[str, Column("Model", "model", "Its name.", "default")]
    rate: Annotated[float | None, Column("Rate", "rate", "How often.", "default")]
    base: Annotated[int, Column("Base", "count", "In files alone.")]


ROWS: list[_Row] = [{"model": "<b>a</b>", "rate": 0.5, "base": 4}, {"model": "bb", "rate": None, "base": 5}]
RESULT = Result(
    (Table.of("rates", _Row, ROWS, "Rates & more"), Table.of("all", _Row, ROWS, "Hidden", "wide")),
    ("A <note>.",),
    ("A detail.",),
    ("Be careful.",),
    Conclusion("FAIL: 1 < 2.", 1),
)


def test_as_text() -> None:
    """Warnings, the tables of the default screen in columns, notes and the verdict; no trailing spaces."""
    assert str(RESULT).splitlines() == [
        "WARNING: Be careful.",
        "",
        "Rates & more",
        "Model      Rate",
        "<b>a</b>  0.500",
        "bb            -",
        "",
        "A <note>.",
        "FAIL: 1 < 2.",
    ]


def test_as_html() -> None:
    """The same, with everything that a model or a file could have written escaped, and nothing else than the screen."""
    html = RESULT._repr_html_()
    assert "<b>a</b>" not in html
    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "<caption>Rates &amp; more</caption>" in html
    assert "<p>A &lt;note&gt;.</p>" in html
    assert "FAIL: 1 &lt; 2." in html
    assert html.count("<table>") == 1
    assert '<td style="text-align: right">0.500</td>' in html
    assert "Base" not in html
    assert "A detail." not in html


def test_a_bound_that_is_not_zero_is_not_shown_as_zero() -> None:
    """Beside "significant: yes" it would contradict; what is left of rounding is zero."""
    assert range_text(-0.148, -1e-9, "difference") == "-0.148 to -0.001"
    assert range_text(1e-9, 0.169, "difference") == "+0.001 to +0.169"
    assert range_text(-1e-17, 0.0004, "share") == "0% to 1%"
    assert str(Interval(-0.5, -0.0001)) == "-0.500 to -0.001"
    assert (off_zero(0.004, 2), off_zero(-0.004, 2), off_zero(0.006, 2)) == (0.01, -0.01, 0.006)
