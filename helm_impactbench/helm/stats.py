"""HELM's statistics and their descriptions, from plain values: what every HELM metric of ours needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from helm.benchmark.metrics.metric import MetricMetadata, add_context
from helm.benchmark.metrics.metric_name import MetricContext, MetricName
from helm.benchmark.metrics.statistic import Stat
from helm.benchmark.scenarios.scenario import TEST_SPLIT, Instance

from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.stat_names import StatGroup, StatName
from helm_impactbench.helm.values import Values


def stat_of(name: MetricName, values: Iterable[float]) -> Stat:
    """Return a statistic of values; of none, a count of 0, which is not a zero."""
    stat = Stat(name)
    for value in values:
        stat.add(value)
    return stat


def instance_stats(values: Values, instance: Instance) -> list[Stat]:
    """Return what an instance adds to statistics of its split, sub-split and perturbation; nothing without a value."""
    context = MetricContext.from_instance(instance)
    stats = [add_context(stat_of(MetricName(name), added), context) for name, added in values.items()]
    return [stat for stat in stats if stat.count]


def run_stats(values: Mapping[str, float | None]) -> list[Stat]:
    """Return the statistics that a run has as a whole.

    One that is undefined for it (None or nan) has no value. It is not left out, or helm-summarize would warn of it in
    every table.
    """
    return [
        stat_of(MetricName(name, split=TEST_SPLIT), [] if value is None or math.isnan(value) else [value])
        for name, value in values.items()
    ]


def run_cost_stats(aggregated: Iterable[Stat]) -> list[Stat]:
    """Return the US dollars of a run per role and in all; without a value, a count of 0, where a price is unknown."""
    sums: dict[str, float] = {}
    for stat in aggregated:
        sums[stat.name.name] = sums.get(stat.name.name, 0.0) + stat.sum
    costs = {names.run_cost_name(role): _cost(role, sums) for role in names.ROLES}
    known = [cost for cost in costs.values() if cost is not None]
    whole = sum(known) if len(known) == len(costs) else None
    return run_stats({**costs, names.RUN_COST: whole})


def _cost(role: str, sums: Mapping[str, float]) -> float | None:
    return None if sums.get(f"{role}_unpriced_calls") else sums.get(f"{role}_cost_usd", 0.0)


def metadata(stats: Iterable[StatName], without_group: Iterable[StatGroup] = ()) -> list[MetricMetadata]:
    """Return what `helm-summarize --auto-generate-schema` shows."""
    hidden = set(without_group)
    return [
        MetricMetadata(
            name=stat.name,
            display_name=stat.display_name,
            short_display_name=stat.short_display_name,
            description=stat.description,
            lower_is_better=stat.lower_is_better,
            group=None if stat.group in hidden else stat.group.name,
        )
        for stat in stats
    ]
