"""Every attempt of a call ends by its deadline, whatever comes from the server; over real connections."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from helm_impactbench.helm import litellm_client  # noqa: F401  # installs what litellm's own clients get
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.failures import TransientCallError, classified
from helm_impactbench.process.shared_state import OLDEST_CALL
from tests.support.endless_server import WAYS, WHOLE, Endless, EndlessServer

pytestmark = pytest.mark.filterwarnings("ignore")  # litellm's own
SECONDS = 0.8
STUCK = 60.0
"""An attempt that takes so long has no end: nothing but a deadline ends it."""
LONG = "x" * 8_000_000
"""More than the system takes from us before the other side has read any of it."""
every_client = pytest.mark.parametrize("model", ["openai/m", "anthropic/m", "azure/m"])
"""Litellm's own path, its clients for other protocols, and the openai package's."""
Serve = Callable[[Endless], EndlessServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that are closed in the end."""
    started: list[EndlessServer] = []

    def start(way: Endless) -> EndlessServer:
        started.append(EndlessServer(way))
        return started[-1]

    yield start
    for server in started:
        server.close()


def ended(work: Callable[[], Any]) -> Any:
    """Return what the work returns or raises, from a thread that may be stuck."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(STUCK)
    assert not thread.is_alive(), "stuck"
    return outcome[0]


def asked(model: str, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch, words: str = "hello") -> Any:
    """Return the answer's text or the classified failure of one attempt."""
    monkeypatch.setenv("IMPACTBENCH_TIMEOUT", str(SECONDS))
    extra = {"api_version": "2024-06-01"} if model.startswith("azure") else {}
    endpoint = Endpoint(model, folder, api_base=address, extra=extra)
    wire = {"model": model, "messages": [{"role": "user", "content": words}], "max_tokens": 5}
    answer = ended(lambda: endpoint.call("lab/m", wire))
    return classified(answer, "lab/m") if isinstance(answer, Exception) else answer["choices"][0]["message"]["content"]


@every_client
@pytest.mark.parametrize("way", WAYS)
def test_an_endless_answer_ends_by_the_deadline(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, way: str
) -> None:
    """Dripped headers, 1xx answers, chunk extensions, bodies, a handshake, and requests that nobody reads: a failure
    that may pass, said as what it is.
    """
    scheme = "https" if "TLS" in way else "http"
    server, words = serve(WAYS[way]), "hello" if WAYS[way].reads else LONG
    failure = asked(model, f"{scheme}://{server.address}/v1", tmp_path, monkeypatch, words)
    assert isinstance(failure, TransientCallError), failure
    # A client of litellm's may see the shut connection first, where the machine is busy.
    assert str(failure) in (f"lab/m: no answer after {SECONDS} seconds", "lab/m: no answer in time")
    assert server.asked <= 1, "0 where the time went for what a library loads for its first call"


@pytest.mark.parametrize("model", ["openai/m", "azure/m"])
@pytest.mark.parametrize("way", WHOLE)
def test_a_whole_answer_counts_though_its_end_never_comes(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, way: str
) -> None:
    """It is paid for: it is taken when the time is over, and not asked for again."""
    server = serve(WHOLE[way])
    assert asked(model, f"http://{server.address}/v1", tmp_path, monkeypatch) == "hello"
    assert server.asked == 1


@pytest.mark.parametrize("way", [way for way in WAYS if "TLS" not in way])
def test_other_libraries_end_as_well(serve: Serve, way: str) -> None:
    """A client of HELM's that has a time limit for each read at most: httpx itself, and what rests on http.client."""
    address = serve(WAYS[way]).address
    body = b"x" if WAYS[way].reads else LONG.encode()

    def by_httpx() -> None:
        with attempt(SECONDS), httpx.Client(timeout=None) as client:  # as some of HELM's clients do
            client.post(f"http://{address}/", content=body)

    def by_http_client() -> None:
        with closing(http.client.HTTPConnection(address)) as connection, attempt(SECONDS):
            connection.request("POST", "/", b"x")
            connection.getresponse().read()

    # http.client takes 103 for the answer.
    for work in (by_httpx,) if way == "103 Early Hints" else (by_httpx, by_http_client):
        assert isinstance(ended(work), httpx.ReadTimeout), work.__name__


def test_without_an_attempt_nothing_has_an_end(serve: Serve) -> None:
    """Connections of others, which the same libraries make, keep the time limits that they have."""
    address = serve(WAYS["nothing"]).address
    with attempt(SECONDS):
        pass
    with httpx.Client(timeout=2 * SECONDS) as client, pytest.raises(httpx.ReadTimeout, match="timed out"):
        client.get(f"http://{address}/")


def test_what_fails_in_time_fails_as_it_does() -> None:
    """Only a failure after the deadline is called one of time."""
    with pytest.raises(ValueError, match="of its own"), attempt(60):
        raise ValueError("of its own")


def test_the_age_of_the_oldest_attempt_is_known() -> None:
    """Of those under way, in the order in which they began; 0 without any."""
    assert OLDEST_CALL.seconds() == 0
    with OLDEST_CALL.under_way():
        first = OLDEST_CALL.seconds()
        with attempt(60):
            assert OLDEST_CALL.seconds() > first
    assert OLDEST_CALL.seconds() == 0
