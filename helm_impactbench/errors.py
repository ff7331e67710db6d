"""Every error that helm_impactbench raises on purpose.

    ImpactBenchError                  base; its text says what was got, what is allowed, what to do
    |-- BenchmarkError                a benchmark file is missing or faulty (carries the faults)
    |-- PromptError                   a prompt template is missing, or its holes do not fit
    |-- RunEntryError                 an option of the run entry is unknown or out of range
    |-- ResultsError                  the files of a suite are missing, unfinished or contradict themselves
    |-- LabellingError                a sheet or its labels cannot be used (in labelling.errors)
    |-- ExchangeError                 foreign files cannot be read, or an export not written (in exchange.errors)
    `-- ModelError                    a model deployment cannot be used at all
        |-- UnknownDeploymentError    no such deployment or provider
        |-- MissingKeyError           the key of a provider is nowhere to be found
        `-- FatalCallError            the provider refused for a reason that repeating cannot cure

A failed *measurement* (an empty conversation, an unparsable judge) is not an error: it is a value with a reason
(`conversation.record.Status`, `judging.verdict.Unreadable`).
"""

from __future__ import annotations

import difflib
import sys
import threading
from collections.abc import Callable, Iterable
from typing import NoReturn, ParamSpec, TypeVar


class ImpactBenchError(Exception):
    """Base of all errors that a user of the package can cause and cure."""


class BenchmarkError(ImpactBenchError):
    """A benchmark cannot be loaded."""


class PromptError(ImpactBenchError):
    """A prompt template is missing or does not fit the values given for it."""


class RunEntryError(ImpactBenchError):
    """An option of the run entry is unknown or has a value that is not allowed."""


class ResultsError(ImpactBenchError):
    """The results of a suite cannot be read or trusted."""


class ModelError(ImpactBenchError):
    """A model deployment cannot be used."""


class UnknownDeploymentError(ModelError):
    """No deployment of that name is registered, and none can be generated from it."""


class MissingKeyError(ModelError):
    """The provider of a deployment needs a key that was not found."""


class FatalCallError(ModelError):
    """A provider refused a call for a reason that holds for every further call."""


def did_you_mean(got: str, allowed: Iterable[str], most: int = 2) -> str:
    """Return " Did you mean ...?" for the names in `allowed` that are nearest to `got`, or an empty string."""
    near = difflib.get_close_matches(got, list(allowed), n=most, cutoff=0.6)
    return f" Did you mean {' or '.join(near)}?" if near else ""


P = ParamSpec("P")
T = TypeVar("T")
_SAID = threading.Event()


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
    if not _SAID.is_set():
        _SAID.set()
        print(f"\nimpactbench: {error}", file=sys.stderr, flush=True)
    raise SystemExit(2) from error
