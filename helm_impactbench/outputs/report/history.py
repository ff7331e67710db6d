"""The page that follows each model over several suites."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from helm_impactbench.analysis.history import HistoryStep, SuiteSnapshot, history, instruments, shared_benchmarks
from helm_impactbench.analysis.paired import Difference, among
from helm_impactbench.errors import counted
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.findings import JUDGE_FAILED, MOST_NAMED
from helm_impactbench.outputs.report.history_chart import HistoryPoint, history_axis, history_chart
from helm_impactbench.outputs.report.runs import Site
from helm_impactbench.outputs.report.statement import Named, Piece, Statement
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
    points = {model: drawn for model, steps in models.items() if (drawn := _points(steps, pairs))}
    axis = history_axis(point for own in points.values() for point in own)
    return {
        "said": JUDGE_FAILED if site.judges.failed else last_change(models, pairs),
        "drifts": {
            pair: tuple(sentences(one, lambda name: site.models.get(name, name))) for pair, one in pairs.items()
        },
        "warnings": {pair: warning(one) for pair, one in pairs.items()},
        "marked": {pair for pair, one in pairs.items() if is_marked(one)},
        "suites": when(sorted(ages.values())),
        "models": models,
        "dates": {model: when([step.snapshot.written for step in steps]) for model, steps in models.items()},
        "charts": {
            model: history_chart(own, axis, f"history-{names.file_name(model)}", f"{short[model]} over time")
            for model, own in points.items()
        },
        "shared": {model: shared_benchmarks(steps) for model, steps in models.items()},
        "alone": [model for model in site.models if model not in models],
    }


def last_change(
    models: Mapping[str, Sequence[HistoryStep]], drifts: Mapping[tuple[str, str], Drift]
) -> Statement | None:
    """Return whose score moved between its last two suites, by tests corrected for all models; None without any.

    drifts: what changed between two suites, where that is known.
    """
    last = {model: steps[-1].difference for model, steps in models.items()}
    known = {model: difference for model, difference in last.items() if difference}
    if not known:
        return None
    tested = dict(zip(known, among(list(known.values())), strict=True))
    tests = {model: one.test for model, one in tested.items() if one.test}
    pairs = {model: (models[model][-2].snapshot.suite, models[model][-1].snapshot.suite) for model in known}
    before, after = pairs[next(iter(pairs))]
    alike = len({*pairs.values()}) == 1
    between = f" between {before} and {after}" if alike else " between a model's last two suites"
    corrected = "By paired tests on the same cases, corrected for all models."
    if not any(test.can_be_found for test in tests.values()):
        return Statement(False, (f"Too few cases to tell whether a score changed{between}.",))
    moved = sorted((model for model, test in tests.items() if test.found), key=lambda model: -abs(tested[model].value))
    if not moved:
        return Statement(False, (f"No score changed significantly{between}.",), (corrected,))
    parts: list[Piece] = []
    named = [(Named(model), _moved(tested[model])) for model in moved[:MOST_NAMED]]
    others = len(moved) - len(named)
    for place, (name, words) in enumerate(named):
        sign = "" if not place else " and " if place == len(named) - 1 and not others else ", "
        parts += [sign, name, words]
    if others:
        parts.append(f" and {counted(others, 'other model')} changed significantly")
    also = any(changed_words(models[model][-1].changes, drifts.get(pairs[model])) for model in moved)
    caution = " Something other than the model changed too, as the charts say." if also else ""
    if not alike:
        between = f" between {'its' if len(moved) == 1 else 'their'} last two suites"
    return Statement(True, (*parts, f"{between}."), (f"{corrected}{caution}",))


def _moved(difference: Difference) -> str:
    """Return a change in words, in whole percentage points."""
    size = round(100 * abs(difference.value))
    words = counted(size, "point") if size else "less than a point"
    return f" {'rose' if difference.value > 0 else 'fell'} by {words}"


def _points(steps: Sequence[HistoryStep], drifts: Mapping[tuple[str, str], Drift]) -> list[HistoryPoint]:
    before = ["", *(step.snapshot.suite for step in steps)]
    dates = when([step.snapshot.written for step in steps])
    return [
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
