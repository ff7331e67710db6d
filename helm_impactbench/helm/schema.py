"""schema.yaml: what helm-summarize and helm-server show. Generated from the benchmarks and the tables of statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import yaml
from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.benchmark.areas import Area, Subarea
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm import suite_schema
from helm_impactbench.helm.schema_parts import metric_entry, metric_group, own_group, own_group_name
from helm_impactbench.helm.stat_names import StatGroup

TOP_GROUP = "impactbench"
DETAILS_GROUP = "impactbench_details"
CONTRAST_GROUP = "impactbench_contrasts"

_HEADER = """\
# What helm-summarize and helm-server show of ImpactBench, and of HELM's safety and capability suites beside it.
# Generated from the benchmarks by `impactbench summarize --schema-only`; edit those, not this file.
---
"""


def schema_text(benchmarks: Iterable[Benchmark]) -> str:
    """Return the text of schema.yaml for these benchmarks."""
    return _HEADER + yaml.safe_dump(schema(list(benchmarks)), sort_keys=False, allow_unicode=True, width=120)


def schema(benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    """Return HELM's schema as data.

    helm-server shows descriptions as Markdown. Images in them stay text: loading one would reveal the reader.
    """
    measured = [benchmark for benchmark in benchmarks if not benchmark.regression]
    stats = [*names.STATS, *(stat for benchmark in benchmarks for stat in names.metric_stats(benchmark))]
    whole = {
        "metrics": [metric_entry(stat) for stat in (*stats, *suite_schema.stats())],
        "perturbations": [],
        "metric_groups": [
            *map(_common_group, _COMMON),
            *map(own_group, benchmarks),
            *suite_schema.metric_groups(),
        ],
        "run_groups": [
            _top(measured),
            _contrasts(measured),
            *(_area(area, measured) for area in get_args(Area)),
            *(_subarea(subarea, measured) for subarea in get_args(Subarea)),
            *map(_run_group, benchmarks),
            _details(),
            *suite_schema.run_groups([TOP_GROUP, CONTRAST_GROUP]),
        ],
    }
    for part in whole.values():
        for entry in part:
            entry["description"] = entry["description"].replace("![", r"!\[")
    return whole


_RATES = (names.MAIN, names.POSITIVES, names.NEGATIVES)
_CONTRASTS = (names.CONTRASTS, names.LEVEL_MEANS, names.CONTRAST_BOUNDS)
_DETAILS = (names.UNCERTAINTY, names.AGREEMENT, names.MISSING, names.COVERAGE, names.COST)
_COMMON = (*_RATES, *_CONTRASTS, *_DETAILS)


def area_group(area: str) -> str:
    """Return the name of the run group of an area."""
    return f"{TOP_GROUP}_{area}"


def _common_group(group: StatGroup) -> dict[str, Any]:
    members = [stat.name for stat in names.STATS if stat.group == group]
    return metric_group(group.name, group.display_name, group.description, members, mean=group in _RATES)


def _top(benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    return {
        "name": TOP_GROUP,
        "display_name": "ImpactBench",
        "description": "How AI systems treat the people who talk to them: pass rates over simulated multi-turn "
        "conversations, with the mean over benchmarks. Models named as scripted are rehearsal stand-ins.",
        "category": "Human impact",
        "subgroups": [benchmark.slug for benchmark in benchmarks if _has_levels(benchmark)],
        "subgroup_metric_groups_hidden": _hidden(benchmarks),
    }


def _contrasts(benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    members = [benchmark for benchmark in benchmarks if not _has_levels(benchmark)]
    return {
        "name": CONTRAST_GROUP,
        "display_name": "ImpactBench: contrasts",
        "description": "Does the same case end differently for another person? Differences between the levels of an "
        "axis; 0 is ideal, in both directions. These figures are in no mean of pass rates.",
        "category": "Human impact",
        "subgroups": [benchmark.slug for benchmark in members],
        "subgroup_metric_groups_hidden": _hidden(members),
    }


def _has_levels(benchmark: Benchmark) -> bool:
    return any(metric.type != "contrast" for metric in benchmark.metrics)


def _area(area: str, benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    members = [benchmark for benchmark in benchmarks if area in benchmark.areas and _has_levels(benchmark)]
    none = "" if members else " No installed benchmark is about it yet."
    return {
        "name": area_group(area),
        "display_name": f"{area.capitalize()} impact",
        "description": f"ImpactBench's benchmarks about {area} impact on people.{none}",
        "category": "Human impact",
        "subgroups": [benchmark.slug for benchmark in members],
        "subgroup_metric_groups_hidden": _hidden(members),
    }


def _subarea(subarea: str, benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    area, _, part = subarea.partition("/")
    members = [benchmark for benchmark in benchmarks if subarea in benchmark.subareas and _has_levels(benchmark)]
    none = "" if members else " No installed benchmark is about it yet."
    return {
        "name": f"{area_group(area)}_{part}",
        "display_name": f"{area.capitalize()} impact: {part}",
        "description": f"ImpactBench's benchmarks about {area} impact on people, {part}.{none}",
        "category": "Human impact by subarea",
        "subgroups": [benchmark.slug for benchmark in members],
        "subgroup_metric_groups_hidden": _hidden(members),
    }


def _hidden(benchmarks: Sequence[Benchmark]) -> list[str]:
    """Return the tables that make sense within a benchmark only."""
    return [names.MISSING.name, names.CONTRAST_BOUNDS.name, *map(own_group_name, benchmarks)]


def _tables(benchmark: Benchmark) -> list[str]:
    """Return the tables of a benchmark: rates where it has level metrics, contrasts where it has any."""
    types = {metric.type for metric in benchmark.metrics}
    groups = [*(_RATES if types - {"contrast"} else ()), *(_CONTRASTS if "contrast" in types else ())]
    return [group.name for group in groups]


def _run_group(benchmark: Benchmark) -> dict[str, Any]:
    return {
        "name": benchmark.slug,
        "display_name": benchmark.name,
        "short_display_name": benchmark.name,
        "description": benchmark.description,
        "category": "Benchmarks of human impact",
        "metric_groups": [*_tables(benchmark), names.MISSING.name, own_group_name(benchmark)],
        "sub_splits": benchmark.axes_labels,
        "environment": {"main_name": names.main_metric(benchmark), "main_split": TEST_SPLIT},
        "taxonomy": {
            "task": "simulated multi-turn conversation"
            if any(scenario.has_simulated_user for scenario in benchmark.scenarios)
            else "fixed messages",
            "what": ", ".join(benchmark.areas) or "unstated",
            "who": ", ".join(benchmark.axes_labels) or "unstated",
            "when": "unstated",
            "language": "unstated",
        },
    }


def _details() -> dict[str, Any]:
    """Return the group with the statistics that would make a leaderboard too wide to read."""
    return {
        "name": DETAILS_GROUP,
        "display_name": "ImpactBench: certainty, agreement, coverage and cost",
        "description": "Details of the pass rates: intervals, agreement of judges and samples, conversations "
        "without a verdict by reason, checks of the judges' evidence, turns, tokens and US dollars by role. One table "
        "per benchmark.",
        "category": "Human impact",
        "metric_groups": [group.name for group in _DETAILS],
        "environment": {"main_name": names.MAIN_METRIC, "main_split": TEST_SPLIT},
    }
