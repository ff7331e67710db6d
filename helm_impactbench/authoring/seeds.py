"""Experts' situations to start from: CSV with the columns situation, notes, author, and optionally metric."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes

COLUMNS = ("situation", "notes", "author", "metric")


@dataclass(frozen=True)
class Seed:
    """One situation."""

    situation: str
    notes: str | None = None
    author: str | None = None
    metric: str | None = None
    """The metric it is for; any when None."""


def read_seeds(path: Path) -> tuple[Seed, ...]:
    """Read seeds from a CSV file. Raises ImpactBenchError with the line of the first fault."""
    try:
        reader = csv.DictReader(io.StringIO(decoded(read_bytes(path)), newline=""), strict=True)
        for column in reader.fieldnames or []:
            if column not in COLUMNS:
                raise ImpactBenchError(
                    f"{path}: there is no column {column!r} in seeds. Columns can be {', '.join(COLUMNS)}."
                    f"{did_you_mean(str(column), COLUMNS)}"
                )
        if "situation" not in (reader.fieldnames or []):
            raise ImpactBenchError(f"{path}: the column situation is missing. Columns can be {', '.join(COLUMNS)}.")
        seeds = tuple(_seed(path, reader.line_num, row) for row in reader)
    except IntakeError as error:
        raise ImpactBenchError(f"{path}: {error}") from error
    except csv.Error as error:
        raise ImpactBenchError(f"{path}: cannot be read as CSV: {error}") from error
    if not seeds:
        raise ImpactBenchError(f"{path}: contains no situation; write one per row, below the header")
    return seeds


def _seed(path: Path, line: int, row: dict[str, str | None]) -> Seed:
    if None in row:
        raise ImpactBenchError(f"{path}:{line}: more cells than columns; put text with commas in quotation marks")
    cleaned = {column: (row.get(column) or "").strip() or None for column in COLUMNS}
    if cleaned["situation"] is None:
        raise ImpactBenchError(f"{path}:{line}: the situation is empty. Describe it in a sentence or two.")
    return Seed(cleaned["situation"], cleaned["notes"], cleaned["author"], cleaned["metric"])
