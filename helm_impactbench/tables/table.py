"""Rows and their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.tables.column import Column, Row, View, columns_of


@dataclass(frozen=True)
class Table:
    """Rows and their columns."""

    name: str
    """Its key in a JSON file, and in `Result.frame`."""
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    title: str = ""
    """Heading for people, without a full stop; empty where the table needs none."""
    view: View = "default"
    in_files: bool = True
    """False for another view of figures that a table of the same result has in full, such as a matrix."""
    notes: tuple[str, ...] = ()
    """Sentences right under it."""

    @classmethod
    def of(cls, name: str, row: type, rows: Sequence[Row], title: str = "", view: View = "default") -> Table:
        """Return a table whose columns are those of a row's type."""
        return cls(name, columns_of(row), rows, title, view)

    def records(self) -> list[dict[str, object]]:
        """Return the rows as files have them: a value for each column of a file, in order; None where there is none."""
        columns = [column for column in self.columns if column.in_files]
        return [{column.key: row.get(column.key) for column in columns} for row in self.rows]
