"""Failures of calls are sorted by what they mean, and told in one line without keys."""

from __future__ import annotations

import errno
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from helm_impactbench.errors import FatalCallError
from helm_impactbench.llm.failures import PermanentCallError, ReportedCallError, TransientCallError, classified
from tests.llm.builders import ProviderError
from tests.support.looped import looped


class APIConnectionError(Exception):
    """As in the SDKs: no status."""


@looped(
    ("failure", "kind"),
    [
        pytest.param(ProviderError(401), FatalCallError, id="key refused"),
        pytest.param(ProviderError(402), FatalCallError, id="payment required"),
        pytest.param(ProviderError(403), FatalCallError, id="no permission"),
        pytest.param(ProviderError(404), FatalCallError, id="unknown model"),
        pytest.param(ProviderError(429, "You exceeded your current quota"), FatalCallError, id="quota in a 429"),
        pytest.param(ProviderError(429), TransientCallError, id="rate limit"),
        pytest.param(ProviderError(408), TransientCallError, id="request timeout"),
        pytest.param(ProviderError(500), TransientCallError, id="server error"),
        pytest.param(ProviderError(503), TransientCallError, id="overloaded"),
        pytest.param(ProviderError(400), PermanentCallError, id="bad request"),
        pytest.param(ProviderError(413), PermanentCallError, id="too large"),
        pytest.param(APIConnectionError("reset"), TransientCallError, id="connection"),
        pytest.param(TimeoutError("slow"), TransientCallError, id="timeout"),
        pytest.param(ConnectionResetError("reset"), TransientCallError, id="socket"),
        pytest.param(ValueError("odd"), PermanentCallError, id="anything else"),
        pytest.param(ReportedCallError("no"), TransientCallError, id="a client's report"),
        pytest.param(ReportedCallError("no", retriable=False), PermanentCallError, id="a client's report, lasting"),
    ],
)
def test_failures_are_sorted(failure: Exception, kind: type[Exception]) -> None:
    """Passing, lasting for this request, lasting for all."""
    error = classified(failure, "p/m")
    assert type(error) is kind
    assert str(error).startswith("p/m: ")


GEMINI = "You exceeded your current quota, please check your plan and billing. Please retry in 36.5s."
OPENAI = "You exceeded your current quota, please check your plan and billing details."


@looped(
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
        pytest.param(ReportedCallError("OpenAI error: Error code: 401 - {'error': 'bad key'}"), FatalCallError,
                     id="a client's report, key refused"),
        pytest.param(ReportedCallError("OpenAI error: Error code: 429 - slow down"), TransientCallError,
                     id="a client's report, rate limit"),
        pytest.param(ReportedCallError("Error code: 400 - no", retriable=True), PermanentCallError,
                     id="a client's report, bad request"),
        pytest.param(ReportedCallError("Content blocked", retriable=False), PermanentCallError,
                     id="a client's report, blocked"),
        pytest.param(sqlite3.OperationalError("database is locked"), TransientCallError, id="cache is busy"),
        pytest.param(sqlite3.OperationalError("database or disk is full"), FatalCallError, id="disk is full"),
        pytest.param(OSError(errno.ENOSPC, "No space left on device", "/x"), FatalCallError, id="no space left"),
        pytest.param(ConnectionResetError(errno.ECONNRESET, "reset"), TransientCallError, id="connection reset"),
        pytest.param(ValueError("All messages must have a role"), PermanentCallError, id="a request of ours is bad"),
    ],
)  # fmt: skip
def test_failures_are_sorted_by_what_they_mean(failure: Exception, kind: type[Exception]) -> None:
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


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnop",
        "Bearer abcdef123456",
        "A" * 40,
        "gsk_abcdefghijkl",
        "xai-abc123def456",
        "hf_abcdefgh1234",
    ],
)
def test_messages_hold_no_key(key: str) -> None:
    """Providers quote the key that they refuse; we do not."""
    assert key not in str(classified(ProviderError(401, f"Incorrect API key provided: {key}."), "p/m"))


def test_a_report_in_words_is_told_as_it_is() -> None:
    """Without the name of a class of ours; a report without words says that there are none."""
    assert str(classified(ReportedCallError("Content blocked"), "p/m")).endswith("(Content blocked)")
    assert str(classified(ReportedCallError("too odd", retriable=False), "p/m")) == "p/m: too odd"
    assert str(classified(ReportedCallError(""), "p/m")) == "p/m: no answer, and no reason given"


OUT_OF_FILES = """
import os, resource, sqlite3, sys
from pathlib import Path
from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.llm.failures import classified
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.process.folder_checks import check_folder
import httpx
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
client = httpx.Client()
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass

def failing(use):
    try:
        use()
    except Exception as error:
        return error

for use in (
    lambda: sqlite3.connect(sys.argv[1]),
    lambda: SpendLog(Path(sys.argv[1])).reserve("1", "m", 0.5),
    lambda: client.get("http://127.0.0.1:9/"),
):
    found = classified(failing(use), "m")
    print(type(found).__name__, found.about, found)
print(failing(lambda: check_folder(Path("."), "results", "--output-path")))
"""


def test_too_many_open_files_are_no_full_disk(tmp_path: Path) -> None:
    """SQLite, our files and HTTP clients say it in words of their own; the run ends, and is told the cure."""
    command = [sys.executable, "-c", OUT_OF_FILES, str(tmp_path / "new")]
    *failures, folder = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(failures) == 3
    for line in failures:
        assert line.startswith("FatalCallError files m: too many open files (")
    assert "Too many open files" in folder
    assert "ulimit -n" in folder
    assert "Free space" not in folder


def test_a_provider_that_has_too_many_open_files_is_asked_again() -> None:
    """Its words are not this machine's."""
    failure = classified(ProviderError(500, "[Errno 24] Too many open files"), "m")
    assert type(failure) is TransientCallError
