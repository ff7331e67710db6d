"""One instance from request to annotations: what HELM does in two phases over a whole run, done for one at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator, AnnotatorSpec
from helm.benchmark.annotation_executor import AnnotationExecutor
from helm.benchmark.executor import Executor

from helm_impactbench.process.shared_state import CASES, HOLDING, JUDGING, counted_in


@dataclass(frozen=True)
class Task:
    """One instance of one run."""

    run: int
    """Number of the run within this helm-run."""
    state: RequestState
    annotators: tuple[AnnotatorSpec, ...]


@dataclass
class TaskRunner:
    """Runs tasks with HELM's executors; annotators are made once per run."""

    executor: Executor
    annotation: AnnotationExecutor
    _annotators: dict[int, list[Annotator]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, task: Task) -> RequestState:
        """Return the state with result and annotations. Raises what HELM's executors raise."""
        with CASES.one():
            with counted_in(HOLDING):
                state = self.executor.process(task.state)
            annotators = self.annotators(task.run, task.annotators)
            with counted_in(JUDGING):
                return self.annotation.process(annotators, state) if annotators else state

    def annotators(self, run: int, specs: Sequence[AnnotatorSpec]) -> list[Annotator]:
        """Return the annotators of a run."""
        with self._lock:
            if run not in self._annotators:
                self._annotators[run] = [self.annotation.factory.get_annotator(spec) for spec in specs]
            return self._annotators[run]

    def forget(self, run: int) -> None:
        """Release the annotators of a finished run."""
        with self._lock:
            self._annotators.pop(run, None)
