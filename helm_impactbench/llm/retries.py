"""The only retry policy: which failures of a call are retried, when and how often, and which end the run.
docs/troubleshooting.md has the table. llm.failures classifies failures; nothing else in the package repeats a call.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type

from helm_impactbench.errors import FatalCallError, StoppedError
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, UnusableAnswerError
from helm_impactbench.process.settings import DAY, count_from, seconds_from, share_from
from helm_impactbench.process.shared_state import LAST_FAILURE, Stop, repeating

_LOG = logging.getLogger("helm.impactbench")
ATTEMPTS_VARIABLE = "IMPACTBENCH_ATTEMPTS"
MAX_WAIT_VARIABLE = "IMPACTBENCH_MAX_WAIT"
MAX_RETRY_SECONDS_VARIABLE = "IMPACTBENCH_MAX_RETRY_SECONDS"
TIMEOUT_VARIABLE = "IMPACTBENCH_TIMEOUT"
FAILURES_VARIABLE = "IMPACTBENCH_MOST_FAILURES"
_MOST_ATTEMPTS = 1000
_MOST_UNUSABLE = 2

T = TypeVar("T")


@dataclass(frozen=True)
class RetryPolicy:
    """How long a call is worth trying."""

    attempts: int = 8
    """At most. Seven waits of 1, 2, 4 ... s outlast a limit per minute, even if the provider does not say when to
    retry."""
    max_wait: float = 60.0
    """Seconds between two attempts, at most, where the provider asks for no longer wait."""
    max_seconds: float = 900.0
    """No attempt begins later than so many seconds after the first one."""
    timeout: float = 300.0
    """Seconds until an attempt is abandoned."""
    failures: float = 0.5
    """The share of one deployment's newest attempts, over all calls, above which it is given up; 1: never."""


DEFAULTS = RetryPolicy()


def policy_from_environment() -> RetryPolicy:
    """Return the policy with the values that the environment sets. Raises SettingError, naming the variable."""
    return RetryPolicy(
        attempts=count_from(ATTEMPTS_VARIABLE, DEFAULTS.attempts, most=_MOST_ATTEMPTS),
        max_wait=seconds_from(MAX_WAIT_VARIABLE, DEFAULTS.max_wait, least=0),
        max_seconds=seconds_from(MAX_RETRY_SECONDS_VARIABLE, DEFAULTS.max_seconds, least=0, most=7 * DAY),
        timeout=seconds_from(TIMEOUT_VARIABLE, DEFAULTS.timeout),
        failures=share_from(FAILURES_VARIABLE, DEFAULTS.failures),
    )


class Retries:
    """Repeats calls under a policy, for all threads of a run, until a failure ends the run for all of them."""

    def __init__(self, policy: RetryPolicy, stopped: Stop | None = None) -> None:
        """`stopped` is set by a fatal failure, and ends all calls when somebody else sets it."""
        self._policy = policy
        self._stopped = stopped or Stop()
        self._lock = threading.Lock()
        self._fatal: FatalCallError | None = None

    def run(self, send: Callable[..., T], *arguments: Any) -> T:
        """Return what `send` returns, repeating it on a TransientCallError.

        Raises the last TransientCallError when the policy is used up, PermanentCallError at the second answer that
        cannot be used, FatalCallError for every thread once there was one, and every other exception of `send` at once.
        """
        unusable: list[UnusableAnswerError] = []

        def attempt() -> T:
            self._check()
            try:
                return send(*arguments)
            except UnusableAnswerError as error:  # each one is paid for
                unusable.append(error)
                if len(unusable) == _MOST_UNUSABLE:
                    raise PermanentCallError(f"{error} (asked twice)") from error
                raise
            except FatalCallError as error:
                self._stop(error)
                raise
            except StoppedError:
                self._check()  # says why, where it is known
                raise

        policy = Retrying(
            retry=retry_if_exception_type(TransientCallError),
            stop=self._used_up,
            wait=self._wait,
            sleep=self._pause,
            before_sleep=_say_retry,
            retry_error_callback=_give_up,
        )
        result: T = policy(attempt)
        return result

    def _stop(self, error: FatalCallError) -> None:
        """Let no further attempt begin, and wake the threads that wait for theirs."""
        with self._lock:
            self._fatal = self._fatal or error
        self._stopped.set()

    def _check(self) -> None:
        if self._fatal is not None:  # a new one each time: an exception that is raised twice grows a traceback
            raise FatalCallError(str(self._fatal), self._fatal.about)
        if self._stopped.is_set():
            raise StoppedError("The run was stopped.")

    def _pause(self, seconds: float) -> None:
        with repeating():
            self._stopped.wait(seconds)

    def _used_up(self, state: RetryCallState) -> bool:
        next_begins = (state.seconds_since_start or 0.0) + max(self._usual(state), _failure(state).retry_after)
        return state.attempt_number >= self._policy.attempts or next_begins > self._policy.max_seconds

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds to the next attempt: half to all of 1, 2, 4 ... s, or slightly more than the provider asks
        for. Both are randomized, so that a hundred refused threads do not return together.
        """
        spread = self._usual(state) * random.uniform(0.5, 1.0)  # noqa: S311  # no secret
        asked = _failure(state).retry_after
        return asked + spread / 2 if asked else spread

    def _usual(self, state: RetryCallState) -> float:
        return min(self._policy.max_wait, 2.0 ** min(state.attempt_number - 1, 30))


def _failure(state: RetryCallState) -> TransientCallError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, TransientCallError) else TransientCallError("")


def _give_up(state: RetryCallState) -> Any:
    error = _failure(state)
    asked = f", and the provider asks to wait {error.retry_after:.0f} s" if error.retry_after >= 1 else ""
    times = "once" if state.attempt_number == 1 else f"{state.attempt_number} times"
    raise TransientCallError(f"{error} (tried {times}{asked})") from error


def _say_retry(state: RetryCallState) -> None:
    wait = state.next_action.sleep if state.next_action else 0.0
    LAST_FAILURE.say(str(_failure(state)))
    _LOG.warning(f"{_failure(state)}. Attempt {state.attempt_number + 1} in {wait:.1f} s.")
