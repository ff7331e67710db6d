"""Who does the jobs: threads of this process. workers.Workers is the same over several processes."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import Protocol

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.helm.runner.task import Job, Work
from helm_impactbench.process.shared_state import STOPPED

Result = Future[RequestState]


class Crew(Protocol):
    """Does jobs in the order of submission, a fixed number at a time."""

    def submit(self, job: Job) -> Result:
        """Take a job on."""

    def forget(self, run: int) -> None:
        """Let go of a finished run."""

    def waiting(self) -> int:
        """Return how many jobs are not done yet."""

    def close(self) -> None:
        """Let everybody go home; submitted jobs are done first."""


class Threads:
    """Threads of this process.

    They are daemons: a stopped run must not wait for a provider that needs minutes, beyond what the runner grants.
    """

    def __init__(self, work: Work, number: int) -> None:
        self._work = work
        self._jobs: queue.SimpleQueue[tuple[Job, Result] | None] = queue.SimpleQueue()
        self._open = 0
        self._count = threading.Lock()
        self._threads = [threading.Thread(target=self._labour, daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> Result:
        result: Result = Future()
        with self._count:
            self._open += 1
        self._jobs.put((job, result))
        return result

    def forget(self, run: int) -> None:
        self._work.forget(run)

    def waiting(self) -> int:
        return self._open

    def close(self) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _labour(self) -> None:
        while (task := self._jobs.get()) is not None:
            job, result = task
            if STOPPED.is_set():
                result.cancel()
            if result.set_running_or_notify_cancel():
                _finish(self._work, job, result)
            with self._count:
                self._open -= 1
            del task, job, result  # or this thread would hold the last conversation until the next one


def _finish(work: Work, job: Job, result: Result) -> None:
    try:
        done = work.do(job)
    except BaseException as error:  # SystemExit too: the runner decides what ends
        result.set_exception(error)
    else:
        result.set_result(done)
