"""Read the tables that helm-summarize has written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError, did_you_mean


@dataclass(frozen=True)
class ShownTable:
    """A table as helm-server shows it, as text."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


def read_tables(suite_folder: Path, group: str) -> list[ShownTable]:
    """Return the tables of a run group, rows sorted by their first number, best first.

    Raises ImpactBenchError when the suite was not summarized or has no such group.
    """
    path = _path(suite_folder, group)
    if not suite_folder.is_dir():
        raise ImpactBenchError(f"No suite at {suite_folder}; run helm-run --suite {suite_folder.name} first.")
    if not path.parent.is_dir():
        raise ImpactBenchError(
            f"Suite {suite_folder.name} is not summarized; run: impactbench summarize --suite {suite_folder.name}"
        )
    if not path.is_file():
        known = sorted(file.stem for file in path.parent.glob("*.json"))
        raise ImpactBenchError(f"No group {group!r}; there are: {', '.join(known)}.{did_you_mean(group, known)}")
    return [_table(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]


def read_levels(suite_folder: Path, group: str) -> list[ShownTable]:
    """Return, for each benchmark of a group, the pass rate of every model over all people and per level."""
    schema = json.loads((suite_folder / "schema.json").read_text(encoding="utf-8"))
    groups = {run_group["name"]: run_group for run_group in schema["run_groups"]}
    slugs = groups[group]["subgroups"] or [group]
    shown = [_levels(suite_folder, groups[slug]) for slug in slugs if _path(suite_folder, slug).is_file()]
    return [table for table in shown if table is not None]


def _levels(suite_folder: Path, group: dict[str, Any]) -> ShownTable | None:
    tables = read_tables(suite_folder, group["name"])
    labels = [label for label in group.get("sub_splits", []) if any(_is_sub_split(table, label) for table in tables)]
    if not labels:
        return None
    columns = [_pass_rates(tables[0])]
    columns += [_pass_rates(next(table for table in tables if _is_sub_split(table, label))) for label in labels]
    rows = [(model, *(column.get(model, "-") for column in columns)) for model in columns[0]]
    return ShownTable(f"{group['display_name']}: pass rate by level", ("Model", "all", *labels), rows)


def _is_sub_split(table: ShownTable, label: str) -> bool:
    return table.title.endswith(f"(sub-split: {label})")


def _pass_rates(table: ShownTable) -> dict[str, str]:
    column = table.header.index("Pass rate")
    return {row[0]: row[column] for row in table.rows}


def _path(suite_folder: Path, group: str) -> Path:
    return suite_folder / "groups" / f"{group}.json"


def _table(raw: dict[str, Any]) -> ShownTable:
    rows = sorted(raw["rows"], key=lambda row: -_first_number(row))
    header = tuple(str(cell["value"]) for cell in raw["header"])
    return ShownTable(str(raw["title"]), header, [tuple(_text(cell.get("value")) for cell in row) for row in rows])


def _first_number(row: list[dict[str, Any]]) -> float:
    return next((cell["value"] for cell in row if isinstance(cell.get("value"), int | float)), float("-inf"))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
