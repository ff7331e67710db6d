"""Tidy tables as CSV or Parquet. Workers make what each run adds to them, and this process writes it in order."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from helm_impactbench.files.spreadsheet import SpreadsheetWriter
from helm_impactbench.outputs.export.columns import RUNS, STREAMED, ExportColumn, ExportTable, conversations_table
from helm_impactbench.outputs.export.rows import Row, conversation_row, evidence_rows, run_row, turn_rows, vote_rows
from helm_impactbench.outputs.export.runs import read_run
from helm_impactbench.outputs.export.table_notes import describe
from helm_impactbench.outputs.export.words import storable, without_nulls
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder

P = TypeVar("P")
"""Some rows of a table, as they stand in its file."""
Written = TypeVar("Written", contravariant=True)


class TableFile(Protocol[Written]):
    """The file of one table."""

    def add(self, part: Written) -> None:
        """Write a part at the end."""

    def close(self) -> None:
        """Finish the file."""


class TableForm(Protocol[P]):
    """A file format for tables."""

    @property
    def ending(self) -> str:
        """What the names of its files end in."""

    def part(self, table: ExportTable, rows: Iterable[Row]) -> P:
        """Return rows as they stand in a file; where nothing else is known, in any process."""

    def opened(self, folder: Path, table: ExportTable) -> TableFile[P]:
        """Return a new file of a table, without rows yet."""


@dataclass(frozen=True)
class CsvPart:
    """Rows as text."""

    text: str
    formulas: int
    """Cells that a spreadsheet would take for a formula."""


@dataclass(frozen=True)
class CsvForm:
    """CSV: UTF-8, comma, one line end (CR LF) per row, quotation marks where they are needed."""

    for_spreadsheets: bool = False
    """Put an apostrophe before what a spreadsheet would take for a formula."""
    ending = "csv"

    def part(self, table: ExportTable, rows: Iterable[Row]) -> CsvPart:
        """Return rows as text."""
        names = [column.name for column in table.columns]
        return self._text([_csv_value(row.get(name)) for name in names] for row in rows)

    def opened(self, folder: Path, table: ExportTable) -> CsvFile:
        """Return a file that has its header."""
        file = CsvFile(folder / f"{table.name}.csv")
        file.add(self._text([[_csv_value(column.name) for column in table.columns]]))
        return file

    def _text(self, rows: Iterable[Sequence[Any]]) -> CsvPart:
        text = io.StringIO(newline="")
        writer = SpreadsheetWriter(text, guard=self.for_spreadsheets)
        for row in rows:
            writer.row(row)
        return CsvPart(text.getvalue(), writer.formulas)


class CsvFile:
    """One CSV file."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self.formulas = 0
        """Cells so far that a spreadsheet would take for a formula."""

    def add(self, part: CsvPart) -> None:
        """Write rows."""
        self._file.write(part.text)
        self.formulas += part.formulas

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def _csv_value(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return without_nulls(storable(value)) if isinstance(value, str) else value


class ParquetForm:
    """Parquet, a row group per run."""

    ending = "parquet"

    def part(self, table: ExportTable, rows: Iterable[Row]) -> Any:
        """Return rows as an Arrow table."""
        import pyarrow

        found, schema = list(rows), _schema(table)
        values = [[_arrow_value(column, row.get(column.name)) for row in found] for column in table.columns]
        arrays = [pyarrow.array(cells, type=field.type) for cells, field in zip(values, schema, strict=True)]
        return pyarrow.Table.from_arrays(arrays, schema=schema)

    def opened(self, folder: Path, table: ExportTable) -> ParquetFile:
        """Return a file that has its schema."""
        return ParquetFile(folder / f"{table.name}.parquet", _schema(table))


class ParquetFile:
    """One Parquet file."""

    def __init__(self, path: Path, schema: Any) -> None:
        from pyarrow import parquet

        self._writer = parquet.ParquetWriter(path, schema, compression="zstd")

    def add(self, part: Any) -> None:
        """Write rows as one row group."""
        if part.num_rows:
            self._writer.write_table(part)

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


def _schema(table: ExportTable) -> Any:
    import pyarrow

    kinds = {
        "string": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }
    return pyarrow.schema([(storable(column.name), kinds[column.kind]) for column in table.columns])


def _arrow_value(column: ExportColumn, value: Any) -> Any:
    if value is None:
        return None
    return float(value) if column.kind == "number" else storable(value) if isinstance(value, str) else value


def write_csv(folder: Path, runs: Sequence[RunFolder], *, for_spreadsheets: bool = False) -> int:
    """Write the tables as CSV; return how many cells a spreadsheet would take for a formula. Raises ResultsError."""
    return sum(file.formulas for file in _write(folder, runs, CsvForm(for_spreadsheets)))


def write_parquet(folder: Path, runs: Sequence[RunFolder]) -> None:
    """Write the tables as Parquet. Raises ResultsError."""
    _write(folder, runs, ParquetForm())


@dataclass(frozen=True)
class _RunParts(Generic[P]):
    """What one run adds to the tables."""

    run: Row
    conversations: list[Row]
    """As rows: their columns are known when all runs are read."""
    axes: set[str]
    factors: set[str]
    streamed: list[P]
    """A part for each of STREAMED."""


def _parts(form: TableForm[P], source: RunFolder) -> _RunParts[P]:
    run = read_run(source)
    rows_of = (turn_rows, vote_rows, evidence_rows)
    return _RunParts(
        run_row(run),
        [conversation_row(run, record, outcome) for record, outcome in zip(run.records, run.outcomes, strict=True)],
        {axis for outcome in run.outcomes for axis, _ in outcome.axes},
        {factor for outcome in run.outcomes for factor, _ in outcome.factors},
        [
            form.part(table, (row for record in run.records for row in rows(run, record)))
            for table, rows in zip(STREAMED, rows_of, strict=True)
        ],
    )


def _write(folder: Path, runs: Sequence[RunFolder], form: TableForm[P]) -> list[Any]:
    """Write the tables and return their files, closed."""
    run_rows: list[Row] = []
    conversations: list[Row] = []
    axes: set[str] = set()
    factors: set[str] = set()
    with ExitStack() as stack:

        def opened(table: ExportTable) -> TableFile[P]:
            file = form.opened(folder, table)
            stack.callback(file.close)
            return file

        streamed = [opened(table) for table in STREAMED]
        for parts in in_workers(partial(_parts, form), runs):
            run_rows.append(parts.run)
            conversations += parts.conversations
            axes |= parts.axes
            factors |= parts.factors
            for file, part in zip(streamed, parts.streamed, strict=True):
                file.add(part)
        whole = conversations_table(sorted(axes), sorted(factors))
        small = [opened(RUNS), opened(whole)]
        for file, table, rows in zip(small, (RUNS, whole), (run_rows, conversations), strict=True):
            file.add(form.part(table, rows))
    describe(folder, (RUNS, whole, *STREAMED), form.ending)
    return [*streamed, *small]
