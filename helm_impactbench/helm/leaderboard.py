"""Read the tables that helm-summarize has written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from typing_extensions import Self

from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.helm.interval_columns import RANK_HEADER
from helm_impactbench.helm.schema import TOP_GROUP
from helm_impactbench.results.shapes import Name, read_shaped
from helm_impactbench.tables import Column, Result, Row, Table

_BY_LEVEL = ("Pass rate", "Mean")
"""Short names of the statistics that are shown per level: of level metrics, and of contrasts."""


class _HeaderCell(BaseModel):
    model_config = ConfigDict(strict=True)

    value: Name | float | None = None
    lower_is_better: bool | None = None


class _Cell(BaseModel):
    model_config = ConfigDict(strict=True)

    value: Name | float | None = None


class _Table(BaseModel):
    model_config = ConfigDict(strict=True)

    title: Name
    header: list[_HeaderCell]
    rows: list[list[_Cell]]

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        if not self.header or any(len(row) != len(self.header) for row in self.rows):
            raise ValueError("a row is not as long as the header")
        return self


class _RunGroup(BaseModel):
    model_config = ConfigDict(strict=True)

    name: Name
    display_name: Name | None = None
    subgroups: list[Name] | None = None
    sub_splits: list[Name] | None = None


class _Schema(BaseModel):
    model_config = ConfigDict(strict=True)

    run_groups: list[_RunGroup]


class _Release(BaseModel):
    model_config = ConfigDict(strict=True)

    suites: list[Name] = Field(default_factory=list)


_RELEASE: TypeAdapter[Any] = TypeAdapter(_Release)
_TABLES: TypeAdapter[Any] = TypeAdapter(list[_Table])
_SCHEMA: TypeAdapter[Any] = TypeAdapter(_Schema)


@dataclass(frozen=True)
class ShownTable:
    """A table as helm-server shows it, as text."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


class LevelRow(TypedDict):
    """A model's figure at one level of an axis."""

    table: Annotated[str, Column("Table", "text", "Benchmark and statistic.")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.")]
    level: Annotated[str, Column("Level", "text", "Level, or all.")]
    value: Annotated[str, Column("Value", "text", "As helm-server shows it.")]


MOST_COLUMNS = 7
"""A wider leaderboard of few models has a row for each of its columns."""
MOST_MODELS = 5


def leaderboard(folder: Path, group: str | None = None) -> Result:
    """Return the leaderboard of a suite or release that is summarized, and for wide screens its tables by level.

    group: a run group; without one, all benchmarks together, or what else there is. Raises ImpactBenchError.
    """
    name = group or main_group(folder)
    main = next(iter(read_tables(folder, name)), ShownTable("", ("Model",), []))
    by_level = read_levels(folder, name)
    rows: list[LevelRow] = [
        {"table": table.title, "model": row[0], "level": level, "value": value}
        for table in by_level
        for row in table.rows
        for level, value in zip(table.header[1:], row[1:], strict=True)
    ]
    whole = _as_table("leaderboard", main)
    if len(main.header) > MOST_COLUMNS and len(main.rows) <= MOST_MODELS:
        shown = replace(_as_table("exchanged", _exchanged(main)), in_files=False)
        tables = [replace(whole, view="file"), shown]
    else:
        tables = [whole]
    screens = [replace(_as_table("by level", table), view="wide", in_files=False) for table in by_level]
    notes = ["Whether two models differ: impactbench compare."] if len(main.rows) > 1 else []
    if RANK_HEADER in main.header and "-" in (row[main.header.index(RANK_HEADER)] for row in main.rows):
        notes.append(
            "Rank -: the model has no score or lacks cases that others have, was judged by other judges, people fare "
            "differently with it, or no other model has a rank."
        )
    return Result((*tables, *screens, Table.of("levels", LevelRow, rows, view="file")), tuple(notes))


def _as_table(name: str, shown: ShownTable) -> Table:
    seen = Counter[str]()
    keys = []
    for head in shown.header:
        seen[head] += 1
        keys.append(head if seen[head] == 1 else f"{head} {seen[head]}")
    columns = tuple(
        Column(head, "text", head, "default", key=key) for head, key in zip(shown.header, keys, strict=True)
    )
    rows: list[Row] = [dict(zip(keys, row, strict=True)) for row in shown.rows]
    return Table(name, columns, rows, shown.title)


def _exchanged(table: ShownTable) -> ShownTable:
    """Return a table with rows and columns exchanged."""
    header, *rows = zip(table.header, *table.rows, strict=True)
    return ShownTable(table.title, header, rows)


def read_tables(suite_folder: Path, group: str) -> list[ShownTable]:
    """Return the tables of a run group, rows sorted by their first number, best first.

    Raises ImpactBenchError when the suite was not summarized or has no such group.
    """
    path = _path(suite_folder, group)
    if not path.parent.is_dir():
        raise ImpactBenchError(
            f"Suite {suite_folder.name} is not summarized; run: impactbench summarize --suite {suite_folder.name}"
        )
    if not path.is_file():
        known = sorted(file.stem for file in path.parent.glob("*.json"))
        raise ImpactBenchError(f"No group {group!r}; there are: {', '.join(known)}.{did_you_mean(group, known)}")
    return [_table(raw) for raw in _read(path, _TABLES, suite_folder.name)]


def suites_of(release_folder: Path) -> list[str]:
    """Return the suites that a release was made of; none where it is not summarized. Raises ResultsError."""
    path = release_folder / "summary.json"
    return list(_read(path, _RELEASE, release_folder.name)["suites"]) if path.is_file() else []


def main_group(suite_folder: Path) -> str:
    """Return the run group of all benchmarks; where nothing was run of it, the first group that has a row.

    Raises ResultsError.
    """
    path = suite_folder / "schema.json"
    if not path.is_file():
        return TOP_GROUP  # not summarized, of which its reader tells
    named = [str(group["name"]) for group in _read(path, _SCHEMA, suite_folder.name)["run_groups"]]
    for name in (TOP_GROUP, *named):
        if _path(suite_folder, name).is_file() and any(table.rows for table in read_tables(suite_folder, name)):
            return name
    return TOP_GROUP


def read_levels(suite_folder: Path, group: str) -> list[ShownTable]:
    """Return every model's pass rate, or the mean of a contrast's measure, per level, for each benchmark of a group."""
    schema = _read(suite_folder / "schema.json", _SCHEMA, suite_folder.name)
    groups = {run_group["name"]: run_group for run_group in schema["run_groups"]}
    slugs = groups.get(group, {}).get("subgroups") or [group]
    return [
        table
        for slug in slugs
        if slug in groups and _path(suite_folder, slug).is_file()
        for table in _levels(read_tables(suite_folder, slug), groups[slug])
    ]


def _levels(tables: list[ShownTable], group: dict[str, Any]) -> Iterator[ShownTable]:
    whole, *_ = tables or [ShownTable("", (), [])]
    by_level = {
        label: own
        for label in group.get("sub_splits") or []
        if (own := [table for table in tables if _is_sub_split(table, label)])  # one for each set-up
    }
    for statistic in _BY_LEVEL if by_level else ():
        columns = {"all": _column(whole, statistic)}
        columns |= {label: _joined(own, statistic) for label, own in by_level.items()}
        columns = {label: column for label, column in columns.items() if column}  # a mean over all levels there is not
        if columns:
            rows = [(row[0], *(column.get(row[0], "-") for column in columns.values())) for row in whole.rows]
            title = f"{group.get('display_name') or group['name']}: {statistic.lower()} by level"
            yield ShownTable(title, ("Model", *columns), rows)


def _is_sub_split(table: ShownTable, label: str) -> bool:
    return table.title == label or table.title.endswith(f"(sub-split: {label})")  # by helm-summarize alone


def _joined(tables: Sequence[ShownTable], name: str) -> dict[str, str]:
    """Return model -> the cell of a column, of tables with different models."""
    return {model: cell for table in tables for model, cell in _column(table, name).items()}


def _column(table: ShownTable, name: str) -> dict[str, str]:
    """Return model -> the cell of a column; nothing where the table has no such column, or nothing in it."""
    if name not in table.header:
        return {}
    place = table.header.index(name)
    found = {row[0]: row[place] for row in table.rows}
    return found if set(found.values()) != {"-"} else {}


def _read(path: Path, shape: TypeAdapter[Any], suite: str) -> Any:
    """Return what helm-summarize has written. Raises ResultsError."""
    return read_shaped(path, shape, cure=f"write it again: impactbench summarize --suite {suite}.")


def _path(suite_folder: Path, group: str) -> Path:
    return suite_folder / "groups" / f"{group}.json"


def _table(raw: dict[str, Any]) -> ShownTable:
    rows = sorted(raw["rows"], key=lambda row: _best_first(row, raw["header"]))
    header = tuple(str(cell["value"]) for cell in raw["header"])
    return ShownTable(str(raw["title"]), header, [tuple(_text(cell.get("value")) for cell in row) for row in rows])


def _best_first(row: list[dict[str, Any]], header: list[dict[str, Any]]) -> float:
    """Return a key by the first number of a row, turned round unless lower is better.

    Rows without one, or with words in its place, come last.
    """
    for cell, head in zip(row[1:], header[1:], strict=True):
        if isinstance(cell.get("value"), str):
            break
        if isinstance(cell.get("value"), int | float):
            return float(cell["value"] if head.get("lower_is_better") else -cell["value"])
    return float("inf")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
