"""The benchmark of a run: the installed one if it is the same, else what the run itself holds of it."""

from __future__ import annotations

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark, Setting
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.outputs.export.runs import Run


def benchmark_of(run: Run) -> Benchmark:
    """Return the benchmark that a run was made with."""
    try:
        installed = load_benchmark(run.benchmark)
    except BenchmarkError:
        return rebuilt(run)
    return installed if installed.digest() == run.folder.provenance.get("benchmark_digest") else rebuilt(run)


def rebuilt(run: Run) -> Benchmark:
    """Return the benchmark of a run as far as its conversations show it."""
    metrics: dict[str, Metric] = {}
    scenarios: dict[str, Scenario] = {}
    told: dict[str, set[str]] = {}
    for record in run.records:
        case = record.case
        metrics.setdefault(case.metric.id, case.metric)
        # Whether the benchmark or the scenario gave it: it held for this one.
        own_prompt = {"target_system_prompt": case.plan.target_system_prompt, "app_context": None}
        scenarios.setdefault(case.scenario.id, case.scenario.model_copy(update=own_prompt))
        for axis in case.scenario.axes:
            told.setdefault("told" if axis in case.plan.axes else "untold", set()).add(axis)
    plan = run.records[0].case.plan if run.records else None
    last = max((landmark.turn for scenario in scenarios.values() for landmark in scenario.landmarks), default=1)
    return Benchmark(
        slug=run.benchmark,
        name=run.folder.provenance.get("benchmark_name") or run.benchmark,
        description=str(run.folder.scenario.get("description") or run.benchmark),
        scenario=Setting(
            user_context=plan.setting if plan else None,
            turns=max(plan.turns, last) if plan else 1,  # a run may have had fewer than its landmarks are for
            untold_axes=sorted(told.get("untold", ())),
        ),
        metrics=list(metrics.values()),
        scenarios=list(scenarios.values()),
    )
