"""Which scenarios of a benchmark a run takes."""

from __future__ import annotations

import math

from helm_impactbench.benchmark.model import Benchmark, Scenario, content_digest
from helm_impactbench.errors import BenchmarkError, did_you_mean


def selected_scenarios(benchmark: Benchmark, metric: str | None, split: str, part: float = 1.0) -> list[Scenario]:
    """Return the scenarios of one metric (None for all) and split (or "all"), in file order; of these a `part`.

    A part below 1 is spread over demographics, and within each over metrics; it is the same whenever it is taken.
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
    return selected if part == 1 else _spread(selected, part)


def _spread(scenarios: list[Scenario], part: float) -> list[Scenario]:
    """Return every n-th scenario of an order in which neighbours have the same demographic and then the same metric.

    Systematic sampling in a sorted frame; source: Cochran (1977), Sampling Techniques, chapter 8.
    """
    ordered = sorted(scenarios, key=_order)
    places = max(1, math.ceil(part * len(ordered) - 1e-9))
    chosen = {ordered[math.floor((place + 0.5) * len(ordered) / places)].id for place in range(places)}
    return [scenario for scenario in scenarios if scenario.id in chosen]


def _order(scenario: Scenario) -> tuple[str, str, str]:
    """Metrics stand in another order for each demographic, or all of these would miss the same metrics."""
    label = scenario.axes_label or ""
    return label, content_digest([label, scenario.metric_id]), content_digest(scenario.id)
