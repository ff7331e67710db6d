"""End the program for an error of ours, from whichever thread meets it.

For HELM's side of the code only: HELM logs the traceback of an ordinary exception and goes on to the next run, which
would meet the same mistake.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

from helm_impactbench.errors import ImpactBenchError, StoppedError, TargetLostError
from helm_impactbench.process.shared_state import EXPLAINED, is_worker
from helm_impactbench.process.shutdown import SHUTDOWN

EXIT_CODE = 2
P = ParamSpec("P")
T = TypeVar("T")
_SAYING = threading.Lock()


def stop_on_error(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `function`; on one of our errors end the program with its text alone.

    Raises TargetLostError, which ends the runs of one model only.
    """
    try:
        return function(*args, **kwargs)
    except TargetLostError:
        raise
    except ImpactBenchError as error:
        stop(error)


def stop(error: ImpactBenchError) -> NoReturn:
    """End the program with exit code 2 and the error's text, said once however many threads and processes meet it."""
    with _SAYING:
        if not EXPLAINED.is_set() and not isinstance(error, StoppedError):
            EXPLAINED.set()
            print(f"\nimpactbench: {error}", file=sys.stderr, flush=True)
            # SystemExit in another thread is no more than the result of its task: HELM would wait for all the others.
            # In a worker process it travels to the parent, which ends the run.
            if threading.current_thread() is not threading.main_thread() and not is_worker():
                SHUTDOWN.begin(EXIT_CODE)
    raise SystemExit(EXIT_CODE) from error
