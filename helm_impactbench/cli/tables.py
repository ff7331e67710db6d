"""Tables on the terminal, and the same as files for other tools."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.spreadsheet import SpreadsheetWriter

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.intervals import Interval
    from helm_impactbench.stats.population import Population

MOST_COLUMNS = 7
"""A wider table is printed with rows and columns exchanged, unless it is wide for a reason."""

Rows = Sequence[Mapping[str, Any]]
"""One mapping of column -> value per row; the same columns in each."""


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, exchange: bool = True) -> None:
    """Print a table, with rows and columns exchanged when it has too many columns to be read.

    On a terminal that is too narrow for it, it is printed row by row. A pipe is as wide as the variable COLUMNS says,
    or else as wide as the table needs.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table

    from helm_impactbench.cli.fitting import fitted, records, table_width

    shown = (header, *rows)
    if exchange and len(header) > MOST_COLUMNS:
        shown = tuple(zip(*shown, strict=True))
    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    # Not a terminal: wide, so that no name is cut in a log or a pipe.
    console = Console(width=None if limited else max(200, table_width(*shown)))
    if limited and table_width(*shown) > console.width:
        print("\n".join(["", *records(header, rows, console.width), ""]))
        return
    columns = [Column(name, width=width) for name, width in zip(shown[0], fitted(console.width, *shown), strict=True)]
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in shown[1:]:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    console.print(table)


def figure(value: float | None, digits: int = 3) -> str:
    """Return a number for a table; "-" for an unknown one."""
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Return a difference for a table, with its sign; amounts are told as amounts."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3f}"


def size(value: float | None) -> str:
    """Return how far a difference is from 0, as `signed` writes it."""
    return signed(value).lstrip("+")


def signed_bounds(row: Mapping[str, Any], population: str, prefix: str = "") -> str:
    """Return the 95% interval of a row's difference for a population; "unknown" where there is none."""
    low, high = (row[f"{prefix}{end}_{population.replace('-', '_')}"] for end in ("low", "high"))
    return "unknown" if math.isnan(low + high) else f"{signed(low)} to {signed(high)}"


def interval(low: float, high: float) -> str:
    """Return a 95% interval for a table; "-" for an unknown one."""
    from helm_impactbench.stats.intervals import Interval

    return str(Interval(low, high))


def bounds(row: Mapping[str, Any], population: str, prefix: str = "") -> str:
    """Return the 95% interval of a row for a population; "unknown" where there is none. `prefix`: of its columns."""
    ending = population.replace("-", "_")
    return interval(row[f"{prefix}low_{ending}"], row[f"{prefix}high_{ending}"])


def bounded(name: str, value: float | None, found: Interval) -> dict[str, Any]:
    """Return a figure's three columns in a file: its value, and the bounds of its interval, None where unknown."""
    known = found.is_known and value is not None
    return {name: value, f"{name}_low": found.low if known else None, f"{name}_high": found.high if known else None}


def with_interval(row: Mapping[str, Any], name: str) -> str:
    """Return a figure of such a row for a table, with its interval where that is known; "-" for an unknown one."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return figure(row[name]) + (f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else "")


def pooled_cell(row: Mapping[str, Any], name: str) -> str:
    """Return a row's pooled figure with its interval; "-" where there were too little to pool."""
    if row.get(name) is None:
        return "-"
    shown = figure if name == "pooled_rate" else signed
    return f"{shown(row[name])} ({shown(row['pooled_low'])} to {shown(row['pooled_high'])})"


def concluded_of_models(models: int) -> str:
    """Return what may be concluded from a table of models' rates with intervals."""
    if models > 1:
        return "Whether two models differ is not read from their intervals: impactbench compare tests it."
    return "A rate is known no better than its interval says, and no better than what is missing allows."


def intervals_are_for(population: Population) -> str:
    """Return the sentence under a table that says what its 95% intervals are for."""
    from helm_impactbench.stats.population import POPULATIONS, UNSEEN, WORDS

    other = next(one for one in POPULATIONS if one != population)
    text = f"95% intervals are {WORDS[population]}; --population {other} gives those {WORDS[other]}."
    return text if population == "these" else f"{text} {UNSEEN}"


def print_units_apart(outcomes: Sequence[Outcome]) -> bool:
    """Name the contrast metrics that no figure over several metrics has, as their units have no mean with others.

    Returns whether there are any.
    """
    from helm_impactbench.analysis.widest_gap import units_apart

    if apart := units_apart(outcomes):
        is_are = "is in units of its own" if len(apart) == 1 else "are in units of their own"
        click.echo(
            f"{', '.join(apart)} {is_are}, which have no mean with other metrics: no figure of the whole benchmark has "
            f"them. `impactbench contrasts --by metric` shows them; `impactbench gate --metric {apart[0]}` holds one."
        )
    return bool(apart)


def check_out(path: Path, endings: Sequence[str] = (".csv", ".json", ".md")) -> None:
    """Raise ImpactBenchError unless `path` names a kind of file that can be written."""
    if path.suffix not in endings:
        raise ImpactBenchError(f"--out {path} must end in {' or '.join(endings)}, which decides what is written.")


def write_rows(path: Path | None, rows: Rows, whole: Any = None) -> None:
    """Write rows as CSV, Markdown or JSON, as the file's ending says; `whole` is written as JSON in place of the rows.

    Unknown numbers are null in JSON, and empty in the others. Does nothing without a path. Raises ImpactBenchError.
    """
    if path is None:
        return
    check_out(path)
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix == ".json":
                json.dump(_plain(rows if whole is None else whole), file, indent=1, ensure_ascii=False)
                file.write("\n")
            else:
                _write_table(file, path.suffix, rows)
    except OSError as error:
        raise ImpactBenchError(f"--out {path} cannot be written: {error.strerror or error}") from error
    print(f"Wrote {path}", file=sys.stderr)


def _write_table(file: TextIO, ending: str, rows: Rows) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, *([_plain(row.get(column)) for column in columns] for row in rows)]
    if ending == ".md":
        lines.insert(1, ["---"] * len(columns))
        for line in lines:
            file.write(f"| {' | '.join(map(_markdown_cell, line))} |\n")
        return
    writer = SpreadsheetWriter(file)
    for line in lines:
        writer.row(line)


def _markdown_cell(value: Any) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
