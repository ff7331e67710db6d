"""Several suites on the same cases as one reading: of other releases, simulated users or judges, or judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.results.files import check_known, suite_folder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading, Selection, read
from helm_impactbench.suites.registry import suite_runs


def together(reading: Reading, also: Sequence[str]) -> Reading:
    """Return a reading with the outcomes of other suites of its output folder, of the same models and benchmarks.

    A suite that was rejudged from another one has its conversations; else a suite has conversations of its own. Which
    suite they come from is said in the set-up of each outcome. Raises ResultsError.
    """
    models, slugs = ({getattr(outcome, name) for outcome in reading.outcomes} for name in ("model", "benchmark"))
    outcomes = _named(reading.folder, reading.outcomes)
    for name in also:
        other = read(
            suite_folder(reading.folder.parents[1], name), replace(reading.selection, benchmarks=(), models=())
        )
        shared = [outcome for outcome in other.outcomes if outcome.model in models and outcome.benchmark in slugs]
        outcomes += _named(other.folder, shared)
    return replace(reading, outcomes=tuple(outcomes))


def side_by_side(readings: Sequence[Reading]) -> Reading:
    """Return the first reading with the outcomes of all; a model of several is called by its suite: `chat@june`."""
    first, *others = readings
    if not others:
        return first
    suites: dict[str, set[Path]] = {}
    for reading in readings:
        for model in models_in(reading):
            suites.setdefault(model, set()).add(reading.folder)
    outcomes = [
        replace(outcome, model=f"{outcome.model}@{reading.folder.name}") if len(suites[outcome.model]) > 1 else outcome
        for reading in readings
        for outcome in reading.outcomes
    ]
    notes = dict.fromkeys(note for reading in readings for note in reading.notes)
    return replace(first, outcomes=tuple(outcomes), notes=tuple(notes))


def narrowed_to_known(folders: Sequence[Path], selection: Selection) -> list[Selection]:
    """Return a selection for each of several suites: of its models and releases, those that the suite has.

    A suite that has none of them is taken whole. Raises ResultsError for a name that no suite has.
    """
    models = [{name for one in suite_runs(folder) for name in one.run.names} for folder in folders]
    releases = [{one.run.release for one in suite_runs(folder)} for folder in folders]
    suites = " and ".join(folder.name for folder in folders)
    check_known("model", selection.models, set().union(*models), suites)
    check_known("release", selection.releases, set().union(*releases) - {""}, suites)
    return [
        replace(
            selection,
            models=tuple(name for name in selection.models if name in own_models),
            releases=tuple(name for name in selection.releases if name in own_releases),
        )
        for own_models, own_releases in zip(models, releases, strict=True)
    ]


def models_in(reading: Reading) -> list[str]:
    """Return the models of a reading, sorted."""
    return sorted({outcome.model for outcome in reading.outcomes})


def as_model(reading: Reading, model: str, name: str) -> Reading:
    """Return a reading with one of its models alone, under another name. Raises ImpactBenchError where it lacks it."""
    outcomes = [replace(outcome, model=name) for outcome in reading.outcomes if outcome.model == model]
    if not outcomes:
        known = models_in(reading)
        raise ImpactBenchError(
            f"--baseline-model: suite {reading.folder.name} has no model {model!r}; it has: {', '.join(known)}."
            f"{did_you_mean(model, known)}"
        )
    return replace(reading, outcomes=tuple(outcomes))


def under_one_name(before: Reading, now: Reading, baseline_model: str | None) -> Reading:
    """Return the reading of a baseline with its model under the name of the one that is compared with it.

    Raises ImpactBenchError where more than one model is compared.
    """
    if baseline_model is None:
        return before
    models = models_in(now)
    if len(models) != 1:
        raise ImpactBenchError(
            f"--baseline-model is compared with one model, and suite {now.folder.name} has {len(models)}: "
            f"{', '.join(models)}. Choose one with --model."
        )
    return as_model(before, baseline_model, models[0])


def _named(folder: Path, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes with the suite that their conversations come from, as an option of their set-up."""
    sources = {
        (found.run.setup, found.run.model): source["suite"] if source else folder.name
        for found in suite_runs(folder)
        for source in [found.run.provenance.get("rejudged_from")]
    }
    return [
        replace(outcome, setup=f"{outcome.setup},suite={sources[outcome.setup, outcome.model]}") for outcome in outcomes
    ]
