"""Work on many runs or pages of a suite, in as many processes as there are processors."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Generic, TypeVar

from helm_impactbench.process.parent import end_with_parent

T = TypeVar("T")
R = TypeVar("R")

ITEMS_PER_PROCESS = 16
"""Fewer are not worth the start of another process."""
_given: list[Callable[[Any], Any]] = []
"""In a worker, what it does."""


class Workers(Generic[T, R]):
    """Processes that do one kind of work on items; this process where the items are few."""

    def __init__(self, work: Callable[[T], R], count: int, each: int | None = None) -> None:
        """`work` is pickled once for each process; `count` items; `each`: the fewest for one process, if not usual."""
        self._work = work
        processes = _processes(count, each)
        # Started afresh and not forked: the same on every system, and safe whatever threads there are.
        context = multiprocessing.get_context("spawn")
        self._pool = (
            ProcessPoolExecutor(processes, mp_context=context, initializer=_take, initargs=(work,))
            if processes > 1
            else None
        )

    def each(self, items: Sequence[T]) -> Iterator[R]:
        """Return an iterator over what the work makes of each item, in their order.

        The processes begin at once, this process when it is asked for a result. Raises what the work raises.
        """
        return self._pool.map(_do, items) if self._pool else map(self._work, items)

    def close(self) -> None:
        """End the processes; what they have not begun is not done."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def in_workers(work: Callable[[T], R], items: Sequence[T], each: int | None = None) -> Iterator[R]:
    """Yield what `work` makes of each item, in their order; in this process where they are few.

    `work` is pickled once for each process, items and results one by one. each: fewest items that are worth another
    process, if not the usual. Raises what `work` raises.
    """
    workers = Workers(work, len(items), each)
    try:
        yield from workers.each(items)
    finally:
        workers.close()


def in_copies(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """Yield what `work` makes of each item, in their order, in copies of this process where these are safe.

    A copy has all that this process has read and computed so far, and nothing but items and results is handed over.
    No other thread of this process may hold what `work` needs. Raises what `work` raises.
    """
    processes = _processes(len(items))
    if processes < 2 or sys.platform != "linux":  # elsewhere system libraries do not survive a fork
        yield from map(work, items)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_take, initargs=(work,)) as pool:
        yield from pool.map(_do, items)


def _processes(items: int, each: int | None = None) -> int:
    return min(os.cpu_count() or 1, items // (each or ITEMS_PER_PROCESS))


def _take(work: Callable[[Any], Any]) -> None:
    _given[:] = [work]
    end_with_parent()  # nothing that a worker has is worth an orderly end


def _do(item: Any) -> Any:
    return _given[0](item)
