"""Which runs of a suite an examination takes, and how it does its calls side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from helm_impactbench.errors import ResultsError, did_you_mean
from helm_impactbench.results.files import RunFolder, run_folders

T = TypeVar("T")
R = TypeVar("R")


def benchmark_of(run: RunFolder) -> str:
    """Return the slug of a run's benchmark."""
    return str(run.spec["scenario_spec"]["args"]["benchmark"])


def selected_runs(folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = ()) -> list[RunFolder]:
    """Return the finished runs of a suite, of the given benchmarks and targets only where any are given.

    Raises ResultsError, also for a benchmark or target that the suite does not have, or for a choice of nothing.
    """
    runs = run_folders(folder)
    _check_known("benchmark", benchmarks, {benchmark_of(run) for run in runs}, folder.name)
    _check_known("model", models, {run.model for run in runs}, folder.name)
    chosen = [
        run
        for run in runs
        if (not benchmarks or benchmark_of(run) in benchmarks) and (not models or run.model in models)
    ]
    if not chosen:
        raise ResultsError(f"Suite {folder.name} has no run of these models on these benchmarks together.")
    return chosen


def in_threads(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield the results in order. An error or an interruption ends it, and nothing that has not begun is begun."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(function, items)
    finally:
        pool.shutdown(cancel_futures=True)


def _check_known(what: str, names: Sequence[str], known: set[str], suite: str) -> None:
    for name in names:
        if name not in known:
            raise ResultsError(
                f"Suite {suite} has no {what} {name!r}; it has: {', '.join(sorted(known))}.{did_you_mean(name, known)}"
            )
