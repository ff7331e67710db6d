"""A result on a terminal: the answer first, as tables that fit; what explains and breaks it down with --wide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.cells import cell_text

LEAST_COLUMNS = 2
"""A table keeps these, however narrow the terminal."""
_BETWEEN = 2
"""Spaces between two columns."""
_EDGES = 2
"""Spaces before and after a row."""
_FIGURE = re.compile(r"^(?!.*[A-Za-z]{4})(?=.*\d).*$|^-?$")
"""A number, an interval, a fraction, or nothing; not a word."""
Cells = Sequence[str]


def print_result(result: Result, console: Console, *, wide: bool = False) -> None:
    """Print a result. wide: with the tables, columns and explanations that are left out otherwise."""
    for line in result.head():
        _say(console, line)
    for table in result.tables:
        if table.rows and (table.view == "default" or (wide and table.view == "wide")):
            print_table(table, console, wide=wide)
    for note in (*result.notes, *(result.details if wide else result.beyond)):
        _say(console, note)
    for line in result.verdict.lines if result.verdict else ():
        _say(console, line)


def print_table(table: Table, console: Console, *, wide: bool = False) -> None:
    """Print one table with its heading and notes; columns that do not fit are named under it."""
    if table.title:
        console.print()
        _say(console, table.title)
    columns = [column for column in table.columns if column.is_shown(table.rows, wide=wide)]
    cells = [[cell_text(column, row) for row in table.rows] for column in columns]
    kept = _that_fit(columns, cells, console.width)
    if table.rows and kept:
        _print_grid([columns[place] for place in kept], [cells[place] for place in kept], console)
    hidden = [column.title for place, column in enumerate(columns) if place not in kept]
    if hidden:
        _say(console, f"Too narrow for: {', '.join(hidden)}. A wider terminal or --out shows them.")
    for note in table.notes:
        _say(console, note)


def _print_grid(columns: Sequence[Column], cells: Sequence[Cells], console: Console) -> None:
    widths = _fitted([(column.title, *own) for column, own in zip(columns, cells, strict=True)], console.width)
    heads = [
        RichColumn(Text(column.title), width=width, justify="left" if column.kind in ("text", "model") else "right")
        for column, own, width in zip(columns, cells, widths, strict=True)
    ]
    grid = RichTable(*heads, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for row in zip(*cells, strict=True):
        grid.add_row(*map(Text, row))
    console.print(grid)


def _that_fit(columns: Sequence[Column], cells: Sequence[Cells], width: int) -> list[int]:
    """Return the places of the columns that fit into a width: the last ones give way."""
    least = [_least(column.title, own) for column, own in zip(columns, cells, strict=True)]
    kept = list(range(len(columns)))
    while len(kept) > LEAST_COLUMNS and _total(least[place] for place in kept) > width:
        kept.pop()
    return kept


def _total(widths: Iterator[int] | Sequence[int]) -> int:
    own = list(widths)
    return sum(own) + _BETWEEN * (len(own) - 1) + _EDGES


def _fitted(columns: Sequence[Cells], width: int) -> list[int]:
    """Return the width of each column, heading included, of a table that is to fit: the widest are narrowed first."""
    least = [_least(title, own) for title, *own in columns]
    widths = [max(least[place], *map(len, own)) for place, own in enumerate(columns)]
    while _total(widths) > width:
        places = [place for place in range(len(widths)) if widths[place] > least[place]]
        if not places:
            break
        widest = max(places, key=lambda place: widths[place])
        widths[widest] -= 1
    return widths


def _least(title: str, cells: Cells) -> int:
    """Return the least width of a column in which only the spaces between words are broken, and those of no figure."""
    pieces = (part for cell in cells for part in ([cell] if _FIGURE.match(cell) else cell.split()))
    return max(map(len, [*title.split(), *pieces]), default=1)


def _say(console: Console, sentence: str) -> None:
    console.print(Text(sentence), soft_wrap=True)
