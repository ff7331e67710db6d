"""Which runs are under way: enough that no thread waits for work, and no more, because each holds its conversations."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Sequence

from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import RunnerError
from helm.common.hierarchical_logger import hlog

from helm_impactbench.helm.datasets.errors import MissingDataError
from helm_impactbench.helm.lost_target import lost_in
from helm_impactbench.process.shutdown import Shutdown

_LOOK_SECONDS = 0.02


class Schedule:
    """Runs run specs, each in a thread of its own, beginning one when work becomes scarce."""

    def __init__(
        self, run: Callable[[int, RunSpec], None], work_is_scarce: Callable[[], bool], shutdown: Shutdown
    ) -> None:
        """`run` does one run; `work_is_scarce` returns whether another one should begin."""
        self._run, self._scarce, self._shutdown = run, work_is_scarce, shutdown
        self._failed: list[tuple[str, BaseException]] = []
        self._fatal: BaseException | None = None

    def run_all(self, run_specs: Sequence[RunSpec], *, exit_on_error: bool) -> None:
        """Run all. Raises RunnerError that names the runs that failed, or the first error at once."""
        left, threads = list(enumerate(run_specs)), list[threading.Thread]()
        while left or any(thread.is_alive() for thread in threads):
            if left and self._scarce():
                threads.append(threading.Thread(target=self._one, args=left.pop(0), daemon=True))
                threads[-1].start()
            if self._shutdown.begun:
                self._shutdown.end()
            if self._fatal is not None:
                self._shutdown.end(_exit_code(self._fatal))
            if self._failed and exit_on_error:
                raise self._failed[0][1]
            threads = [thread for thread in threads if thread.is_alive()]
            time.sleep(_LOOK_SECONDS)
        if self._fatal is not None:
            self._shutdown.end(_exit_code(self._fatal))
        if self._failed:
            names = ", ".join(f'"{name}"' for name, _ in self._failed)
            raise RunnerError(f"Failed runs: [{names}]")

    def _one(self, number: int, run_spec: RunSpec) -> None:
        try:
            self._run(number, run_spec)
        except Exception as error:
            self._failed.append((run_spec.name, error))
            told = lost_in(error) or (error if isinstance(error, MissingDataError) else None)
            trace = f"Error when running {run_spec.name}:\n{traceback.format_exc()}"
            hlog(f"{run_spec.name}: {told}" if told else trace)
        except BaseException as error:  # our own end of the program, from whichever thread
            self._fatal = self._fatal or error


def _exit_code(error: BaseException) -> int:
    code = error.code if isinstance(error, SystemExit) else 1
    return code if isinstance(code, int) else 1
