"""Which conversations of a suite's runs another run holds as well, so that each case counts once.

Two runs of a model hold the same case where their set-ups differ in nothing but the choice of cases: a run on a part
and the whole run after it, or a whole run and a small one with more samples. The larger run counts; of equally large
ones that whose name comes first. Times of files say nothing: copying changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.results.files import RunFolder, check_known, run_folders
from helm_impactbench.results.outcome import Case, Outcome, choice, whole_setup
from helm_impactbench.results.references import references

_SHOWN = 3
"""Kinds of runs that a line names."""
_NONE: frozenset[Case] = frozenset()


@dataclass(frozen=True)
class Repeats:
    """The conversations of a run that do not count, since another run of the same set-up has the same cases."""

    run: str
    """What the run is of: its benchmark, and what chooses the cases."""
    cases: frozenset[Case] = _NONE
    conversations: int = 0
    """Of the whole run."""

    @property
    def is_all(self) -> bool:
        """Whether nothing is left of the run."""
        return 0 < self.conversations == len(self.cases)

    def leaves(self, outcome: Outcome) -> bool:
        """Return whether a conversation of the run counts."""
        return outcome.case not in self.cases


def repeats(runs: Iterable[RunFolder], read: Callable[[RunFolder], Sequence[Outcome]]) -> Mapping[RunFolder, Repeats]:
    """Return what does not count of each of these runs; runs of which everything counts are not in it.

    `read` gives the outcomes of a run, and is called only for runs that share model and set-up with another one.
    Raises what it raises.
    """
    alike: dict[tuple[str, str, tuple[str, ...], str], list[RunFolder]] = {}
    for run in runs:
        alike.setdefault((run.model, run.release, run.arm, whole_setup(run.setup)), []).append(run)
    return {
        run: found
        for own in alike.values()
        if len(own) > 1
        for run, found in _among([(run, read(run)) for run in own])
        if found.cases
    }


def _among(runs: Sequence[tuple[RunFolder, Sequence[Outcome]]]) -> Iterable[tuple[RunFolder, Repeats]]:
    """Yield what does not count of each of several runs of the same model and set-up."""
    counted_already: set[Case] = set()
    for run, outcomes in sorted(runs, key=lambda each: (-len(each[1]), each[0].name)):
        cases = {outcome.case for outcome in outcomes}
        again = cases & counted_already
        if again and any(outcome.draw is not None for outcome in outcomes):
            again = cases  # what a run that may stop early has drawn is a sample only as a whole
        counted_already |= cases - again
        yield run, Repeats(_name(run), frozenset(again), len(outcomes))


def _name(run: RunFolder) -> str:
    chosen = choice(run.setup)
    return f"{run.benchmark} with {chosen}" if chosen else run.benchmark


def repeats_line(found: Iterable[Repeats]) -> str:
    """Return how many conversations of which runs do not count, in one line; empty where all count."""
    known = [each for each in found if each.cases]
    if not known:
        return ""
    total, names = sum(len(each.cases) for each in known), list(dict.fromkeys(each.run for each in known))
    more = [f"{len(names) - _SHOWN:,} more"] if len(names) > _SHOWN else []
    return (
        f"{counted(total, 'conversation')} of {counted(len(known), 'run')} not counted, since another run of this "
        f"suite has the same cases: {', '.join([*names[:_SHOWN], *more])}."
    )


def selected_runs(
    folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = (), releases: Sequence[str] = ()
) -> list[RunFolder]:
    """Return the finished runs of a suite's models, of the given benchmarks, targets and releases where any are given.

    A run whose cases are all in a larger one of the same set-up is left out. Raises ResultsError, also for a benchmark
    or target that the suite does not have, or for a choice of nothing.
    """
    runs = run_folders(folder, releases)
    check_known("benchmark", benchmarks, {run.benchmark for run in runs}, folder.name)
    check_known("model", models, {name for run in runs for name in run.names}, folder.name)
    chosen = [
        run for run in runs if (not benchmarks or run.benchmark in benchmarks) and (not models or run.names & {*models})
    ]
    if not chosen:
        raise ResultsError(f"Suite {folder.name} has no run of these models on these benchmarks together.")
    bots = references(run.model for run in chosen)
    own = [run for run in chosen if run.model not in bots]
    repeated = repeats(own, RunFolder.outcomes)
    return [run for run in own if not (run in repeated and repeated[run].is_all)]
