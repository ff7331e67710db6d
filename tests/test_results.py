"""A result says the same on a terminal, in JSON, in CSV and in Python, whatever is withheld, filtered or asked for."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from helm_impactbench import ImpactBenchError, load_suite
from helm_impactbench.outputs.render.files import write_result
from helm_impactbench.outputs.render.terminal import print_result
from helm_impactbench.tables import Result
from helm_impactbench.tables.cells import off_zero, value_text
from tests.cli.builders import write_suites

METHODS: dict[str, dict[str, Any]] = {
    "rates": {},
    "rates --by metric": {"by": "metric"},
    "compare": {"equal_within": 0.1},
    "contrasts": {},
    "contrasts --by metric": {"by": "metric"},
    "gate": {"minimum": ["pass_rate=0.5"]},
    "outcomes": {},
    "agreement": {},
    "items": {},
    "items --by scenario": {"by": "scenario"},
    "power": {"pair": ("org/good", "org/bad"), "difference": 0.2},
    "robustness": {},
    "components": {},
    "combined": {},
    "explain": {},
    "costs": {},
    "swap": {"others": ("panels",)},
    "label": {},
}
"""Command -> options of the method of its name."""
SELECTIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "withheld": {"withhold": ("ungrounded", "marked")},
    "where": {"where": ("age=child",)},
    "like-these": {"population": "like-these"},
}
REFUSED = {
    ("label", "withheld"): "cannot be narrowed by withhold",
    ("label", "where"): "cannot be narrowed by where",
    ("costs", "withheld"): "cannot be narrowed by withhold",
    ("costs", "where"): "cannot be narrowed by where",
    ("combined", "where"): "no finished run of a safety or capability suite",
    ("swap", "where"): "no conversation of this suite has an axis",
}
"""What cannot be asked, and the one line that says so."""
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """HELM's output folder, with a suite of each kind."""
    root = tmp_path_factory.mktemp("results")
    write_suites(root)
    return root / "benchmark_output"


def asked(folder: Path, command: str, selection: str) -> Result | None:
    """Return what the method of a command answers; None where it has to refuse, and does so in one line."""
    suite, options = load_suite("mixed", folder, **SELECTIONS[selection]), dict(METHODS[command])
    method, others = getattr(suite, command.split()[0]), options.pop("others", ())
    if (command, selection) not in REFUSED:
        result: Result = method(*others, **options)
        return result
    with pytest.raises(ImpactBenchError, match=REFUSED[command, selection]) as refusal:
        method(*others, **options)
    assert "\n" not in str(refusal.value)
    return None


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("selection", list(SELECTIONS))
@pytest.mark.parametrize("command", list(METHODS))
def test_files_and_frames_hold_the_same_figures(folder: Path, tmp_path: Path, command: str, selection: str) -> None:
    """JSON, CSV and DataFrame have the same tables, columns and values."""
    if (result := asked(folder, command, selection)) is None:
        return
    write_result(result, tmp_path / "x.json")
    write_result(result, tmp_path / "x.csv")
    whole = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    tables = result.file_tables()
    by_name = whole if len(tables) > 1 else {tables[0].name: whole}
    for number, table in enumerate(tables):
        frame = result.frame(table.name)
        records = [plain(record) for record in frame.astype(object).where(frame.notna(), None).to_dict("records")]
        assert by_name[table.name] == records, table.name
        name = "x.csv" if number == 0 else f"x.{table.name}.csv"
        rows = list(csv.DictReader(io.StringIO((tmp_path / name).read_text(encoding="utf-8"))))
        assert [list(row) for row in rows] == [list(record) for record in records]
        for row, record in zip(rows, records, strict=True):
            assert [value_of(cell) for cell in row.values()] == [
                value_of(text) for text in map(text_of, record.values())
            ]


def text_of(value: Any) -> str:
    """Return a value as CSV has it; a text that a spreadsheet could take for a formula has an apostrophe."""
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in "=+-@" and text else text


def value_of(cell: str) -> Any:
    """Return a cell's number, however it is written, or its text."""
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("selection", list(SELECTIONS))
@pytest.mark.parametrize("command", list(METHODS))
def test_a_screen_shows_no_figure_that_the_files_lack(folder: Path, command: str, selection: str, width: int) -> None:
    """Every number in a table of the screen is, rounded, a number of the files."""
    if (result := asked(folder, command, selection)) is None:
        return
    known = set(_written(table.records() for table in result.file_tables()))
    file = io.StringIO()
    print_result(result, Console(file=file, width=width), wide=True)
    lines = [line for line in file.getvalue().splitlines() if line.startswith(" ") and "─" not in line]
    assert lines or not any(table.rows for table in result.tables if table.view != "file")
    assert all(len(line) <= width for line in lines)
    for line in lines:
        for figure in NUMBER.findall(
            re.sub(r"\b\d+/\d+\b|mean of \d+|95% CI|Low, 90%|High, 90%|Within 0\.1|>= 0\.5|\b0\.5 ", "", line)
        ):
            if "." in figure:
                assert figure.lstrip("+-") in known, (line, figure)


def _written(tables: Any) -> Iterator[str]:
    """Yield every number of tables as a screen may write it."""
    for value in _numbers(list(tables)):
        for kind in ("rate", "difference", "p", "number", "money"):
            yield value_text(value, kind).lstrip("+-")
        yield from (f"{abs(off_zero(value, digits)):.{digits}f}" for digits in (2, 3, 4))  # as a bound
        yield from (f"{abs(value):.2f}", f"{abs(value):g}")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, str):  # a reason may quote figures
        yield from map(float, re.findall(r"\d+\.\d+", value))
    if isinstance(value, int | float):
        if math.isfinite(value):
            yield float(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(item)


def test_what_is_withheld_and_filtered_changes_the_figures(folder: Path) -> None:
    """Each option reaches the function: counts fall where something is left out."""
    counts = {
        name: int(load_suite("mixed", folder, **given).rates("overall").frame()["conversations"].sum())
        for name, given in SELECTIONS.items()
    }
    assert counts["where"] < counts["all"] == counts["withheld"] == counts["like-these"]
