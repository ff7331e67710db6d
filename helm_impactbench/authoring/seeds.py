"""Experts' situations to start from: a CSV or JSONL file with situation, notes, author, and optionally metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.authoring.file_rows import read_rows
from helm_impactbench.errors import ImpactBenchError, did_you_mean

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
    """Read seeds from a CSV file, or from one with a JSON object per line. Raises ImpactBenchError with the line."""
    rows = read_rows(path, '{"situation": "..."}')
    if not rows:
        raise ImpactBenchError(f"{path}: contains no situation; write one per row")
    return tuple(_seed(path, line, row) for line, row in rows)


def _seed(path: Path, line: int, row: Mapping[str, Any]) -> Seed:
    for name, value in row.items():
        if name not in COLUMNS:
            raise ImpactBenchError(
                f"{path}:{line}: there is no column {name!r} in seeds. Columns can be {', '.join(COLUMNS)}."
                f"{did_you_mean(name, COLUMNS)}"
            )
        if value is not None and not isinstance(value, str):
            raise ImpactBenchError(f"{path}:{line}: {name} must be text in quotation marks, or null")
    cleaned = {column: (row.get(column) or "").strip() or None for column in COLUMNS}
    if cleaned["situation"] is None:
        raise ImpactBenchError(f"{path}:{line}: the situation is empty or missing. Describe it in a sentence or two.")
    return Seed(cleaned["situation"], cleaned["notes"], cleaned["author"], cleaned["metric"])
