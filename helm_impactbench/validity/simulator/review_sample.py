"""The conversations whose simulated user is reviewed, and what a reviewer said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.results.repeats import repeats, selected_runs
from helm_impactbench.validity.simulator.audit import Reviewed, drawn


@dataclass(frozen=True)
class ReviewItem:
    """One conversation that is to be reviewed."""

    run: str
    record: Record
    outcome: Outcome


@dataclass(frozen=True)
class Chosen:
    """The conversations that are reviewed, and how many there were to choose from."""

    items: list[ReviewItem]
    eligible: int
    """Conversations with a simulated user that were held to an end."""
    broken_off: int
    """Conversations that failed and are unscored whatever their user did."""
    fixed: int
    """Conversations whose user wrote fixed messages alone: nobody was simulated."""


def choose(
    folder: Path,
    benchmarks: Sequence[str],
    models: Sequence[str],
    size: int | None,
    seed: int,
    releases: Sequence[str] = (),
) -> Chosen:
    """Return a sample of `size` conversations of a suite, all of them when None. Raises ResultsError."""
    eligible, broken_off, fixed = list[tuple[RunFolder, int, Outcome]](), 0, 0
    runs = selected_runs(folder, benchmarks, models, releases)
    repeated = repeats(runs, RunFolder.outcomes)
    for run in runs:
        for number, record in enumerate(run.records()):  # kept later, of the chosen ones: a large suite has gigabytes
            outcome = outcome_of(record, model=run.model, setup=run.setup)
            if run in repeated and not repeated[run].leaves(outcome):
                continue
            if record.case.plan.turns <= len(record.case.plan.messages):
                fixed += 1
            elif not record.conversation.status.can_be_judged:
                broken_off += 1
            else:
                eligible.append((run, number, outcome))
    if not eligible:
        raise ResultsError(
            f"Suite {folder.name} has nothing to review: {counted(fixed, 'conversation')} with fixed messages and "
            f"no simulated user, {broken_off:,} broke off."
        )
    places = drawn([(run.name, outcome) for run, _, outcome in eligible], size, seed)
    return Chosen(_items([eligible[place] for place in places]), len(eligible), broken_off, fixed)


def _items(chosen: Sequence[tuple[RunFolder, int, Outcome]]) -> list[ReviewItem]:
    """Return conversations with their words, in order; only the runs that they are of are read."""
    wanted: dict[Path, set[int]] = {}
    for run, number, _ in chosen:
        wanted.setdefault(run.path, set()).add(number)
    records = {
        (path, number): record
        for path, numbers in wanted.items()
        for number, record in enumerate(RunFolder(path).records())
        if number in numbers
    }
    return [ReviewItem(run.name, records[run.path, number], outcome) for run, number, outcome in chosen]


@dataclass(frozen=True)
class Reviews:
    """What a reviewer said of conversations."""

    chosen: Chosen
    reviewer: str
    """Deployment."""
    reviewed: tuple[Reviewed, ...]
    prompts_digest: str
    """Of the reviewer's templates."""
