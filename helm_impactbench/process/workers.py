"""Work on many runs of a suite, in as many processes as there are processors."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

RUNS_PER_PROCESS = 16
"""Fewer are not worth the start of another process."""
_given: list[Callable[[Any], Any]] = []
"""In a worker, what it does."""


def in_workers(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """Yield what `work` makes of each item, in their order; in this process where they are few.

    `work` is pickled once for each process, items and results one by one. Raises what `work` raises.
    """
    processes = min(os.cpu_count() or 1, len(items) // RUNS_PER_PROCESS)
    if processes < 2:
        yield from map(work, items)
        return
    # Started afresh and not forked: the same on every system, and safe whatever threads there are.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_take, initargs=(work,)) as pool:
        yield from pool.map(_do, items)


def _take(work: Callable[[Any], Any]) -> None:
    _given.append(work)


def _do(item: Any) -> Any:
    return _given[0](item)
