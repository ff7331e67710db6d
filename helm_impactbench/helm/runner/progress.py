"""How far a helm-run is, in all and run by run, and what is left of it in time and money."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from helm.common.hierarchical_logger import hlog

from helm_impactbench.process.settings import seconds_from

EVERY_VARIABLE = "IMPACTBENCH_PROGRESS_SECONDS"
DEFAULT_EVERY = 15.0
_SHOWN_RUNS = 3


@dataclass
class RunProgress:
    """One run under way."""

    name: str
    size: int
    """Instances."""
    done: int = 0


class Progress:
    """Counts what is done and says so now and then. All methods may be called from any thread."""

    def __init__(self, runs: int, paid_usd: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> None:
        """`runs` is how many there are in all; `paid_usd` returns what calls have cost so far."""
        self._runs, self._paid_usd, self._clock = runs, paid_usd, clock
        self._every = seconds_from(EVERY_VARIABLE, DEFAULT_EVERY)
        self._lock = threading.Lock()
        self._open: dict[int, RunProgress] = {}
        self._sizes: list[int] = []
        self._finished = self._done = 0
        self._began = self._said = clock()

    def begin(self, run: int, name: str, size: int) -> None:
        """Note that a run has begun and how many instances it has."""
        with self._lock:
            self._open[run] = RunProgress(name, size)
            self._sizes.append(size)

    def count(self, run: int) -> None:
        """Note that an instance is done."""
        with self._lock:
            self._done += 1
            if run in self._open:
                self._open[run].done += 1
            due = self._clock() - self._said >= self._every
            if due:
                self._said = self._clock()
        if due:
            hlog(self.text())

    def end(self, run: int) -> None:
        """Note that a run is over, whether it succeeded or not."""
        with self._lock:
            self._open.pop(run, None)
            self._finished += 1
        hlog(self.text())

    def text(self) -> str:
        """Return the state in one line. Runs that have not begun are taken to be as large as those that have."""
        with self._lock:
            expected = sum(self._sizes) / len(self._sizes) * self._runs if self._sizes else 0.0
            share = self._done / expected if expected else 0.0
            passed, paid = self._clock() - self._began, self._paid_usd()
            open_runs = sorted(self._open.values(), key=lambda run: -run.done)[:_SHOWN_RUNS]
            left = f", about {_time(passed / share - passed)} left" if share else ""
            money = f", ${paid:,.2f} paid{f', about ${paid / share - paid:,.2f} left' if share else ''}" if paid else ""
            under_way = "".join(f"; {run.name}: {run.done}/{run.size}" for run in open_runs)
            return (
                f"Progress: {self._done:,} instances ({min(share, 1):.0%}), {self._finished} of {self._runs} runs"
                f"{left}{money}{under_way}"
            )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
