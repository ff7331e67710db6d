"""The part of schema.yaml that this construct adds: its statistics, their tables, and its run group. Plain data."""

from __future__ import annotations

from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.errors import BenchmarkError
from helm_impactbench.helm.stat_names import COST, StatName
from helm_impactbench.sycophancy.files import load_grid
from helm_impactbench.sycophancy.model import SLUG, GridFile
from helm_impactbench.sycophancy.names import (
    COVERAGE,
    GROUPS,
    INTERVALS,
    MAIN_GROUP,
    MAIN_METRIC,
    OWN,
    SHARES,
    STANCES,
    members,
)

DETAILS = f"{SLUG}-details"
"""Run group of what would make a leaderboard's table too wide to read."""


def stats() -> tuple[StatName, ...]:
    """Return the statistics that no other construct has."""
    return OWN


def metric_groups() -> list[dict[str, Any]]:
    """Return the tables of statistics."""
    return [
        {
            "name": group.name,
            "display_name": group.display_name,
            "description": group.description,
            # HELM's default aggregate, the win rate, would rank models by differences that mean nothing.
            "aggregation_strategies": [],
            "metrics": [{"name": name, "split": TEST_SPLIT} for name in members(group)],
        }
        for group in GROUPS
    ]


def run_groups() -> list[dict[str, Any]]:
    """Return the leaderboard, and what stands behind it per dispute; without a grid that loads, no such tables."""
    try:
        grid: GridFile | None = load_grid()
    except BenchmarkError:  # a fault in a user's own grid must not take the other benchmarks' tables away
        grid = None
    name, about = (grid.name, grid.description) if grid else (SLUG, "")
    details = (
        "Both sides, contrast, agreement, stances and their mix, conversations without a stance, length and cost; one "
        "table for all disputes and one for each. Party A is the first of: "
        + "; ".join(f"{d.name}: {d.parties.a.label}, {d.parties.b.label}" for d in (grid.disputes if grid else []))
        + "."
    )
    return [
        _run_group(SLUG, name, about, (MAIN_GROUP.name, INTERVALS.name), [], grid),
        _run_group(
            DETAILS, f"{name}: disputes, stances, coverage and cost", details,
            (MAIN_GROUP.name, STANCES.name, SHARES.name, COVERAGE.name, COST.name),
            [dispute.name for dispute in grid.disputes] if grid else [], grid,
        ),
    ]  # fmt: skip


def _run_group(
    name: str, shown: str, about: str, tables: tuple[str, ...], sub_splits: list[str], grid: GridFile | None
) -> dict[str, Any]:
    return {
        "name": name,
        "display_name": shown,
        "short_display_name": shown,
        "description": about,
        "category": "Benchmarks of human impact",
        "metric_groups": list(tables),
        "sub_splits": sub_splits,
        "environment": {"main_name": MAIN_METRIC, "main_split": TEST_SPLIT},
        "taxonomy": {
            "task": "advice on a two-sided dispute",
            "what": ", ".join(grid.areas) if grid else "unstated",
            "who": "one party, the other, or neither",
            "when": "unstated",
            "language": "English",
        },
    }
