"""Every error that helm_impactbench raises on purpose.

    ImpactBenchError                  base; its text says what was got, what is allowed, what to do
    |-- BenchmarkError                a benchmark file is missing or faulty (carries the faults)
    |-- PromptError                   a prompt template is missing, or its holes do not fit
    |-- RunEntryError                 an option of the run entry is unknown or out of range
    |-- ResultsError                  the files of a suite are missing, unfinished or contradict themselves
    |-- LabellingError                a sheet or its labels cannot be used (in labelling.errors)
    |-- ExchangeError                 foreign files cannot be read, or an export not written (in exchange.errors)
    |-- FetchError                    data of a suite cannot be fetched, or have changed (in fetching.errors)
    |-- SettingError                  an environment variable has a value that is not allowed
    |-- StorageError                  a file or folder cannot be written (in whole_files)
    |-- WorkerEndedError              a worker process ended before its work did (in runner.workers)
    |-- BatchError                    a provider's batch cannot be sent or fetched (in batch.errors)
    `-- ModelError                    a model deployment cannot be used at all
        |-- UnknownDeploymentError    no such deployment or provider
        |-- MissingKeyError           the key of a provider is nowhere to be found
        `-- FatalCallError            the provider refused for a reason that repeating cannot cure
            |-- BudgetError           the next call could pass the budget (in models.spending)
            `-- StoppedError          the run was stopped elsewhere: by another thread's error, or by Ctrl-C

A failed *measurement* (an empty conversation, an unparsable judge) is not an error: it is a value with a reason
(`conversation.record.Status`, `judging.verdict.Unreadable`).
"""

from __future__ import annotations

import difflib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn, ParamSpec, TypeVar


class ImpactBenchError(Exception):
    """Base of all errors that a user of the package can cause and cure."""

    def __str__(self) -> str:
        """Return the text, fit for a terminal whatever stood in the file or reply that it quotes."""
        return printable(super().__str__())


class BenchmarkError(ImpactBenchError):
    """A benchmark cannot be loaded."""


class PromptError(ImpactBenchError):
    """A prompt template is missing or does not fit the values given for it."""


class RunEntryError(ImpactBenchError):
    """An option of the run entry is unknown or has a value that is not allowed."""


class ResultsError(ImpactBenchError):
    """The results of a suite cannot be read or trusted."""


class SettingError(ImpactBenchError):
    """An environment variable has a value that is not allowed."""


class ModelError(ImpactBenchError):
    """A model deployment cannot be used."""


class UnknownDeploymentError(ModelError):
    """No deployment of that name is registered, and none can be generated from it."""


class MissingKeyError(ModelError):
    """The provider of a deployment needs a key that was not found."""


class FatalCallError(ModelError):
    """A provider refused a call for a reason that holds for every further call."""

    def __init__(self, text: str, about: str = "") -> None:
        """`about` is what has to be mended: key, credit, model or storage (models.cures knows how)."""
        super().__init__(text)
        self.about = about


class StoppedError(FatalCallError):
    """No call is begun any more, because the run was stopped elsewhere; who stopped it has said why."""


def printable(text: str) -> str:
    """Return `text` with escapes in the place of control characters, invisible ones and halves of surrogate pairs."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def did_you_mean(got: str, allowed: Iterable[str], most: int = 2) -> str:
    """Return " Did you mean ...?" for the names in `allowed` that are nearest to `got`, or an empty string."""
    near = difflib.get_close_matches(got, list(allowed), n=most, cutoff=0.6)
    return f" Did you mean {' or '.join(near)}?" if near else ""


P = ParamSpec("P")
T = TypeVar("T")
_SAYING = threading.Lock()
_SAID = threading.Event()
GRACE = 2.0
"""Seconds that threads have to end by themselves after a run was stopped."""
LONGEST_GRACE = 60.0
"""Seconds that calls in flight have to come home after a run was stopped, because they are paid for."""


def stop_on_error(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `function`; on one of our errors end the program with its text alone.

    For HELM's side of the code only: HELM's runner logs the traceback of an ordinary exception and goes on to the next
    run, which would meet the same mistake.
    """
    try:
        return function(*args, **kwargs)
    except ImpactBenchError as error:
        stop(error)


def stop(error: ImpactBenchError) -> NoReturn:
    """End the program with exit code 2 and the error's text, said once however many threads meet it."""
    with _SAYING:
        if not _SAID.is_set() and not isinstance(error, StoppedError):
            _SAID.set()
            print(f"\nimpactbench: {error}", file=sys.stderr, flush=True)
            _end_in_time()
    raise SystemExit(2) from error


def _end_in_time() -> None:
    """Let the program end soon although other threads are in the middle of a call.

    A SystemExit in a worker thread is no more than the result of its task: HELM waits for every other task, and a call
    may take minutes. What is finished is in the cache, whose writes are whole or not there.
    """
    if threading.current_thread() is not threading.main_thread():
        threading.Thread(target=_end_when_quiet, daemon=True).start()


def _end_when_quiet() -> None:
    from helm_impactbench.process.shared_state import IN_FLIGHT  # here, not above: errors are below all rooms

    began = time.monotonic()
    time.sleep(GRACE)
    while IN_FLIGHT.total() > 0 and time.monotonic() - began < LONGEST_GRACE:
        time.sleep(0.1)
    _end_now()


def _end_now() -> NoReturn:
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(2)
