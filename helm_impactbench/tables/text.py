"""A result as plain text: what a screen shows, for print() in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from helm_impactbench.tables.cells import cell_text

if TYPE_CHECKING:
    from helm_impactbench.tables.column import Column
    from helm_impactbench.tables.result import Result, Table


def result_text(result: Result) -> str:
    """Return a result: warnings, tables, notes and the verdict, each on lines of its own."""
    lines = [f"WARNING: {line}" for line in result.warnings]
    for table in result.tables:
        if table.view == "default":
            lines += ["", *_lines(table), *table.notes, ""]
    lines += [*result.notes, *([result.verdict.sentence] if result.verdict else [])]
    return "\n".join(lines).strip("\n")


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
