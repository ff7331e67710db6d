"""Several suites on the same cases as one reading: with other simulated users, other judges, or judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from helm_impactbench.results.files import suite_folder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading, read
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
