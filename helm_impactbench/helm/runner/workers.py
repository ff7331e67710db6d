"""Who does the tasks: threads of this process. processes.ProcessWorkers is the same over several processes."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import Protocol

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.helm.runner.task import Task, TaskRunner
from helm_impactbench.process.shared_state import STOPPED

Result = Future[RequestState]


class RunWorkers(Protocol):
    """Do tasks in the order of submission, a fixed number at a time."""

    def submit(self, task: Task) -> Result:
        """Take a task on."""

    def forget(self, run: int) -> None:
        """Release what a finished run holds."""

    def waiting(self) -> int:
        """Return how many tasks are not done yet."""

    def close(self) -> None:
        """End when the submitted tasks are done."""


class ThreadWorkers:
    """Threads of this process.

    They are daemons: a stopped run must not wait for a provider that needs minutes, beyond what the runner grants.
    """

    def __init__(self, runner: TaskRunner, number: int) -> None:
        self._runner = runner
        self._tasks: queue.SimpleQueue[tuple[Task, Result] | None] = queue.SimpleQueue()
        self._open = 0
        self._count = threading.Lock()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Task) -> Result:
        result: Result = Future()
        with self._count:
            self._open += 1
        self._tasks.put((task, result))
        return result

    def forget(self, run: int) -> None:
        self._runner.forget(run)

    def waiting(self) -> int:
        return self._open

    def close(self) -> None:
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (taken := self._tasks.get()) is not None:
            task, result = taken
            if STOPPED.is_set():
                result.cancel()
            if result.set_running_or_notify_cancel():
                _finish(self._runner, task, result)
            with self._count:
                self._open -= 1
            del taken, task, result  # or this thread would hold the last conversation until the next one


def _finish(runner: TaskRunner, task: Task, result: Result) -> None:
    try:
        done = runner.run(task)
    except BaseException as error:  # SystemExit too: the runner decides what ends
        result.set_exception(error)
    else:
        result.set_result(done)
