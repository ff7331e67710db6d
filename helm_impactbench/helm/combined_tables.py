"""One leaderboard over suites whose main figures differ: HELM's tables have one figure for all of their columns.

Pure but for the types: which groups are shown, which columns they have, and the means in front of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from helm.benchmark.presentation.schema import RunGroup, Schema
from helm.benchmark.presentation.table import Cell, HeaderCell, Table

from helm_impactbench.helm.schema import TOP_GROUP
from helm_impactbench.helm.suite_schema import AREA_GROUPS, CATEGORIES, COMBINED_GROUP
from helm_impactbench.suites.registry import title_of

LEADERBOARDS = (COMBINED_GROUP, *AREA_GROUPS.values())
"""Run groups that are shown as one table of main figures."""
Columns = Sequence[tuple[RunGroup, str]]
"""(run group, metric group) as HELM has them."""

_AREAS = {
    TOP_GROUP: "Human impact",
    **{group: area.capitalize() for area, group in AREA_GROUPS.items()},
}
"""Run group of an area -> its name for people. Figures of different areas are in no mean together."""


def fitted(schema: Schema, with_runs: Collection[str]) -> Schema:
    """Return the schema without suites that nothing was run of, and the combined group first where it is of use."""
    of_suites = {group.name for group in schema.run_groups if group.category in CATEGORIES}
    by_name = {group.name: group for group in schema.run_groups}

    def is_kept(name: str) -> bool:
        return name not in of_suites or name in with_runs or any(map(is_kept, by_name[name].subgroups))

    def has_runs(name: str) -> bool:
        return name in with_runs or any(map(has_runs, by_name[name].subgroups))

    both = COMBINED_GROUP in by_name and has_runs(TOP_GROUP) and any(map(has_runs, AREA_GROUPS.values()))
    kept = [
        replace(group, subgroups=[name for name in group.subgroups if is_kept(name)])
        for group in schema.run_groups
        if (both if group.name == COMBINED_GROUP else is_kept(group.name))
    ]
    return replace(schema, run_groups=sorted(kept, key=lambda group: group.name != COMBINED_GROUP))


def main_columns(subgroups: Sequence[RunGroup], with_runs: Collection[str]) -> list[tuple[RunGroup, str]]:
    """Return a column for every suite with runs: the first of its tables."""
    return [(group, group.metric_groups[0]) for group in subgroups if group.metric_groups and group.name in with_runs]


@dataclass(frozen=True)
class _Column:
    group: RunGroup
    is_main: bool


def with_means(table: Table, columns: Columns, schema: Schema) -> Table:
    """Return the table with main figures alone, and the mean of each area in front."""
    found = [
        _Column(group, metric.name == group.environment["main_name"])
        for group, metric_group in columns
        for metric in schema.name_to_metric_group[metric_group].metrics
    ]
    kept = [number for number, column in enumerate(found, start=1) if column.is_main]
    shown = {group.name for group, _ in columns}
    areas = {number: area for number in kept if (area := _area(found[number - 1].group.name, shown, schema))}
    members = {area: [number for number in kept if areas.get(number) == area] for area in dict.fromkeys(areas.values())}
    header = [_mean_header(area, len(numbers)) for area, numbers in members.items()]
    rows = [
        [row[0], *(_mean(row, numbers) for numbers in members.values()), *(row[n] for n in kept)] for row in table.rows
    ]
    return replace(table, header=[table.header[0], *header, *(table.header[n] for n in kept)], rows=rows)


def _area(group: str, shown: Collection[str], schema: Schema) -> str | None:
    """Return the area whose mean a column counts in; None for a contrast or a second figure, or where another
    column replaces it."""
    if not title_of(group).counted or any(title_of(other).replaces == group for other in shown):
        return None
    by_name = {run_group.name: run_group for run_group in schema.run_groups}
    return next((area for area in _AREAS if area in by_name and group in by_name[area].subgroups), None)


def _mean_header(area: str, count: int) -> HeaderCell:
    return HeaderCell(
        f"{_AREAS[area]} (mean of {count})",
        description=f"Mean of the {count} benchmarks or suites of this area in this table, for models that "
        "have a figure in each of them. `impactbench report` shows it with an interval.",
        lower_is_better=False,
    )


def _mean(row: Sequence[Cell], numbers: Sequence[int]) -> Cell:
    values = [row[number].value for number in numbers]
    return Cell(None if None in values else fmean(map(float, values)))
