"""The page that follows each model over several suites."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from helm_impactbench.analysis.history import HistoryStep, SuiteSnapshot, history, instruments, shared_benchmarks
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.history_chart import HistoryPoint, history_chart
from helm_impactbench.outputs.report.marks import Chart
from helm_impactbench.outputs.report.runs import Site
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.tables.names import bare_names
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
    ages: dict[str, datetime] = {}
    for one in found:
        own.setdefault(one.model, []).append(one)
        ages[one.suite] = max(one.written, ages.get(one.suite, one.written))
    models = {model: history(own[model]) for model in site.models if len(own.get(model, [])) > 1}
    pairs = {
        pair: drift_between(suites[pair[0]], suites[pair[1]])
        for steps in models.values()
        for pair in itertools.pairwise(step.snapshot.suite for step in steps)
    }
    short = bare_names(site.models)
    return {
        "drifts": {
            pair: tuple(sentences(one, lambda name: site.models.get(name, name))) for pair, one in pairs.items()
        },
        "warnings": {pair: warning(one) for pair, one in pairs.items()},
        "marked": {pair for pair, one in pairs.items() if is_marked(one)},
        "suites": when(sorted(ages.values())),
        "models": models,
        "dates": {model: when([step.snapshot.written for step in steps]) for model, steps in models.items()},
        "charts": {model: _chart(model, short[model], steps, pairs) for model, steps in models.items()},
        "shared": {model: shared_benchmarks(steps) for model, steps in models.items()},
        "alone": [model for model in site.models if model not in models],
    }


def _chart(
    model: str, shown: str, steps: Sequence[HistoryStep], drifts: Mapping[tuple[str, str], Drift]
) -> Chart | None:
    before = ["", *(step.snapshot.suite for step in steps)]
    dates = when([step.snapshot.written for step in steps])
    points = [
        HistoryPoint(
            date,
            step.snapshot.suite,
            step.score.mean,
            step.score.interval,
            changed_words(step.changes, drifts.get((old, step.snapshot.suite))),
        )
        for old, step, date in zip(before, steps, dates, strict=False)
        if step.score and step.score.groups
    ]
    return history_chart(points, f"history-{names.file_name(model)}", f"{shown} over time") if points else None


def when(moments: Sequence[datetime]) -> list[str]:
    """Return the day of each moment, with the time where another has the same day."""
    days = [moment.date() for moment in moments]
    return [f"{one:%Y-%m-%d %H:%M}" if days.count(one.date()) > 1 else f"{one:%Y-%m-%d}" for one in moments]


def changed_words(changes: Mapping[str, str], drift: Drift | None) -> str:
    """Return in few words what else than the model changed before a suite; empty where nothing is known to have."""
    moved = [part for part in drift.attribution.moved if part not in ("target", *changes)] if drift else []
    return ", ".join([*(f"new {part}" for part in changes), *(f"{part} changed" for part in moved)])


def is_marked(drift: Drift | None) -> bool:
    """Return whether a comparison of two suites carries a mark: something else than the model changed."""
    return drift is not None and bool(set(drift.attribution.moved) - {"target"})


def _snapshot(suite: str, model: str, runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> SuiteSnapshot:
    return SuiteSnapshot(
        suite=suite,
        model=model,
        written=max(run.written for run, _ in runs),
        outcomes=tuple(outcome for _, outcomes in runs for outcome in outcomes),
        instruments=instruments([run for run, _ in runs]),
    )
