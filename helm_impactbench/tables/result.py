"""What a command answers: tables, what has to be said beside them and, where there is one, a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from helm_impactbench.tables import html, text
from helm_impactbench.tables.column import Column
from helm_impactbench.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd


JUDGE_CHECK = Column(
    "Judge check", "text", "failed: the judge failed its check on known transcripts.", "wide", key="judge_check"
)
"""What the files of a suite have where its judge failed its check, so that no figure is read without that."""
SUITE_CHECK = Column(
    "Suite check", "text", "unfinished: a suite lacks runs that were planned in it.", "wide", key="suite_check"
)
"""What they have where a suite is not whole."""


@dataclass(frozen=True)
class Conclusion:
    """What a command decides, for people and for the shell."""

    sentence: str
    exit_code: int = 0
    """0 holds, 1 does not hold or is not decided."""
    signature: str = ""
    """A line for whoever signs it; empty where nobody does."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What people read: the sentence and, where somebody signs, the line for it."""
        return (self.sentence, self.signature) if self.signature else (self.sentence,)


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
    first: tuple[str, ...] = ()
    """What a reader must know before any figure, such as that people fare differently; a sentence each."""
    judge: str = ""
    """Whether the judges can be trusted, in one line before everything else; empty where no judge decided anything."""
    beyond: tuple[str, ...] = ()
    """What only --wide shows, a sentence each; not said with --wide, and on no page."""

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
        """Return it with further warnings before its own, each once."""
        return replace(self, warnings=tuple(dict.fromkeys((*warnings, *self.warnings))))

    def of_part(self, *lacking: str) -> Result:
        """Return it with sentences on what suites lack as its first warnings; with one, each row says so in files."""
        if not lacking:
            return self
        tables = tuple(_marked(table, SUITE_CHECK, "unfinished") for table in self.tables)
        return replace(self, tables=tables).warned(*lacking)

    def judged(self, line: str, warning: str = "") -> Result:
        """Return it with a line on its judges at the top.

        Where they failed, each table has a warning under it, each row says so in files, and what else would come first
        is left out.
        """
        if not warning:
            return replace(self, judge=line)
        tables = tuple(
            _marked(replace(table, notes=(*table.notes, warning)), JUDGE_CHECK, "failed") for table in self.tables
        )
        return replace(self, judge=line, tables=tables, first=())

    def frame(self, name: str = "") -> pd.DataFrame:
        """Return a table as a pandas DataFrame, the first one without a name. Raises KeyError for an unknown name."""
        import pandas as pd

        table = self[name] if name else self.file_tables()[0]
        return pd.DataFrame(table.records(), columns=[column.key for column in table.columns if column.in_files])

    def __str__(self) -> str:
        """Return what a screen shows, as plain text."""
        return text.text_of(self.head(), self._on_screen(), self._words())

    def _repr_html_(self) -> str:
        """Return what a screen shows, for a notebook."""
        return html.html_of(self.head(), self._on_screen(), self._words())

    def head(self) -> list[str]:
        """Return what stands before the tables: the judges, what may make the figures worthless, and `first`."""
        return [*filter(None, [self.judge]), *(f"WARNING: {line}" for line in self.warnings), *self.first]

    def _on_screen(self) -> list[Table]:
        return [table for table in self.tables if table.view == "default"]

    def _words(self) -> tuple[str, ...]:
        """Return the notes, and the verdict last."""
        return (*self.notes, *self.beyond, *(self.verdict.lines if self.verdict else ()))


def _marked(table: Table, mark: Column, value: str) -> Table:
    """Return a table whose rows have a mark in files; words to be copied, in a single column, stay."""
    if not table.in_files or len(table.columns) == 1 or mark in table.columns:
        return table
    rows = [{**row, mark.key: value} for row in table.rows]
    return replace(table, columns=(*table.columns, mark), rows=rows)
