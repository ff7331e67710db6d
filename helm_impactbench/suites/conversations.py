"""The runs of a suite whose conversations can be read, and those of them that may be published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.suites.registry import SuiteRun, left_out, selected


def conversation_runs(
    folder: Path,
    benchmarks: Sequence[str],
    models: Sequence[str],
    say: Callable[[str], object],
    releases: Sequence[str] = (),
) -> list[SuiteRun]:
    """Return the runs of a suite whose conversations can be read; `say` is told of those that are left out or missing.

    Raises ResultsError for a suite that cannot be read, ImpactBenchError for one without such a run.
    """
    runs = [run for run in selected(folder, benchmarks, models, say, releases) if not run.suite.no_conversations]
    if lacking := unfinished(folder):
        say(lacking)
    for line in left_out(folder, conversations=True, releases=releases, benchmarks=benchmarks):
        say(line)
    if not runs:
        raise ImpactBenchError(f"Suite {folder.name} has no run whose conversations can be read.")
    return runs


def public_runs(
    runs: Sequence[RunFolder], say: Callable[[str], object], *, with_private: bool = False
) -> list[RunFolder]:
    """Return the runs that may leave the house: those of private scenarios only where they are wanted.

    Raises ImpactBenchError when none may.
    """
    kept = [run for run in runs if with_private or not run.is_private]
    if len(kept) < len(runs):
        say(f"{counted(len(runs) - len(kept), 'run')} of private scenarios left out; --with-private takes them in")
    if not kept:
        raise ImpactBenchError("All runs of this suite are of private scenarios; --with-private takes them in.")
    return kept
