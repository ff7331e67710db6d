"""HELM's Runner with one budget of concurrency for all runs and no barrier between phases or runs.

Each run goes through HELM's own `run_one`, so its files are HELM's. What takes time is done elsewhere: the executor
hands every instance to workers that all runs share, where it is requested and annotated in one go.
Everything else of run_one (instances, metrics, files) is done by one run at a time, because HELM's code for it is not
made for threads (it seeds numpy's global generator, for one).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner
from helm.benchmark.scenarios.scenario import ScenarioSpec, create_scenario
from helm.common.object_spec import get_class_by_name

from helm_impactbench.errors import StoppedError
from helm_impactbench.helm.missing_verdicts import MISSING_VERDICTS
from helm_impactbench.helm.registration import install
from helm_impactbench.helm.runner.early_stop import held_until, in_random_order
from helm_impactbench.helm.runner.processes import make_workers
from helm_impactbench.helm.runner.progress import ProgressLimits, RunnerProgress
from helm_impactbench.helm.runner.roles import begin_roles
from helm_impactbench.helm.runner.schedule import Schedule
from helm_impactbench.helm.runner.task import Task, TaskRunner
from helm_impactbench.helm.runner.workers import Result, RunWorkers
from helm_impactbench.llm.limits.admission import admission
from helm_impactbench.process.collector import keep_for_good
from helm_impactbench.process.control_file import forget_control
from helm_impactbench.process.helm_run import OUR_RUNNERS
from helm_impactbench.process.hold import wait_for_release
from helm_impactbench.process.shared_state import OLDEST_CALL, PAID_USD, SECRETS_REMOVED, STOPPED
from helm_impactbench.process.shutdown import SHUTDOWN
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.files import RunFolder
from helm_impactbench.stats.sequential import Goal


class ParallelRunner(Runner):
    """Runs all run specs of a helm-run at the same time, `--num-threads` instances at once over all of them."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Take what HELM gives to its own Runner."""
        super().__init__(*arguments, **settings)
        install()
        self._helms_code = threading.Lock()
        """Held by the one run that is in HELM's own code."""
        self._thread = threading.local()
        """Number and name of the run that a thread does."""
        self._preparing = 0
        """Runs that have begun and not handed their instances over."""

    def run_all(self, run_specs: list[RunSpec]) -> None:
        """Run all. Raises RunnerError with the names of runs that failed, as HELM's Runner does.

        Ctrl-C waits for the calls in flight, because they are paid for; a second one does not.
        """
        if self.dry_run or self.skip_instances or self.cache_instances_only:
            super().run_all(run_specs)
            return
        wait_for_release()
        tasks, threads = TaskRunner(self.executor, self.annotator_executor), self.executor.execution_spec.parallelism
        # Before any thread is there: a setting that cannot be read ends the program, and threads would be in its way.
        folder = Path(self.runs_path)
        forget_control(folder)
        stop_on_error(begin_roles, run_specs)
        progress = stop_on_error(RunnerProgress, len(run_specs), PAID_USD.total, limits=_limits)
        keep_for_good()
        workers = stop_on_error(make_workers, tasks, threads)
        threading.Thread(target=_meanwhile, args=(run_specs, progress), daemon=True).start()
        self._use(workers, tasks, progress)
        schedule = Schedule(self._run, lambda: self._preparing == 0 and workers.waiting() < 2 * threads, SHUTDOWN)
        stop_on_error(progress.keep_in, folder, [run_spec.name for run_spec in run_specs])
        try:
            with SHUTDOWN.watched():
                schedule.run_all(run_specs, exit_on_error=self.exit_on_error)
        except BaseException:
            STOPPED.set()  # or the workers would do what other runs have submitted
            raise
        finally:
            workers.close()
            progress.close(folder)
            _say_removed()
            forget_control(folder)
        MISSING_VERDICTS.end_if_failed()

    def _run(self, number: int, run_spec: RunSpec) -> None:
        """Run one of several. Raises what HELM's run_one raises."""
        self._thread.number, self._thread.name = number, run_spec.name
        self._thread.until = getattr(run_spec, "until", None)
        self._preparing += 1
        self._thread.preparing = True
        failed = True
        try:
            with self._helms_code:
                self.run_one(run_spec)
            failed = False
        finally:
            self._prepared()
            self._progress.end(number, failed=failed)

    def _use(self, workers: RunWorkers, tasks: TaskRunner, progress: RunnerProgress) -> None:
        """Put the workers in the place of HELM's two executors."""
        alone = self.annotator_executor.execute
        self._progress = progress

        def execute(state: ScenarioState) -> ScenarioState:
            specs = tuple(state.annotator_specs or ())
            run, name, until = self._thread.number, self._thread.name, self._thread.until
            together = any(getattr(annotator, "use_global_metric", False) for annotator in tasks.annotators(run, specs))
            progress.begin(run, name, len(state.request_states))

            def submit(states: Sequence[RequestState]) -> list[Result]:
                return self._submitted(workers, [Task(run, each, () if together else specs) for each in states])

            with self._out_of_helms_code():
                done = (
                    self._done(submit(state.request_states))
                    if until is None
                    else self._done_until(until, state.request_states, submit)
                )
            progress.resize(run, len(done))
            workers.forget(run)
            return ScenarioState(
                adapter_spec=state.adapter_spec, request_states=done, annotator_specs=state.annotator_specs
            )

        def annotate(state: ScenarioState) -> ScenarioState:
            annotated = all(request_state.annotations is not None for request_state in state.request_states)
            return state if annotated and state.annotator_specs else alone(state)

        self.executor.execute = execute
        self.annotator_executor.execute = annotate

    def _submitted(self, workers: RunWorkers, tasks: Sequence[Task]) -> list[Result]:
        """Hand tasks over, and count them when they are done."""
        results = [workers.submit(task) for task in tasks]
        for task, result in zip(tasks, results, strict=True):
            result.add_done_callback(partial(self._count, task.run))
        return results

    def _count(self, run: int, result: Result) -> None:
        if not result.cancelled():
            self._progress.count(run, _finished(result))

    def _done(self, results: Sequence[Result]) -> list[RequestState]:
        """Return the finished states in order; the first failure ends the run and spares its other calls."""
        self._prepared()
        try:
            return [stop_on_error(_outcome, result) for result in results]
        except BaseException:
            for result in results:
                result.cancel()
            raise

    def _done_until(
        self, until: Goal, states: Sequence[RequestState], submit: Callable[[Sequence[RequestState]], list[Result]]
    ) -> list[RequestState]:
        """Return the finished states of the base scenarios that were drawn, in the order of the file."""
        clusters = stop_on_error(in_random_order, states, until)
        self._prepared()
        threads = self.executor.execution_spec.parallelism
        done = held_until(clusters, submit, lambda result: stop_on_error(_outcome, result), threads)
        places = {state.instance.id: place for place, state in enumerate(states)}
        return sorted(done, key=lambda state: places[state.instance.id])

    def _is_run_completed(self, run_path: str) -> bool:
        """Return whether there is nothing left of a run: one that stopped early may now be asked for more."""
        completed: bool = super()._is_run_completed(run_path)
        return completed and RunFolder(Path(run_path)).has_stopped_for(getattr(self._thread, "until", None))

    def _prepared(self) -> None:
        """Note that this thread's run has handed its instances over, or never will."""
        if self._thread.preparing:
            self._thread.preparing = False
            self._preparing -= 1

    @contextmanager
    def _out_of_helms_code(self) -> Iterator[None]:
        """Let other runs do their part of HELM's work while this one waits for its instances."""
        self._helms_code.release()
        try:
            yield
        finally:
            self._helms_code.acquire()


def _finished(result: Result) -> RequestState | None:
    return None if result.cancelled() or result.exception() else result.result()


def _outcome(result: Result) -> RequestState:
    """Return what became of a task. Raises StoppedError for one that did not begin."""
    try:
        return result.result()
    except CancelledError:
        raise StoppedError("The run was stopped.") from None


def _say_removed() -> None:
    """Say where answers are not as the models wrote them, because they held a known secret."""
    if removed := SECRETS_REMOVED.total():
        where = ", ".join(f"{deployment}: {number}" for deployment, number in removed.most_common())
        print(
            f"impactbench: known secrets stood in models' answers, and [removed] stands in their place ({where}).",
            file=sys.stderr,
        )


def _limits() -> ProgressLimits:
    """Return what bounds the run at the moment."""
    bounds = admission()
    budget = bounds.budget.most_usd
    paid = 0.0 if budget is None else bounds.budget.paid_usd()
    return ProgressLimits(bounds.control.now().paused, budget, paid)


def _meanwhile(run_specs: Sequence[RunSpec], progress: RunnerProgress) -> None:
    """Do what can wait once the first call is on its way: before it, Python would share its one thread with this."""
    while not (OLDEST_CALL.seconds_since_first() or progress.any_done or STOPPED.is_set()):  # scripts make no call
        time.sleep(0.02)
    _plan(run_specs, progress)
    _load_metrics(run_specs)


def _plan(run_specs: Sequence[RunSpec], progress: RunnerProgress) -> None:
    """Say how many instances each run of ours will have. HELM's own suites would have to be read for it."""
    sizes: dict[ScenarioSpec, int] = {}
    for number, run_spec in enumerate(run_specs):
        if run_spec.scenario_spec.class_name.startswith(OUR_RUNNERS):
            with suppress(Exception):  # said by the run itself
                spec, most = run_spec.scenario_spec, run_spec.adapter_spec.max_eval_instances
                if spec not in sizes:
                    sizes[spec] = len(create_scenario(spec).cases())  # type: ignore[attr-defined]
                progress.plan(number, sizes[spec] if most is None else min(most, sizes[spec]))


def _load_metrics(run_specs: Sequence[RunSpec]) -> None:
    """Import what the end of each run needs, statistics for one, while the first calls are on their way."""
    for name in dict.fromkeys(spec.class_name for run_spec in run_specs for spec in run_spec.metric_specs):
        with suppress(Exception):  # said by the run that needs it
            get_class_by_name(name)
