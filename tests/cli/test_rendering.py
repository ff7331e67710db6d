"""Tables on a screen and in files: widths, formulas, warnings first."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from helm_impactbench.outputs.render.files import write_result
from helm_impactbench.outputs.render.terminal import print_result
from helm_impactbench.tables import Column, Conclusion, Result, Table

MODEL = Column("Model", "model", "The model.", "default", key="model")
RATE = Column("Pass rate", "rate", "The rate.", "default", key="rate")
WHY = Column("Without a score", "text", "Why.", "default", key="why")
DETAIL = Column("Detail", "number", "A detail.", "wide", key="detail")
ROWS = [{"model": "org/some-model", "rate": 0.5, "why": "unclear 3; judge_error 12", "detail": 2.0}]


def printed(result: Result, width: int, *, wide: bool = False) -> list[str]:
    """Return the lines of a screen."""
    file = io.StringIO()
    print_result(result, Console(file=file, width=width), wide=wide)
    return [line.rstrip() for line in file.getvalue().splitlines() if line.strip()]


def test_a_narrow_screen_keeps_the_table_and_names_what_gave_way() -> None:
    """The last columns go first; nothing is wider than the screen."""
    result = Result((Table("t", (MODEL, RATE, WHY), ROWS),))
    lines = printed(result, 30)
    assert "org/some-model" in lines[-2]
    assert "0.500" in lines[-2]
    assert lines[-1].startswith("Too narrow for: Without a score.")
    assert max(map(len, lines[:-1])) <= 30


def test_an_interval_is_not_broken_beside_one_that_is_unknown() -> None:
    """Words give way first, down to their longest one."""
    interval = Column("95% CI", "text", "Its interval.", "default", key="interval")
    rows = [{"model": "a model of many words", "rate": 0.5, "interval": "0.403 to 0.576"},
            {"model": "another one", "rate": 0.5, "interval": "unknown"}]  # fmt: skip
    lines = printed(Result((Table("t", (MODEL, RATE, interval), rows),)), 36)
    assert any("0.403 to 0.576" in line for line in lines)
    assert max(map(len, lines)) <= 36


def test_wide_shows_what_the_default_leaves_out() -> None:
    """Columns, tables and explanations."""
    result = Result((Table("t", (MODEL, DETAIL), ROWS),), notes=("A note.",), details=("A detail.",))
    assert "Detail" not in " ".join(printed(result, 100))
    assert {"A note.", "A detail."} <= set(printed(result, 100, wide=True))


def test_a_warning_comes_first_and_a_conclusion_last() -> None:
    """What may make the figures worthless is the first thing that a reader sees."""
    table = Table("t", (MODEL,), ROWS)
    lines = printed(Result((table,), warnings=("The judge changed.",), verdict=Conclusion("FAIL: 0 of 1.", 1)), 80)
    assert lines[0] == "WARNING: The judge changed."
    assert lines[-1] == "FAIL: 0 of 1."


@pytest.mark.parametrize("hostile", ["[bold]x[/bold]", "[link=http://x]y[/link]", "a\nb"])
def test_words_of_models_are_no_markup(hostile: str) -> None:
    """What stands in a cell is printed as it is."""
    lines = printed(Result((Table("t", (MODEL,), [{"model": hostile}]),)), 80)
    assert hostile.split("\n")[0] in " ".join(lines)


def test_no_cell_of_a_table_of_figures_is_a_formula(tmp_path: Path) -> None:
    """Names come from models and benchmarks; a figure below zero stays a number, and an unknown one is empty."""
    name, gap = Column("", "text", "", key="=model"), Column("", "number", "", key="gap")
    rows = [{"=model": "@SUM(1)", "gap": -0.5}, {"=model": "a", "gap": float("nan")}]
    write_result(Result((Table("t", (name, gap), rows),)), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == b"'=model,gap\r\n'@SUM(1),-0.5\r\na,\r\n"
