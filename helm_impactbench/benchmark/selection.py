"""Which scenarios of a benchmark a run takes."""

from __future__ import annotations

from helm_impactbench.benchmark.model import Benchmark, Scenario
from helm_impactbench.errors import BenchmarkError, did_you_mean


def selected_scenarios(benchmark: Benchmark, metric: str | None, split: str) -> list[Scenario]:
    """Return the scenarios of one metric (None for all) and split (or "all"), in file order.

    Raises BenchmarkError when the benchmark has no such metric, or when nothing is left.
    """
    metric_ids = [metric.id for metric in benchmark.metrics]
    if metric is not None and metric not in metric_ids:
        raise BenchmarkError(
            f"Benchmark {benchmark.slug} has no metric {metric!r}; allowed: {', '.join(metric_ids)}."
            f"{did_you_mean(metric, metric_ids)}"
        )
    selected = [
        scenario
        for scenario in benchmark.scenarios
        if metric in (None, scenario.metric_id) and split in ("all", scenario.split)
    ]
    if not selected:
        raise BenchmarkError(
            f"Benchmark {benchmark.slug} has no scenario for metric={metric or 'all'}, split={split}; it has "
            f"{len(benchmark.scenarios)} in all."
        )
    return selected
