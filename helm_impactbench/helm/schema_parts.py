"""The pieces of HELM's schema that every part of ours is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.helm.stat_names import BY_METRIC, StatName, metric_stats


def metric_entry(stat: StatName) -> dict[str, Any]:
    """Return a statistic as HELM describes it."""
    better = {} if stat.lower_is_better is None else {"lower_is_better": stat.lower_is_better}
    return {
        "name": stat.name,
        "display_name": stat.display_name,
        "short_display_name": stat.short_display_name,
        "description": stat.description,
        **better,
    }


def metric_group(
    name: str, display: str, description: str, members: Sequence[str], *, mean: bool = False, split: str = TEST_SPLIT
) -> dict[str, Any]:
    """Return a table of statistics; `mean`: with their mean over run groups."""
    return {
        "name": name,
        "display_name": display,
        "description": description,
        # HELM's default aggregate, the win rate, would rank models by differences that mean nothing.
        "aggregation_strategies": ["mean"] if mean else [],
        # Not HELM's usual ${main_split}: it is compiled in every thread of helm-summarize, and CPython's parser of
        # expressions is not safe there ("AST constructor recursion depth mismatch", seen with 3.11).
        "metrics": [{"name": member, "split": split} for member in members],
    }


def own_group_name(benchmark: Benchmark) -> str:
    """Return the name of the table of a benchmark's single metrics."""
    return f"{BY_METRIC.name}_{benchmark.slug}"


def own_group(benchmark: Benchmark) -> dict[str, Any]:
    """Return the table of a benchmark's single metrics."""
    members = [stat.name for stat in metric_stats(benchmark)]
    return metric_group(
        own_group_name(benchmark), f"{BY_METRIC.display_name}: {benchmark.name}", BY_METRIC.description, members
    )
