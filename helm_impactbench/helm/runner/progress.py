"""How far a helm-run is, in all and run by run, and what is left of it in time and money: in its log and in a file."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm.benchmark.adaptation.request_state import RequestState
from helm.common.hierarchical_logger import hlog

from helm_impactbench.errors import counted
from helm_impactbench.helm.runner.live_log import LiveLog
from helm_impactbench.helm.state import excerpt_of, reason_in, status_in
from helm_impactbench.process.open_runs import LOOKS, LOOKS_VARIABLE, forget_unwanted, note_open
from helm_impactbench.process.progress_file import Snapshot, shown_time, write_snapshot
from helm_impactbench.process.settings import seconds_from
from helm_impactbench.process.shared_state import (
    CASES,
    HOLDING,
    IN_FLIGHT,
    JUDGING,
    LAST_FAILURE,
    NEW_ANSWERS,
    OLDEST_CALL,
    PROBED,
    REPEATING,
    STORED_ANSWERS,
    WAITING_FOR,
)

EVERY_VARIABLE = "IMPACTBENCH_PROGRESS_SECONDS"
DEFAULT_EVERY = 15.0
_SHOWN_RUNS = 3
_FILE_SECONDS = 1.0
"""Between two states of the file."""
_MOST_REASONS = 100
"""Different reasons that are counted, and how many of them are shown."""
_SHOWN_REASONS = 5


@dataclass(frozen=True)
class ProgressLimits:
    """What bounds the run at the moment."""

    paused: bool = False
    budget_usd: float | None = None
    suite_usd: float = 0.0
    """What the suite has cost, where there is a budget."""


@dataclass
class RunProgress:
    """One run under way."""

    name: str
    size: int
    """Instances."""
    done: int = 0
    over: bool = False
    """No instance is left: HELM computes its statistics and writes its files."""


class RunnerProgress:
    """Counts what is done and says so now and then. All methods may be called from any thread."""

    def __init__(
        self,
        runs: int,
        paid_usd: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
        limits: Callable[[], ProgressLimits] = ProgressLimits,
    ) -> None:
        """`runs` is how many there are in all; `paid_usd` returns what calls have cost so far."""
        self._runs, self._paid_usd, self._clock, self._limits = runs, paid_usd, clock, limits
        self._every = seconds_from(EVERY_VARIABLE, DEFAULT_EVERY)
        self._lock = threading.Lock()
        self._open: dict[int, RunProgress] = {}
        self._sizes: dict[int, int] = {}
        """Of every run whose number of instances is known, planned or begun."""
        self._finished = self._failed = self._done = self._lost = self._whole = 0
        self._statuses: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._newest: RequestState | None = None
        self._newest_run = ""
        self._idle = 0.0
        self._began = self._said = clock()
        self._over = threading.Event()
        self._writer: threading.Thread | None = None
        self._live: LiveLog | None = None
        self._pending: dict[int, str] = {}
        self._ended: list[str] = []
        self._looks = (LOOKS,) if LOOKS_VARIABLE in os.environ else ()
        self._folder: Path | None = None
        self._noting = threading.Lock()

    def plan(self, run: int, size: int) -> None:
        """Note how many instances a run will have that may not have begun."""
        with self._lock:
            self._sizes.setdefault(run, size)

    def begin(self, run: int, name: str, size: int) -> None:
        """Note that a run has begun and how many instances it has."""
        with self._lock:
            self._open[run] = RunProgress(name, size)
            self._sizes[run] = size

    def resize(self, run: int, size: int) -> None:
        """Note that a run takes fewer instances than it might have taken; more may have been under way."""
        with self._lock:
            self._sizes[run] = max(size, self._open[run].done)
            self._open[run].over = True

    def count(self, run: int, state: RequestState | None) -> None:
        """Note that an instance is done, and what became of it; None of one that failed."""
        if self._live is not None and state is not None and run in self._open:
            self._live.add(run, self._open[run].name, state)
        is_first = False
        with self._lock:
            self._done += 1
            if run in self._open:
                self._open[run].done += 1
            if state is not None:
                self._statuses[status_in(state)] += 1
                is_first, self._newest = self._newest is None, state
                self._newest_run = self._open[run].name if run in self._open else ""
                reason = reason_in(state)
                if reason and (reason in self._reasons or len(self._reasons) < _MOST_REASONS):
                    self._reasons[reason] += 1
            due = self._clock() - self._said >= self._every
            if due:
                self._said = self._clock()
        if is_first:
            self._note_open()
        if due:
            hlog(self.text())

    def _note_open(self) -> None:
        """Note which runs are to come to their end, once anything is done: a command that did nothing left nothing."""
        with self._noting:
            with self._lock:
                begun, ended = list(self._pending.values()), list(self._ended)
                is_nothing = self._newest is None and not ended
            if self._folder is not None and not is_nothing:
                note_open(self._folder, (*begun, *self._looks), ended)

    @property
    def any_done(self) -> bool:
        """Whether any instance is done."""
        return self._done > 0

    def end(self, run: int, *, failed: bool = False) -> None:
        """Note that a run is over. What one has left undone that failed stays in the total, and is not waited for."""
        with self._lock:
            ended = self._open.pop(run, None)
            done = ended.done if ended else 0
            if failed:
                self._lost += self._sizes.get(run, 0) - done
            else:
                self._sizes[run] = done
                self._whole += done
                self._ended.extend(filter(None, [self._pending.pop(run, "")]))
            self._finished += 1
            self._failed += failed
        if self._live is not None:
            self._live.end(run, failed=failed)
        self._note_open()
        hlog(self.text())

    def text(self) -> str:
        """Return the state in one line."""
        with self._lock:
            expected = self._expected()
            done = self._done + CASES.done_of_open()
            share = min(1.0, done / (expected - self._lost)) if expected > self._lost and self._done else 0.0
            passed, paid = self._seconds(), self._paid_usd()
            open_runs = sorted(self._open.values(), key=lambda run: -run.done)[:_SHOWN_RUNS]
            left = f", about {shown_time(passed / share - passed)} left" if share else ""
            money = f", ${paid:,.2f} paid{f', about ${paid / share - paid:,.2f} left' if share else ''}" if paid else ""
            age = OLDEST_CALL.seconds()
            oldest = f", oldest call {shown_time(age)}" if age else ""
            under_way = "".join(f"; {run.name}: {run.done}/{run.size}" for run in open_runs)
            return (
                f"Progress: {self._done:,} instances ({self._done / max(1.0, expected):.0%}), "
                f"{self._finished} of {counted(self._runs, 'run')}"
                f"{left}{money}{oldest}{under_way}"
            )

    def _expected(self) -> float:
        """Return the instances of all runs; those of unknown number are taken to be as large as the others."""
        return sum(self._sizes.values()) / len(self._sizes) * self._runs if self._sizes else 0.0

    def _seconds(self) -> float:
        """Return the time since the first call: what comes before it, as imports, does not repeat."""
        return OLDEST_CALL.seconds_since_first() or self._clock() - self._began

    def _doing(self) -> str:
        """Return what is going on, stage by stage; empty where nothing has begun."""
        stages = (
            ("asking {} whether they answer", PROBED.total(), "model"),
            ("holding {}", HOLDING.total(), "conversation"),
            ("judging {}", JUDGING.total(), "conversation"),
            ("writing {}", sum(run.over for run in self._open.values()), "run"),
        )
        return ", ".join(words.format(counted(int(number), noun)) for words, number, noun in stages if number)

    def snapshot(self, *, ended: bool = False) -> Snapshot:
        """Return the state for the file."""
        limits = self._limits()
        with self._lock:
            newest = self._newest
            return Snapshot(
                runs=self._runs,
                runs_done=self._finished,
                runs_failed=self._failed,
                cases=self._done,
                expected=round(self._expected()),
                missing=round(self._expected()) - self._whole,
                lost=self._lost,
                under_way=round(CASES.done_of_open(), 2),
                doing="" if ended else self._doing(),
                scored=self._statuses["scored"],
                unscored={name: count for name, count in self._statuses.items() if name not in ("scored", "")},
                failures=dict(self._reasons.most_common(_SHOWN_REASONS)),
                paid_usd=self._paid_usd(),
                budget_usd=limits.budget_usd,
                suite_usd=limits.suite_usd,
                new_answers=int(NEW_ANSWERS.total()),
                stored_answers=int(STORED_ANSWERS.total()),
                in_flight=int(IN_FLIGHT.total()),
                oldest_call_seconds=round(OLDEST_CALL.seconds(), 1),
                waiting_for={cause: number for cause, tally in WAITING_FOR.items() if (number := int(tally.total()))},
                repeating=int(REPEATING.total()),
                repeating_why=LAST_FAILURE.text(),
                paused=limits.paused,
                seconds=self._seconds(),
                idle_seconds=self._idle,
                newest=f"{newest.instance.id}, {self._newest_run}" if newest else "",
                excerpt=excerpt_of(newest) if newest else (),
                pending=tuple(self._pending.values()),
                ended=ended,
            )

    def keep_in(self, folder: Path, names: Sequence[str]) -> None:
        """Write the state into a file of this folder, now and every second until `close`, and what is finished.

        names: of the runs, in order.
        """
        forget_unwanted(folder)
        self._pending, self._folder = dict(enumerate(names)), folder
        self._live = LiveLog(folder)
        write_snapshot(folder, self.snapshot())
        self._writer = threading.Thread(target=self._write, args=(folder,), daemon=True)
        self._writer.start()

    def _write(self, folder: Path) -> None:
        while not self._over.wait(_FILE_SECONDS):
            snapshot = self.snapshot()
            self._idle += _FILE_SECONDS if snapshot.paused else 0.0
            write_snapshot(folder, snapshot)

    def close(self, folder: Path) -> None:
        """Write the last state, when the thread has ended: an older state on top of it would look interrupted."""
        self._over.set()
        if self._writer is not None:
            self._writer.join()
        write_snapshot(folder, self.snapshot(ended=True))
