"""Several processes, each with its part of the threads, where one interpreter is the limit.

They are forked before the first call, so that each has everything that this helm-run has registered. Instances go to
them and come back through pipes. Samples of one scenario go to the same worker whatever the target, so that a shared
opening message is asked for once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import defaultdict
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from helm_impactbench.errors import ImpactBenchError, SettingError, StoppedError
from helm_impactbench.helm.lost_target import lost_in
from helm_impactbench.helm.runner.task import Task, TaskRunner
from helm_impactbench.helm.runner.workers import Result, RunWorkers, ThreadWorkers
from helm_impactbench.llm.limits.admission import take_share
from helm_impactbench.process.settings import count_from
from helm_impactbench.process.shared_state import (
    CASES,
    ENDING,
    HOLDING,
    IN_FLIGHT,
    JUDGING,
    MOST_PROCESSES,
    OLDEST_CALL,
    WAITING_FOR,
    take_place,
)
from helm_impactbench.process.shutdown import SHUTDOWN, SIGNALS, bring_home

WORKERS_VARIABLE = "IMPACTBENCH_WORKERS"


def make_workers(runner: TaskRunner, threads: int) -> RunWorkers:
    """Return who does the tasks: IMPACTBENCH_WORKERS processes with `threads` in all. Raises SettingError."""
    number = count_from(WORKERS_VARIABLE, 1, most=MOST_PROCESSES - 1)
    if number > threads:
        raise SettingError(
            f"{WORKERS_VARIABLE} is {number}. It cannot be more than --num-threads ({threads}), because each worker "
            "needs a thread at least."
        )
    if number == 1:
        return ThreadWorkers(runner, threads)
    if "fork" not in multiprocessing.get_all_start_methods():
        raise SettingError(f"{WORKERS_VARIABLE} needs a system that can fork (Linux); unset it on {sys.platform}.")
    return ProcessWorkers(runner, threads, number)


class WorkerEndedError(ImpactBenchError):
    """A worker process ended that had or was given tasks to do."""


class ProcessWorkers:
    """Worker processes of this helm-run."""

    def __init__(self, runner: TaskRunner, threads: int, number: int) -> None:
        import helm_impactbench.helm.litellm_client  # noqa: F401  # two seconds, once instead of in every worker

        context = multiprocessing.get_context("fork")
        parts = [threads // number + (i < threads % number) for i in range(number)]
        self._workers: list[_WorkerProcess] = []
        for i, part in enumerate(parts):
            ours, theirs = context.Pipe()
            others = [worker.pipe for worker in self._workers]
            process = context.Process(
                target=_work_until_closed,
                args=(runner, part, i + 1, part / threads, theirs, [ours, *others]),
                daemon=True,
            )
            process.start()
            theirs.close()
            self._workers.append(_WorkerProcess(process, ours, i + 1))
        for worker in self._workers:  # only now: a fork must not happen beside running threads
            threading.Thread(target=worker.listen, daemon=True).start()
        self._of_scenario: dict[str, _WorkerProcess] = {}
        self._given: dict[int, int] = defaultdict(int)

    def submit(self, task: Task) -> Result:
        return self._worker_for(task).submit(task)

    def waiting(self) -> int:
        return sum(worker.open for worker in self._workers)

    def forget(self, run: int) -> None:
        for worker in self._workers:
            worker.send(("forget", run))

    def close(self) -> None:
        for worker in self._workers:
            worker.send(("close",))
        for worker in self._workers:
            worker.process.join()

    def _worker_for(self, task: Task) -> _WorkerProcess:
        """Return the worker of the task's scenario: the one with the fewest scenarios when it is new."""
        scenario = task.state.instance.input.text + str(task.state.instance.id)
        if scenario not in self._of_scenario:
            chosen = min(range(len(self._workers)), key=lambda i: self._given[i])
            self._given[chosen] += 1
            self._of_scenario[scenario] = self._workers[chosen]
        return self._of_scenario[scenario]


class _WorkerProcess:
    """A worker process as its parent sees it."""

    def __init__(self, process: Any, pipe: Connection, place: int) -> None:
        """`place` is its number from 1."""
        self.process, self.pipe, self._place = process, pipe, place
        self._lock = threading.Lock()
        self._end_error: WorkerEndedError | None = None
        self._results: dict[int, Result] = {}
        self._next = 0

    @property
    def open(self) -> int:
        """Tasks that are not done yet."""
        return len(self._results)

    def submit(self, task: Task) -> Result:
        result: Result = Future()
        result.set_running_or_notify_cancel()
        with self._lock:
            if self._end_error:
                result.set_exception(self._end_error)
                return result
            self._next += 1
            number = self._next
            self._results[number] = result
        self.send(("do", number, task))
        return result

    def send(self, message: tuple[Any, ...]) -> None:
        with self._lock:
            try:
                self.pipe.send(message)
            except (BrokenPipeError, OSError):
                return  # its end is noticed where its answers are read

    def listen(self) -> None:
        """Hand out results until the worker ends."""
        try:
            while True:
                number, state, error = self.pipe.recv()
                result = self._results.pop(number)
                if error is None:
                    result.set_result(state)
                else:
                    result.set_exception(error)
        except (EOFError, OSError):
            self._report_end()

    def _report_end(self) -> None:
        """Tell everybody who waits for this worker that it has ended."""
        self.process.join()
        IN_FLIGHT.forget(self._place)  # or the end of the run would wait for its calls
        OLDEST_CALL.forget(self._place)
        CASES.forget(self._place)
        for tally in (HOLDING, JUDGING, *WAITING_FOR.values()):
            tally.forget(self._place)
        with self._lock:
            self._end_error = WorkerEndedError(
                f"Worker process {self._place} ended ({_how(self.process.exitcode)}), so the run stops. Every finished "
                f"call is kept: the same command continues from here. If memory ran out, lower {WORKERS_VARIABLE}."
            )
            open_results = [self._results.pop(number) for number in list(self._results)]
        for result in open_results:
            result.set_exception(self._end_error)


def _work_until_closed(
    runner: TaskRunner, threads: int, place: int, share: float, pipe: Connection, not_ours: list[Connection]
) -> None:
    """Be a worker until told to close, or until the parent is gone."""
    for inherited in not_ours:
        inherited.close()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # a terminal sends Ctrl-C to all, Slurm SIGTERM; the parent decides
    take_place(place)
    take_share(share)
    workers, sending = ThreadWorkers(runner, threads), threading.Lock()

    def answer(number: int, result: Result) -> None:
        error = StoppedError("The run was stopped.") if result.cancelled() else result.exception()
        with sending:
            pipe.send((number, None if error else result.result(), _portable(error)))

    try:
        while (message := pipe.recv())[0] != "close":
            if message[0] == "forget":
                workers.forget(message[1])
            else:
                _, number, task = message
                workers.submit(task).add_done_callback(partial(answer, number))
        workers.close()
    except (EOFError, OSError):
        # The parent is gone. When it was killed, what this worker has paid for comes home all the same. When it was on
        # its way out, it has waited as long as it may, or was told by a second signal not to.
        if not ENDING.is_set():
            bring_home(IN_FLIGHT.here, SHUTDOWN.patience)
    with suppress(OSError, ValueError):  # where the output goes may be gone as well
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)


def _how(exit_code: int | None) -> str:
    """Return how a process ended; multiprocessing gives a signal as a negative number."""
    if exit_code is not None and exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"


def _portable(error: BaseException | None) -> BaseException | None:
    """Return an error as it can travel: HELM's may hold what cannot be pickled."""
    error = lost_in(error) or error
    if error is None or isinstance(error, (SystemExit, ImpactBenchError)):
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")
