"""What a whole run cost, by role, from the statistics of its conversations."""

from __future__ import annotations

from collections.abc import Iterable

from helm.benchmark.metrics.statistic import Stat

from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.stats import run_stats


def run_cost_stats(aggregated: Iterable[Stat]) -> list[Stat]:
    """Return the US dollars of a run per role and in total; no value (a count of 0) if a price is unknown."""
    sums: dict[str, float] = {}
    for stat in aggregated:
        sums[stat.name.name] = sums.get(stat.name.name, 0.0) + stat.sum
    costs = {names.run_cost_name(role): _cost(role, sums) for role in names.ROLES}
    known = [cost for cost in costs.values() if cost is not None]
    whole = sum(known) if len(known) == len(costs) else None
    return run_stats({**costs, names.RUN_COST: whole})


def _cost(role: str, sums: dict[str, float]) -> float | None:
    return None if sums.get(f"{role}_unpriced_calls") else sums.get(f"{role}_cost_usd", 0.0)
