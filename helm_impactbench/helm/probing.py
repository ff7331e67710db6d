"""The question that a model is asked before a run: whether it answers at all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from helm.clients.client import Client

from helm_impactbench.errors import FatalCallError, StoppedError
from helm_impactbench.helm.fatal_errors import ended
from helm_impactbench.llm.deadline import at_most
from helm_impactbench.llm.failures import (
    PermanentCallError,
    UnusableAnswerError,
    asks_to_wait,
    classified,
    timed_out,
    unreached,
)
from helm_impactbench.llm.limits.probe import probe_prompt
from helm_impactbench.process.shared_state import STOPPED, on_its_way

ANSWER_TOKENS = 16
"""The fewest that all providers take for a limit."""
MOST_SECONDS = 60.0
"""That an answer may take: a server that loads its model first takes as long."""
CONNECT_SECONDS = 3.0
"""That its machine may take to be reached."""
PATIENT_SECONDS = 4.0
"""After so many it is said that an answer is awaited."""
PAUSES = (0.5, 1.0)
"""Seconds between attempts of a server that cannot be reached or says that it fails."""
WITHOUT = "--no-probe starts a run without asking."


def question(model: str) -> dict[str, Any]:
    """Return the question as litellm gets it."""
    messages = [{"role": "user", "content": words()}]
    return {"model": model, "messages": messages, "max_tokens": ANSWER_TOKENS}


def words() -> str:
    """Return the words of the question."""
    return probe_prompt().fill()


def probe(send: Callable[[], object], client: Client, deployment: str, role: str) -> None:
    """Ask a model by `send`. Raises FatalCallError or TargetLostError when it cannot be called, StoppedError.

    A limit of calls per minute, an answer that cannot be used and a request that is refused are none of these: another
    call may do better.
    """
    for pause in (*PAUSES, None):
        failure = _failure(send, deployment)
        if failure is None:
            return
        if isinstance(failure, StoppedError):
            raise failure
        if isinstance(failure, FatalCallError) or pause is None:
            raise ended(_fatal(failure, deployment), deployment, role, client) from failure
        if STOPPED.wait(pause):
            raise StoppedError("The run was stopped.")


def _fatal(failure: Exception, deployment: str) -> FatalCallError:
    if isinstance(failure, FatalCallError):
        return failure
    text = str(failure).removeprefix(f"{deployment}: ")
    return FatalCallError(f"{deployment}: it does not answer: {text}", "down")


def _failure(send: Callable[[], object], deployment: str) -> Exception | None:
    """Return how an attempt failed as the next one would, None where it did not."""
    try:
        with _said_when_slow(deployment), at_most(MOST_SECONDS, CONNECT_SECONDS), on_its_way():
            send()
    except Exception as error:
        failure = classified(error, deployment)
        if isinstance(failure, PermanentCallError):
            _say(f"{failure} (a first question; the run goes on)")
            return None
        if timed_out(error):
            return FatalCallError(
                f"{deployment}: it does not answer within {MOST_SECONDS:.0f} s. If it is only slow to start: {WITHOUT}",
                "down",
            )
        if unreached(error):
            return FatalCallError(
                f"{deployment}: it does not answer: no connection after {CONNECT_SECONDS:.0f} seconds", "down"
            )
        return None if asks_to_wait(error) or isinstance(failure, UnusableAnswerError) else failure
    return None


@contextmanager
def _said_when_slow(deployment: str) -> Iterator[None]:
    """Say that an answer is awaited, when it takes long."""
    line = f"{deployment} has not answered its first question yet; it is waited for up to {MOST_SECONDS:.0f} s."
    timer = threading.Timer(PATIENT_SECONDS, _say, (line,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@cache
def _say(line: str) -> None:
    print(f"\nimpactbench: {line}\n", file=sys.stderr, flush=True)
