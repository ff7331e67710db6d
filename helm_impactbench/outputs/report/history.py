"""The page that follows each model over several suites."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from helm_impactbench.analysis.history import Snapshot, Step, history, instruments, shared_benchmarks
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.plots import Bar, interval_plot
from helm_impactbench.outputs.report.runs import Site
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome

ADDRESS = "history.html"


def snapshots(suite: str, runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> list[Snapshot]:
    """Return every model of a suite as it stands there; runs: the suite's runs with what they came to."""
    by_model: dict[str, list[tuple[RunFolder, Sequence[Outcome]]]] = {}
    for run, outcomes in runs:
        by_model.setdefault(run.model, []).append((run, outcomes))
    return [_snapshot(suite, model, own) for model, own in by_model.items()]


def history_values(site: Site, found: Sequence[Snapshot]) -> dict[str, Any]:
    """Return what the page shows: the models of the report, each with the suites that have it."""
    own: dict[str, list[Snapshot]] = {}
    for one in found:
        own.setdefault(one.model, []).append(one)
    models = {model: history(own[model]) for model in site.models if len(own.get(model, [])) > 1}
    return {
        "suites": sorted({(one.day, one.suite) for one in found}),
        "models": models,
        "charts": {model: _chart(site, model, steps) for model, steps in models.items()},
        "shared": {model: shared_benchmarks(steps) for model, steps in models.items()},
        "alone": [model for model in site.models if model not in models],
    }


def _chart(site: Site, model: str, steps: Sequence[Step]) -> Any:
    bars = [
        Bar(f"{step.snapshot.day}{' *' if step.changes else ''}", names.model_address(model), step.score.mean,
            step.score.like_these_interval, step.score.interval)
        for step in steps
        if step.score and step.score.groups
    ]  # fmt: skip
    return interval_plot(bars, f"history of {site.models[model]}") if bars else ""


def _snapshot(suite: str, model: str, runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> Snapshot:
    return Snapshot(
        suite=suite,
        model=model,
        day=max(_day(run) for run, _ in runs),
        outcomes=tuple(outcome for _, outcomes in runs for outcome in outcomes),
        instruments=instruments([run for run, _ in runs]),
    )


def _day(run: RunFolder) -> date:
    return run.written.date()
