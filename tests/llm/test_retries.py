"""The retry policy without a network: how long is waited, how often is tried, what ends it all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError
from helm_impactbench.llm.retries import Retries, RetryPolicy, policy_from_environment
from helm_impactbench.process.shared_state import LAST_FAILURE, Stop

QUICK = RetryPolicy(attempts=4, max_wait=0.001)


def scripted(*outcomes: Any) -> tuple[Callable[[], Any], list[float]]:
    """Return a function that raises or returns its outcomes one after the other, and the moments of its calls."""
    queue, moments = list(outcomes), []

    def send() -> Any:
        moments.append(time.monotonic())
        outcome = queue.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return send, moments


def test_a_passing_failure_is_tried_again() -> None:
    """The answer is that of the first attempt that has one."""
    send, moments = scripted(TransientCallError("a"), TransientCallError("b"), "answer")
    assert Retries(QUICK).run(send) == "answer"
    assert len(moments) == 3
    assert LAST_FAILURE.text() == "b", "for those who watch the run"


def test_attempts_are_bounded_and_counted_in_the_reason() -> None:
    """The last failure is told."""
    send, moments = scripted(*(TransientCallError(f"failure {i}") for i in range(9)))
    with pytest.raises(TransientCallError, match=r"failure 3 \(tried 4 times\)"):
        Retries(QUICK).run(send)
    assert len(moments) == 4


@pytest.mark.parametrize("error", [PermanentCallError("no"), KeyError("bug")])
def test_other_failures_are_not_repeated(error: Exception) -> None:
    """Neither a lasting failure nor a mistake in the code."""
    send, moments = scripted(error, "answer")
    with pytest.raises(type(error)):
        Retries(QUICK).run(send)
    assert len(moments) == 1


def test_what_the_provider_asks_for_is_waited_although_our_own_waiting_is_shorter() -> None:
    """Not a moment less, and little more."""
    send, moments = scripted(TransientCallError("a", retry_after=0.3), "answer")
    Retries(RetryPolicy(max_wait=0.01)).run(send)
    assert 0.3 <= moments[1] - moments[0] < 0.6


def test_time_is_bounded() -> None:
    """A wait that would end after the limit is not begun."""
    send, moments = scripted(TransientCallError("a", retry_after=3600), "answer")
    with pytest.raises(TransientCallError, match="tried once, and the provider asks to wait 3600 s"):
        Retries(RetryPolicy(max_seconds=60), Pauses()).run(send)
    assert len(moments) == 1


class Pauses(Stop):
    """Waits for nothing and remembers for how long it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float) -> bool:
        """Return at once."""
        self.seconds.append(timeout)
        return False


def test_waits_grow_and_are_spread() -> None:
    """Half to all of 1, 2, 4 ... up to the longest wait, never the same for two threads."""
    pauses = Pauses()
    for _ in range(20):
        send, _ = scripted(*(TransientCallError("a") for _ in range(5)), "answer")
        Retries(RetryPolicy(max_wait=3), pauses).run(send)
    for position, most in enumerate((1, 2, 3, 3, 3)):
        column = pauses.seconds[position::5]
        assert all(most / 2 <= wait <= most for wait in column)
        assert len(set(column)) == len(column)


def test_a_fatal_failure_ends_the_calls_of_all_threads_also_of_those_that_wait() -> None:
    """Nobody calls again: not the threads in a long wait, and none that comes later."""
    retries, waiting, calls = Retries(RetryPolicy(max_wait=20)), threading.Barrier(9), []

    def busy() -> None:
        first = not any(name == threading.get_ident() for name in calls)
        calls.append(threading.get_ident())
        if first:
            waiting.wait()
        raise TransientCallError("busy", retry_after=20)

    def refused() -> None:
        waiting.wait()
        time.sleep(0.1)
        raise FatalCallError("refused", "key")

    began = time.monotonic()
    with ThreadPoolExecutor(9) as pool:
        ends = [pool.submit(retries.run, busy) for _ in range(8)] + [pool.submit(retries.run, refused)]
        errors = [end.exception() for end in ends]
    assert [(type(error), str(error)) for error in errors] == [(FatalCallError, "refused")] * 9
    assert time.monotonic() - began < 20, "they waited as long as the provider asked"
    assert len(calls) == 8
    with pytest.raises(FatalCallError, match="refused"):
        retries.run(busy)
    assert len(calls) == 8


def test_the_environment_sets_the_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable, and the defaults where one is blank."""
    monkeypatch.setenv("IMPACTBENCH_ATTEMPTS", "3")
    monkeypatch.setenv("IMPACTBENCH_MAX_WAIT", "0")
    monkeypatch.setenv("IMPACTBENCH_MAX_RETRY_SECONDS", "12.5")
    monkeypatch.setenv("IMPACTBENCH_TIMEOUT", " ")
    assert policy_from_environment() == RetryPolicy(attempts=3, max_wait=0, max_seconds=12.5)


@pytest.mark.parametrize("value", ["0", "-1", "2.5", "x", "1e4"])
def test_attempts_are_a_whole_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The message names the variable, what it holds and what is allowed."""
    monkeypatch.setenv("IMPACTBENCH_ATTEMPTS", value)
    with pytest.raises(SettingError, match=rf"IMPACTBENCH_ATTEMPTS is '{value}', but it must be a whole number from 1"):
        policy_from_environment()
