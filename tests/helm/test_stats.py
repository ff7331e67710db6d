"""What a run cost, from the statistics of its conversations."""

from __future__ import annotations

from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat

from helm_impactbench.helm.stats import run_cost_stats


def stats(**sums: list[float]) -> list[Stat]:
    """Return statistics by name, one per sub-split."""
    return [Stat(MetricName(name, sub_split=str(i))).add(v) for name, vs in sums.items() for i, v in enumerate(vs)]


def costs(given: list[Stat]) -> dict[str, float | None]:
    """Return name -> US dollars, None where the statistic has no value."""
    return {stat.name.name: stat.sum if stat.count else None for stat in run_cost_stats(given)}


def test_sub_splits_and_roles_are_added_up() -> None:
    """A role's cost is the sum over its sub-splits; a role that was never called costs nothing."""
    found = costs(stats(target_cost_usd=[1.0, 2.0], judge_cost_usd=[0.5], target_unpriced_calls=[0.0, 0.0]))
    assert found == {
        "target_run_cost_usd": 3.0,
        "user_run_cost_usd": 0.0,
        "judge_run_cost_usd": 0.5,
        "run_cost_usd": 3.5,
    }


def test_an_unpriced_call_leaves_the_cost_unknown() -> None:
    """Its role and the whole have no value, never a part that looks like all; other roles keep theirs."""
    found = costs(stats(target_cost_usd=[1.0], judge_cost_usd=[0.5], judge_unpriced_calls=[1.0]))
    assert (found["judge_run_cost_usd"], found["run_cost_usd"]) == (None, None)
    assert found["target_run_cost_usd"] == 1.0
