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
from helm_impactbench.helm.suite_schema import CATEGORIES, COMBINED_GROUP, KIND_GROUPS
from helm_impactbench.suites.external.names import SUITES
from helm_impactbench.suites.panels.names import RUN_PREFIX

LEADERBOARDS = (COMBINED_GROUP, *KIND_GROUPS.values())
"""Run groups that are shown as one table of main figures."""
Columns = Sequence[tuple[RunGroup, str]]
"""(run group, metric group) as HELM has them."""

_KIND_OF = {suite.group: suite.kind for suite in SUITES}
_SHOWN = {"impact": "Human impact", "safety": "Safety", "capability": "Capability"}


def fitted(schema: Schema, with_runs: Collection[str]) -> Schema:
    """Return the schema without suites that nothing was run of, and the combined group first where it is of use."""
    of_suites = {group.name for group in schema.run_groups if group.category in CATEGORIES}
    by_name = {group.name: group for group in schema.run_groups}

    def is_kept(name: str) -> bool:
        return name not in of_suites or name in with_runs or any(map(is_kept, by_name[name].subgroups))

    def has_runs(name: str) -> bool:
        return name in with_runs or any(map(has_runs, by_name[name].subgroups))

    both = COMBINED_GROUP in by_name and has_runs(TOP_GROUP) and any(map(has_runs, KIND_GROUPS.values()))
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
    """Return the table with main figures alone, and the mean of each kind of suite in front."""
    found = [
        _Column(group, metric.name == group.environment["main_name"])
        for group, metric_group in columns
        for metric in schema.name_to_metric_group[metric_group].metrics
    ]
    kept = [number for number, column in enumerate(found, start=1) if column.is_main]
    kinds = {number: kind for number in kept if (kind := _kind(found[number - 1].group.name, columns))}
    shown = list(dict.fromkeys(kinds.values()))
    members = [[number for number in kept if kinds.get(number) == kind] for kind in shown]
    header = [_mean_header(kind, len(numbers)) for kind, numbers in zip(shown, members, strict=True)]
    rows = [[row[0], *(_mean(row, numbers) for numbers in members), *(row[n] for n in kept)] for row in table.rows]
    return replace(table, header=[table.header[0], *header, *(table.header[n] for n in kept)], rows=rows)


def _kind(group: str, columns: Columns) -> str | None:
    """Return the kind of suite whose mean a column counts in; None where another column speaks for the suite."""
    suite = group.removeprefix(RUN_PREFIX)
    if suite in _KIND_OF:
        judged_twice = suite == group and any(other.name == RUN_PREFIX + suite for other, _ in columns)
        return None if judged_twice else _KIND_OF[suite]
    (own,) = {metric_group for other, metric_group in columns if other.name == group}
    return "impact" if own.startswith(TOP_GROUP) else None


def _mean_header(kind: str, count: int) -> HeaderCell:
    return HeaderCell(
        f"{_SHOWN[kind]} (mean of {count})",
        description=f"Mean of the {count} suites of this kind that stand in this table, of models that have a figure "
        "in each of them. `impactbench report` shows it with an interval.",
        lower_is_better=False,
    )


def _mean(row: Sequence[Cell], numbers: Sequence[int]) -> Cell:
    values = [row[number].value for number in numbers]
    return Cell(None if None in values else fmean(map(float, values)))
