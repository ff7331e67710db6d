"""The page that follows each model over several suites."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from helm_impactbench.analysis.history import HistoryStep, SuiteSnapshot, history, instruments, shared_benchmarks
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.plots import Bar, interval_plot
from helm_impactbench.outputs.report.runs import Site
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.drift.suites import Drift, SuiteText, drift_between
from helm_impactbench.validity.drift.words import sentences, warning

ADDRESS = "history.html"


def snapshots(suite: str, runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> list[SuiteSnapshot]:
    """Return every model of a suite as it stands there; runs: the suite's runs with what they came to."""
    by_model: dict[str, list[tuple[RunFolder, Sequence[Outcome]]]] = {}
    for run, outcomes in runs:
        by_model.setdefault(run.model, []).append((run, outcomes))
    return [_snapshot(suite, model, own) for model, own in by_model.items()]


def history_values(site: Site, found: Sequence[SuiteSnapshot], suites: Mapping[str, SuiteText]) -> dict[str, Any]:
    """Return what the page shows: the models of the report, each with the suites that have it.

    suites: by name, what of each shows who changed.
    """
    own: dict[str, list[SuiteSnapshot]] = {}
    for one in found:
        own.setdefault(one.model, []).append(one)
    models = {model: history(own[model]) for model in site.models if len(own.get(model, [])) > 1}
    pairs = {
        pair: drift_between(suites[pair[0]], suites[pair[1]])
        for steps in models.values()
        for pair in itertools.pairwise(step.snapshot.suite for step in steps)
    }
    return {
        "drifts": {
            pair: tuple(sentences(one, lambda name: site.models.get(name, name))) for pair, one in pairs.items()
        },
        "warnings": {pair: warning(one) for pair, one in pairs.items()},
        "marked": {pair for pair, one in pairs.items() if is_marked(one)},
        "suites": sorted({(one.day, one.suite) for one in found}),
        "models": models,
        "charts": {model: _chart(site, model, steps, pairs) for model, steps in models.items()},
        "shared": {model: shared_benchmarks(steps) for model, steps in models.items()},
        "alone": [model for model in site.models if model not in models],
    }


def _chart(site: Site, model: str, steps: Sequence[HistoryStep], drifts: Mapping[tuple[str, str], Drift]) -> Any:
    before = ["", *(step.snapshot.suite for step in steps)]
    bars = [
        Bar(f"{step.snapshot.day}{' *' if step.changes or is_marked(drifts.get((old, step.snapshot.suite))) else ''}",
            names.model_address(model), step.score.mean, step.score.like_these_interval, step.score.interval)
        for old, step in zip(before, steps, strict=False)
        if step.score and step.score.groups
    ]  # fmt: skip
    return interval_plot(bars, f"history of {site.models[model]}") if bars else ""


def is_marked(drift: Drift | None) -> bool:
    """Return whether a comparison of two suites carries a mark: something else than the model changed."""
    return drift is not None and bool(set(drift.attribution.moved) - {"target"})


def _snapshot(suite: str, model: str, runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> SuiteSnapshot:
    return SuiteSnapshot(
        suite=suite,
        model=model,
        day=max(_day(run) for run, _ in runs),
        outcomes=tuple(outcome for _, outcomes in runs for outcome in outcomes),
        instruments=instruments([run for run, _ in runs]),
    )


def _day(run: RunFolder) -> date:
    return run.written.date()
