"""Rows that people write in a CSV or JSONL file: situations, prompts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.safe_read import MAX_CONTENT_BYTES, IntakeError, decoded, parsed_json, read_bytes

_JSON_LINES = (".jsonl", ".ndjson")


def read_rows(path: Path, example: str, most: int = MAX_CONTENT_BYTES) -> list[tuple[int, Mapping[str, Any]]]:
    """Return each row with its line: of a CSV file its filled cells by column, of a JSONL file the object.

    example: a row as JSON, for a line that is no object. most: bytes of the file. Raises ImpactBenchError with the line
    of the first fault.
    """
    try:
        text = decoded(read_bytes(path, most))
        return [*(_json_rows(path, text, example) if path.suffix.lower() in _JSON_LINES else _csv_rows(path, text))]
    except IntakeError as error:
        raise ImpactBenchError(f"{path}: {error}") from error
    except csv.Error as error:
        raise ImpactBenchError(f"{path}: cannot be read as CSV: {error}") from error


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CONTENT_BYTES))  # a transcript may stand in one cell
    header = text.partition("\n")[0]
    delimiter = ";" if ";" in header and "," not in header else ","  # a spreadsheet's, where a comma is decimal
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    for row in reader:
        if None in row:
            signs = "commas" if delimiter == "," else "semicolons"
            raise ImpactBenchError(
                f"{path}:{reader.line_num}: more cells than columns; put text with {signs} in quotation marks"
            )
        yield reader.line_num, {name: value for name, value in row.items() if value}


def _json_rows(path: Path, text: str, example: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, written in enumerate(text.split("\n"), start=1):
        if written.strip():
            try:
                row = parsed_json(written)
            except IntakeError as error:
                raise ImpactBenchError(f"{path}:{line}: {error}") from error
            if not isinstance(row, dict):
                raise ImpactBenchError(f"{path}:{line}: not an object. Write one per line: {example}")
            yield line, row
