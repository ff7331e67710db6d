"""A result in a file: CSV, JSON or Markdown, as the file's ending says.

CSV and JSON hold every figure as it is; Markdown is for people and holds what a wide screen shows. A result of several
tables is one JSON object, table by table; as CSV and Markdown, further tables go into files beside the first one:
x.csv and x.pairs.csv.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.plain_json import plain_json
from helm_impactbench.files.spreadsheet import SpreadsheetWriter
from helm_impactbench.tables import Result, Table
from helm_impactbench.tables.cells import cell_text

ENDINGS = (".csv", ".json", ".md")


def write_result(result: Result, path: Path) -> list[Path]:
    """Write a result and return the files. Unknown numbers are null or empty. Raises ImpactBenchError."""
    texts = dict(_texts(result, path))
    for place, text in texts.items():
        try:
            place.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        except OSError as error:
            raise ImpactBenchError(f"--out {place} cannot be written: {error.strerror or error}") from error
    return list(texts)


def check_ending(path: Path, endings: tuple[str, ...] = ENDINGS) -> None:
    """Raise ImpactBenchError unless `path` names a kind of file that can be written."""
    if path.suffix not in endings:
        raise ImpactBenchError(f"--out {path} must end in {' or '.join(endings)}, which decides what is written.")


def _texts(result: Result, path: Path) -> Iterator[tuple[Path, str]]:
    check_ending(path)
    tables = result.file_tables()
    if path.suffix == ".json":
        whole = {table.name: table.records() for table in tables}
        yield path, json_text(whole if len(tables) > 1 else next(iter(whole.values())))
        return
    for number, table in enumerate(tables):
        place = path if number == 0 else path.with_name(f"{path.stem}.{table.name}{path.suffix}")
        yield place, csv_text(table) if path.suffix == ".csv" else markdown_text(table)


def json_text(value: object) -> str:
    """Return JSON of plain data, tables and dataclasses; unknown and infinite numbers are null."""
    return json.dumps(plain_json(value), indent=1, ensure_ascii=False) + "\n"


def csv_text(table: Table) -> str:
    """Return the rows as CSV that is safe to open in a spreadsheet program."""
    file = io.StringIO(newline="")
    writer = SpreadsheetWriter(file)
    columns = [column for column in table.columns if column.in_files]
    writer.row([column.key for column in columns])
    exact = {place for place, column in enumerate(columns) if column.exact}
    for record in table.records():
        cells = (None if isinstance(value, float) and not math.isfinite(value) else value for value in record.values())
        writer.row(cells, exact)
    return file.getvalue()


def markdown_text(table: Table) -> str:
    """Return what a wide screen shows of a table; of a single column of text its words, to be copied as they are."""
    columns = [column for column in table.columns if column.is_shown(table.rows, wide=True)]
    if len(columns) == 1 and columns[0].kind == "text":
        return "".join(f"{cell_text(columns[0], row)}\n" for row in table.rows)
    lines = [[column.title for column in columns], ["---"] * len(columns)]
    lines += [[cell_text(column, row) for column in columns] for row in table.rows]
    return "".join(f"| {' | '.join(map(_escaped, line))} |\n" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
