"""The circuit of a deployment: it opens when calls fail one after another, and then few more are made.

Twenty failed attempts in a row, which is one of each thread of a usual run, open it (all but ten of those that
IMPACTBENCH_MOST_FAILURES allows). Then one attempt at a time is made
in each process, with pauses as between the attempts of one call: about five minutes for ten of them, so that a server
that is started again is met again. The first success closes the circuit. The tenth attempt that fails gives the
deployment up.

A limit of calls per minute is no failure, and neither is an answer that a provider's filter holds back: a server that
says either works.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import RawArray, RawValue

from helm_impactbench.errors import FatalCallError, StoppedError
from helm_impactbench.llm.failures import (
    BLOCKED,
    PermanentCallError,
    TransientCallError,
    asks_to_wait,
    classified,
)
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.process import shared_state
from helm_impactbench.process.shared_state import MOST_PROCESSES, Stop

GIVES_UP_AFTER = 10
"""The last attempts, each alone, of those after which a deployment is given up (RetryPolicy.failures)."""
_LOOK_SECONDS = 0.1
_TEXT_BYTES = 400


class Circuit:
    """What became of the newest attempts at one deployment's calls, in all processes that are forked from this one."""

    def __init__(self, deployment: str) -> None:
        self._deployment = deployment
        self._success = RawValue("d", 0.0)
        """When a call was answered last, in any process."""
        self._fails = RawValue("b", 0)
        """Whether an attempt has failed since then."""
        self._given_up = RawArray("c", _TEXT_BYTES)
        """Why the deployment was given up; empty before."""
        # Of each process: when its failures in a row began, how many there are, and how many were alone.
        self._began = RawArray("d", MOST_PROCESSES)
        self._failed = RawArray("d", MOST_PROCESSES)
        self._alone = RawArray("d", MOST_PROCESSES)
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._next = 0.0
        policy = policy_from_environment()
        self._most_wait, self._opens_after = policy.max_wait, max(1, policy.failures - GIVES_UP_AFTER)

    @contextmanager
    def attempt(self, stopped: Stop) -> Iterator[None]:
        """Wait until an attempt may be made, and note what becomes of it.

        Raises FatalCallError when the deployment is given up, now or before; StoppedError.
        """
        alone = self._enter(stopped)
        try:
            yield
        except Exception as error:
            self._note(error, alone)
            raise
        else:
            self._success.value, self._fails.value = time.monotonic(), 0
        finally:
            if alone:
                self._turn.release()

    def _enter(self, stopped: Stop) -> bool:
        """Return whether the attempt is made alone, because the circuit is open; its turn has come then."""
        while self._fails.value and self._sum(self._failed) >= self._opens_after:
            self._check()
            if stopped.is_set():
                raise StoppedError("The run was stopped.")
            if self._turn.acquire(timeout=_LOOK_SECONDS):
                if time.monotonic() >= self._next:
                    return True
                self._turn.release()
                stopped.wait(min(_LOOK_SECONDS, max(0.0, self._next - time.monotonic())))
        return False

    def _check(self) -> None:
        if self._given_up.value:
            raise self._fatal()

    def _note(self, error: Exception, alone: bool) -> None:
        failure = classified(error, self._deployment)
        if not _counts(error, failure):
            return
        with self._lock:
            place, now = shared_state.place(), time.monotonic()
            if not self._failed[place] or self._began[place] <= self._success.value:
                self._began[place], self._failed[place], self._alone[place] = now, 0, 0
            self._failed[place] += 1
            self._fails.value = 1
            self._alone[place] += alone
            tries = int(self._sum(self._alone))
            self._next = now + (min(self._most_wait, 2.0**tries) if isinstance(failure, TransientCallError) else 0.0)
        if alone and tries >= GIVES_UP_AFTER:
            text = str(failure).removeprefix(f"{self._deployment}: ")
            why = f"{int(self._sum(self._failed))} calls in a row failed, the last one with: {text}"
            self._given_up.value = why.encode()[: _TEXT_BYTES - 1]
            raise self._fatal() from error

    def _sum(self, parts: Iterable[float]) -> float:
        """Return the sum over processes of what has happened since a call was answered last."""
        since = self._success.value
        return sum(part for part, began in zip(parts, self._began, strict=True) if part and began > since)

    def _fatal(self) -> FatalCallError:
        return FatalCallError(f"{self._deployment}: {self._given_up.value.decode(errors='ignore')}", "down")


def _counts(error: Exception, failure: Exception) -> bool:
    if isinstance(failure, PermanentCallError):
        return BLOCKED not in str(failure)
    return isinstance(failure, TransientCallError) and not asks_to_wait(error)


_CIRCUITS: dict[str, Circuit] = {}
_LOCK = threading.Lock()


def circuit(deployment: str) -> Circuit:
    """Return the circuit of a deployment. Processes share those that were asked for before they were forked."""
    with _LOCK:
        if deployment not in _CIRCUITS:
            _CIRCUITS[deployment] = Circuit(deployment)
        return _CIRCUITS[deployment]


def forget_circuits() -> None:
    """Begin anew; for tests in one process."""
    with _LOCK:
        _CIRCUITS.clear()
