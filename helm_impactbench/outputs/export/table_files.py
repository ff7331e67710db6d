"""Tidy tables as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from helm_impactbench.files.spreadsheet import SpreadsheetWriter
from helm_impactbench.outputs.export.columns import RUNS, STREAMED, ExportColumn, ExportTable, conversations_table
from helm_impactbench.outputs.export.rows import Row, conversation_row, evidence_rows, run_row, turn_rows, vote_rows
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.outputs.export.table_notes import describe
from helm_impactbench.outputs.export.words import storable, without_nulls


class TableWriter(Protocol):
    """Takes the rows of one table."""

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""

    def close(self) -> None:
        """Finish the file."""


class CsvTable:
    """One CSV file: UTF-8, comma, one line end (CR LF) per row, quotation marks where they are needed."""

    def __init__(self, folder: Path, table: ExportTable, *, for_spreadsheets: bool = False) -> None:
        """`for_spreadsheets` puts an apostrophe before what a spreadsheet would take for a formula."""
        self._columns = table.columns
        self._file = (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="")
        self._writer = SpreadsheetWriter(self._file, guard=for_spreadsheets)
        self._writer.row(_csv_value(column.name) for column in table.columns)

    @property
    def formulas(self) -> int:
        """Cells that a spreadsheet would take for a formula."""
        return self._writer.formulas

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        for row in rows:
            self._writer.row(_csv_value(row.get(column.name)) for column in self._columns)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def _csv_value(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return without_nulls(storable(value)) if isinstance(value, str) else value


class ParquetTable:
    """One Parquet file, a row group per run."""

    def __init__(self, folder: Path, table: ExportTable) -> None:
        import pyarrow
        from pyarrow import parquet

        self._arrow: Any = pyarrow
        kinds = {
            "string": self._arrow.string(),
            "integer": self._arrow.int64(),
            "number": self._arrow.float64(),
            "boolean": self._arrow.bool_(),
        }
        self._columns = table.columns
        self._schema = self._arrow.schema([(storable(column.name), kinds[column.kind]) for column in table.columns])
        self._writer = parquet.ParquetWriter(folder / f"{table.name}.parquet", self._schema, compression="zstd")

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows as one row group."""
        found = list(rows)
        values = [[_arrow_value(column, row.get(column.name)) for row in found] for column in self._columns]
        arrays = [self._arrow.array(cells, type=field.type) for cells, field in zip(values, self._schema, strict=True)]
        if found:
            self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


def _arrow_value(column: ExportColumn, value: Any) -> Any:
    if value is None:
        return None
    return float(value) if column.kind == "number" else storable(value) if isinstance(value, str) else value


def write_csv(folder: Path, runs: Iterable[Run], *, for_spreadsheets: bool = False) -> int:
    """Write the tables as CSV; return how many cells a spreadsheet would take for a formula."""
    made: list[CsvTable] = []

    def make(table: ExportTable) -> CsvTable:
        made.append(CsvTable(folder, table, for_spreadsheets=for_spreadsheets))
        return made[-1]

    _write(folder, runs, make, "csv")
    return sum(table.formulas for table in made)


def write_parquet(folder: Path, runs: Iterable[Run]) -> None:
    """Write the tables as Parquet."""
    _write(folder, runs, lambda table: ParquetTable(folder, table), "parquet")


def _write(folder: Path, runs: Iterable[Run], make: Callable[[ExportTable], TableWriter], ending: str) -> None:
    run_rows: list[Row] = []
    conversations: list[Row] = []
    axes: set[str] = set()
    factors: set[str] = set()
    with ExitStack() as stack:
        turns, votes, evidence = (_opened(stack, make(table)) for table in STREAMED)
        for run in runs:
            run_rows.append(run_row(run))
            for record, outcome in zip(run.records, run.outcomes, strict=True):
                conversations.append(conversation_row(run, record, outcome))
                axes.update(axis for axis, _ in outcome.axes)
                factors.update(factor for factor, _ in outcome.factors)
            turns.write(row for record in run.records for row in turn_rows(run, record))
            votes.write(row for record in run.records for row in vote_rows(run, record))
            evidence.write(row for record in run.records for row in evidence_rows(run, record))
        whole = conversations_table(sorted(axes), sorted(factors))
        _opened(stack, make(RUNS)).write(run_rows)
        _opened(stack, make(whole)).write(conversations)
    describe(folder, (RUNS, whole, *STREAMED), ending)


def _opened(stack: ExitStack, writer: TableWriter) -> TableWriter:
    stack.callback(writer.close)
    return writer
