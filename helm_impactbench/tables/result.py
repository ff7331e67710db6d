"""What a command answers: tables, what has to be said beside them and, where there is one, a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from helm_impactbench.tables import html, text
from helm_impactbench.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd


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
        return text.text_of(self.warnings, self._on_screen(), self._words())

    def _repr_html_(self) -> str:
        """Return what a screen shows, for a notebook."""
        return html.html_of(self.warnings, self._on_screen(), self._words())

    def _on_screen(self) -> list[Table]:
        return [table for table in self.tables if table.view == "default"]

    def _words(self) -> tuple[str, ...]:
        """Return the notes, and the verdict's sentence last."""
        return (*self.notes, *([self.verdict.sentence] if self.verdict else []))
