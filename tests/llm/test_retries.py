"""The retry policy without a network: what is sorted where, how long is waited, what ends it all."""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest
from helm.common.request import ErrorFlags, RequestResult

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.helm.deployments import register_deployments
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.remedies import cure
from helm_impactbench.llm.retries import Retries, RetryPolicy, policy_from_environment
from helm_impactbench.llm.retry_after import asked_wait
from helm_impactbench.process.shared_state import Stop

QUICK = RetryPolicy(attempts=4, max_wait=0.001)


class ProviderError(Exception):
    """An error as the SDKs raise it."""

    def __init__(self, status_code: int | None, text: str = "text", headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.status_code = status_code
        self.headers = headers or {}


def helms(text: str, flags: ErrorFlags | None = None) -> RequestResult:
    """Return a failure as HELM's own clients hand it over: in words."""
    return RequestResult(success=False, completions=[], cached=False, embedding=[], error=text, error_flags=flags)


GEMINI = "You exceeded your current quota, please check your plan and billing. Please retry in 36.5s."
OPENAI = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        pytest.param(ProviderError(429, GEMINI), TransientCallError, id="a limit per minute that is called a quota"),
        pytest.param(ProviderError(429, OPENAI), FatalCallError, id="a quota that is used up"),
        pytest.param(ProviderError(400, "Your credit balance is too low"), FatalCallError, id="no credit, as a 400"),
        pytest.param(ProviderError(400, "messages.2: billing, and insufficient funds"), PermanentCallError,
                     id="a conversation about money"),
        pytest.param(ProviderError(403, "Your input was flagged"), PermanentCallError, id="moderation, as a 403"),
        pytest.param(ProviderError(400, "content management policy"), PermanentCallError, id="filter, a 400"),
        pytest.param(ProviderError(400, '{"code": "model_not_found"}'), FatalCallError, id="unknown model, as a 400"),
        pytest.param(ProviderError(529, "overloaded"), TransientCallError, id="overloaded"),
        pytest.param(ProviderError(200, "Unable to get json response"), TransientCallError, id="a broken answer"),
        pytest.param(helms("OpenAI error: Error code: 401 - {'error': 'bad key'}"), FatalCallError,
                     id="HELM's client, key refused"),
        pytest.param(helms("OpenAI error: Error code: 429 - slow down"), TransientCallError,
                     id="HELM's client, rate limit"),
        pytest.param(helms("Error code: 400 - no", ErrorFlags(is_retriable=True)), PermanentCallError,
                     id="HELM's client, bad request"),
        pytest.param(helms("Content blocked", ErrorFlags(is_retriable=False)), PermanentCallError,
                     id="HELM's client, blocked"),
        pytest.param(sqlite3.OperationalError("database is locked"), TransientCallError, id="cache is busy"),
        pytest.param(sqlite3.OperationalError("database or disk is full"), FatalCallError, id="disk is full"),
        pytest.param(OSError(errno.ENOSPC, "No space left on device", "/x"), FatalCallError, id="no space left"),
        pytest.param(ConnectionResetError(errno.ECONNRESET, "reset"), TransientCallError, id="connection reset"),
        pytest.param(ValueError("All messages must have a role"), PermanentCallError, id="a request of ours is bad"),
    ],
)  # fmt: skip
def test_failures_are_sorted_by_what_they_mean(failure: Exception | RequestResult, kind: type[Exception]) -> None:
    """Status, words and kind of error together; words alone never make a failure fatal by accident."""
    assert type(classified(failure, "p/m")) is kind


@pytest.mark.parametrize("text", ["a\nb", "a\x1b[31mb", "a \ud83d b", "a\x00b\u202eb", "x" * 10_000])
def test_a_reason_is_one_printable_line(text: str) -> None:
    """What a provider writes can be printed and stored, whatever it is."""
    reason = str(classified(ProviderError(500, text), "p/m"))
    assert reason.isprintable()
    assert reason.encode()
    assert len(reason) < 400


def test_the_message_is_taken_out_of_its_wrapping() -> None:
    """Names of classes and JSON around what the provider said are no help."""
    said = 'litellm.RateLimitError: RateLimitError: OpenAIException - {"error": {"message": "slow down"}}'
    assert str(classified(ProviderError(429, said), "p/m")) == "p/m: HTTP 429: slow down"
    traced = "litellm.APIError: Invalid response object Traceback (most recent call last): File x"
    assert str(classified(ProviderError(500, traced), "p/m")) == "p/m: HTTP 500: Invalid response object"


NOW = 1_700_000_000


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        pytest.param({"Retry-After": "7"}, "", 7, id="seconds"),
        pytest.param({"retry-after": "0.5"}, "", 0.5, id="part of a second"),
        pytest.param({"Retry-After": formatdate(NOW + 30, usegmt=True), "Date": formatdate(NOW, usegmt=True)}, "", 30,
                     id="date, by the provider's clock"),
        pytest.param({"Retry-After": formatdate(NOW - 30, usegmt=True), "Date": formatdate(NOW, usegmt=True)}, "", 0,
                     id="date that has passed"),
        pytest.param({"retry-after-ms": "1500"}, "", 1.5, id="milliseconds"),
        pytest.param({"Retry-After": "2"}, "try again in 9s", 2, id="the header goes first"),
        pytest.param({}, "Please try again in 1m20s.", 80, id="words"),
        pytest.param({}, "Please try again in 120ms.", 0.12, id="words, milliseconds"),
        pytest.param({}, '"retryDelay": "36s"', 36, id="field"),
        pytest.param({}, "Please retry in 12.3s.", 12.3, id="words, part of a second"),
        pytest.param({"Retry-After": "soon"}, "", 0, id="no number"),
        pytest.param({"Retry-After": "inf"}, "", 0, id="endless"),
        pytest.param({"Retry-After": "nan"}, "", 0, id="nan"),
        pytest.param({"Retry-After": "-5"}, "", 0, id="negative"),
        pytest.param({}, "try again later", 0, id="no time"),
    ],
)  # fmt: skip
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], words: str, seconds: float) -> None:
    """In a header as seconds or as a date, or in words."""
    assert asked_wait(ProviderError(429, words, headers), words) == pytest.approx(seconds)


def test_a_date_without_the_providers_clock_counts_from_ours() -> None:
    """Whole seconds are all that a date holds."""
    headers = {"Retry-After": formatdate(time.time() + 20, usegmt=True)}
    assert 17 < asked_wait(ProviderError(429, "", headers), "") <= 20


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
    assert time.monotonic() - began < 5
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


@pytest.mark.parametrize("value", ["0", "-1", "2.5", "x", "1e3"])
def test_attempts_are_a_whole_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The message names the variable, what it holds and what is allowed."""
    monkeypatch.setenv("IMPACTBENCH_ATTEMPTS", value)
    with pytest.raises(SettingError, match=rf"IMPACTBENCH_ATTEMPTS is '{value}'; allowed: a whole number from 1"):
        policy_from_environment()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("key", "Set OPENAI_API_KEY in the environment or in .env (or openaiApiKey in prod_env/credentials.conf) to a"),
        ("credit", "Add credit to the account, or set OPENAI_API_KEY"),
        ("model", "Correct the name, or set OPENAI_API_KEY"),
        ("storage", "Free space"),
    ],
)
def test_a_cure_names_the_variable(monkeypatch: pytest.MonkeyPatch, about: str, words: str) -> None:
    """And that nothing is lost."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    register_deployments()
    said = cure("litellm/openai/gpt-4o", about)
    assert said.startswith(words)
    assert said.endswith("what is finished is kept.")
    assert "sk-secret" not in said
