"""A result as plain text: what a screen shows, for print() in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helm_impactbench.tables.cells import cell_text
from helm_impactbench.tables.column import Column
from helm_impactbench.tables.table import Table


def text_of(head: Iterable[str], tables: Iterable[Table], notes: Iterable[str]) -> str:
    """Return the lines of a head, tables and what has to be said beside them, each on lines of its own."""
    lines = [*head]
    for table in tables:
        lines += ["", *_lines(table), *table.notes, ""]
    return "\n".join([*lines, *notes]).strip("\n")


def _lines(table: Table) -> list[str]:
    columns = [column for column in table.columns if column.is_shown(table.rows, wide=False)]
    cells = [
        [column.title for column in columns],
        *([cell_text(column, row) for column in columns] for row in table.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    title = [table.title] if table.title else []
    return [*title, *(_line(row, columns, widths) for row in cells)] if table.rows else title


def _line(row: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    padded = [
        text.ljust(width) if column.kind in ("text", "model") else text.rjust(width)
        for text, column, width in zip(row, columns, widths, strict=True)
    ]
    return "  ".join(padded).rstrip()
