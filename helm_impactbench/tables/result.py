"""What a command answers: tables, what has to be said beside them and, where there is one, a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from helm_impactbench.tables.column import Column, Row, View, columns_of

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True)
class Conclusion:
    """What a command decides, for people and for the shell."""

    sentence: str
    exit_code: int = 0
    """0 holds, 1 does not hold or is not decided."""


@dataclass(frozen=True)
class Result:
    """The answer of one command, the same for every output."""

    tables: tuple[Table, ...]
    """The answer first."""
    notes: tuple[str, ...] = ()
    """What a reader of the default screen must know: a sentence or two."""
    details: tuple[str, ...] = ()
    """What explains columns and methods; with --wide, and on pages."""
    warnings: tuple[str, ...] = ()
    """What may make the figures worthless; first of all on every output."""
    verdict: Conclusion | None = None

    def __getitem__(self, name: str) -> Table:
        """Return a table by name. Raises KeyError with the names that there are."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"no table {name!r}; there are: {', '.join(table.name for table in self.tables)}")

    def file_tables(self) -> list[Table]:
        """Return the tables that files and DataFrames hold; the first is the one meant without a name."""
        return [table for table in self.tables if table.in_files]

    def warned(self, *warnings: str) -> Result:
        """Return it with further warnings before its own."""
        return replace(self, warnings=(*warnings, *self.warnings))

    def frame(self, name: str = "") -> pd.DataFrame:
        """Return a table as a pandas DataFrame, the first one without a name. Raises KeyError for an unknown name."""
        import pandas as pd

        table = self[name] if name else self.file_tables()[0]
        return pd.DataFrame(table.records(), columns=[column.key for column in table.columns if column.in_files])

    def __str__(self) -> str:
        """Return what a screen shows, as plain text."""
        from helm_impactbench.tables.text import result_text

        return result_text(self)

    def _repr_html_(self) -> str:
        """Return what a screen shows, for a notebook."""
        from helm_impactbench.tables.html import result_html

        return result_html(self)
