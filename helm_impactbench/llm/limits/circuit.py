"""The circuit of a deployment: it opens when calls fail, and then few more are made.

Looked at are the last hundred attempts of a deployment's calls. The circuit opens when the newest twenty have failed,
which is one of each thread of a usual run, or four fifths of as many as IMPACTBENCH_MOST_FAILURES allows. Then one
attempt at a time is made in each process, with pauses as between the attempts of one call: about five minutes for ten
failures in a row, so that a server that is started again is met again. An answer closes the circuit, if failures are
few enough by then. The deployment is given up when the newest thirty have failed, or more than the share that is
allowed; ten of thirty, and a fifth of that share, are attempts made alone. A share of 1 never gives it up.

A limit of calls per minute is no failure, and neither is an answer that a provider's filter holds back: a server that
says either works. One that says nothing else does not: the deployment is given up when twenty calls, with all their
attempts, were refused since its last answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
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
from helm_impactbench.process.shared_state import Stop

WINDOW = 100
"""Attempts, the newest."""
OPENS_AFTER = 20
"""Failed attempts in a row."""
GIVES_UP_AFTER = 30
"""Failed attempts in a row, the last ten of which were made alone."""
_OPENS_AT = 0.8
"""Of the share of failures that is allowed; the rest are attempts made alone."""
_ANSWERED, _FAILED, _FAILED_ALONE = b"\0", b"\1", b"\2"
_LOOK_SECONDS = 0.1
_TEXT_BYTES = 400


class Circuit:
    """What became of the newest attempts at one deployment's calls, in all processes that are forked from this one."""

    def __init__(self, deployment: str) -> None:
        self._deployment = deployment
        # No lock among processes, as a killed one could keep it: two that write at once may lose one of two outcomes.
        self._window = RawArray("c", WINDOW)
        self._made = RawValue("L", 0)
        """Attempts until now; the next outcome's place follows from it."""
        self._unanswered = RawValue("L", 0)
        """Calls that were given up since the last answer."""
        self._given_up = RawArray("c", _TEXT_BYTES)
        """Why the deployment was given up; empty before."""
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._next = 0.0
        policy = policy_from_environment()
        self._most_wait, self._allowed = policy.max_wait, policy.failures * WINDOW

    @contextmanager
    def attempt(self, stopped: Stop) -> Iterator[None]:
        """Wait until an attempt may be made, and note what becomes of it.

        Raises FatalCallError when the deployment is given up, now or before; StoppedError.
        """
        alone = self._enter(stopped)
        try:
            yield
        except Exception as error:
            self._note_failure(error, alone)
            raise
        else:
            self._note(_ANSWERED)
        finally:
            if alone:
                self._turn.release()

    def note_unanswered(self, error: TransientCallError) -> None:
        """Note that a call was given up after all its attempts. The next one raises where too many were."""
        with self._lock:
            self._unanswered.value += 1
            if self._unanswered.value >= OPENS_AFTER and self._allowed < WINDOW and not self._given_up.value:
                self._give_up(f"{self._unanswered.value} calls in a row", error)

    def _enter(self, stopped: Stop) -> bool:
        """Return whether the attempt is made alone, because the circuit is open; its turn has come then."""
        if self._given_up.value:
            raise self._fatal()
        while self._is_open():
            if self._given_up.value:
                raise self._fatal()
            if stopped.is_set():
                raise StoppedError("The run was stopped.")
            if self._turn.acquire(timeout=_LOOK_SECONDS):
                if time.monotonic() >= self._next:
                    return True
                self._turn.release()
                stopped.wait(min(_LOOK_SECONDS, max(0.0, self._next - time.monotonic())))
        return False

    def _is_open(self) -> bool:
        outcomes = self._outcomes()
        too_many = _failures(outcomes) > _OPENS_AT * self._allowed
        return self._allowed < WINDOW and (too_many or len(_in_a_row(outcomes)) >= OPENS_AFTER)

    def _note_failure(self, error: Exception, alone: bool) -> None:
        failure = classified(error, self._deployment)
        if not _counts(error, failure):
            return
        outcomes = self._note(_FAILED_ALONE if alone else _FAILED)
        tries = _in_a_row(outcomes).count(_FAILED_ALONE)
        pause = min(self._most_wait, 2.0**tries) if isinstance(failure, TransientCallError) else 0.0
        self._next = time.monotonic() + pause
        if alone and (what := self._too_many(outcomes)):
            self._give_up(what, failure)
            raise self._fatal() from error

    def _give_up(self, what: str, failure: Exception) -> None:
        text = str(failure).removeprefix(f"{self._deployment}: ")
        self._given_up.value = f"{what} failed, the last one with: {text}".encode()[: _TEXT_BYTES - 1]

    def _too_many(self, outcomes: bytes) -> str:
        """Return which of the newest attempts failed, where they are enough to give the deployment up; else nothing."""
        row, failures = _in_a_row(outcomes), _failures(outcomes)
        if len(row) >= GIVES_UP_AFTER and row.count(_FAILED_ALONE) >= GIVES_UP_AFTER - OPENS_AFTER:
            return f"{len(row)} calls in a row"
        if failures > self._allowed and outcomes.count(_FAILED_ALONE) >= (1 - _OPENS_AT) * self._allowed:
            return f"{failures} of the last {WINDOW} calls"
        return ""

    def _note(self, outcome: bytes) -> bytes:
        """Put an outcome in the place of the oldest one. Returns them all."""
        with self._lock:
            if outcome == _ANSWERED:
                self._unanswered.value = 0
            made = self._made.value
            self._made.value = made + 1
            self._window[made % WINDOW] = outcome
            return self._outcomes()

    def _outcomes(self) -> bytes:
        """Return the outcomes of the newest attempts, the oldest first."""
        outcomes: bytes = self._window.raw
        first = self._made.value % WINDOW
        return outcomes[first:] + outcomes[:first]

    def _fatal(self) -> FatalCallError:
        return FatalCallError(f"{self._deployment}: {self._given_up.value.decode(errors='ignore')}", "down")


def _in_a_row(outcomes: bytes) -> bytes:
    """Return the failures after the last answer."""
    return outcomes.rpartition(_ANSWERED)[2]


def _failures(outcomes: bytes) -> int:
    return WINDOW - outcomes.count(_ANSWERED)


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
