"""Where answers may come from, how large they may be, and how they may be encoded; over real HTTP."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import BatchError, FatalCallError
from helm_impactbench.helm import litellm_client  # noqa: F401  # installs what litellm's own clients get
from helm_impactbench.llm.batch import provider
from helm_impactbench.llm.batch.provider import Provider
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.response_body import MAX_ANSWER_BYTES
from tests.support.raw_server import Asked, RawServer, send

pytestmark = pytest.mark.filterwarnings("ignore")  # litellm's own
WIRE = {"messages": [{"role": "user", "content": "the conversation"}], "max_tokens": 5}
every_client = pytest.mark.parametrize("model", ["openai/m", "anthropic/m", "azure/m"])
"""Litellm's own path, its clients for other protocols, and the openai package's."""
SECRETS = ("k3y-of-mine", "h3ader-of-mine", "the conversation")


def chat(text: str, **more: Any) -> bytes:
    """Return a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"id": "1", "object": "chat.completion", "created": 1, "choices": [choice], **more}).encode()


@pytest.fixture
def servers() -> Iterator[tuple[RawServer, RawServer]]:
    """One that is asked, and one to which it may redirect."""
    running = tuple(RawServer(lambda handler, asked: send(handler, chat("hello"))) for _ in range(2))
    yield running[0], running[1]
    for server in running:
        server.close()


@pytest.fixture
def endpoint(servers: tuple[RawServer, RawServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """A deployment at the first server, with a key and a header."""
    return endpoint_of("openai/m", servers, tmp_path, monkeypatch)


def endpoint_of(model: str, servers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.setenv("MY_KEY", SECRETS[0])
    headers = {"X-Pass": SECRETS[1]}
    base = f"{servers[0].url}/v1" if model.startswith("openai") else servers[0].url
    extra = {"api_version": "2024-06-01"} if model.startswith("azure") else {}
    return Endpoint(model, tmp_path, api_base=base, api_key_env="MY_KEY", headers=headers, extra=extra)


def ask(endpoint: Endpoint) -> Any:
    """Return the answer's text, or the failure as it is classified."""
    try:
        answer = endpoint.call("lab/m", {**WIRE, "model": endpoint.model})
    except Exception as error:
        return classified(error, "lab/m")
    return answer["choices"][0]["message"]["content"]


@every_client
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nothing_of_a_call_goes_to_another_origin(
    servers: tuple[RawServer, RawServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: int
) -> None:
    """A redirect to another port is an error for good, which says where to and what to do; nobody is asked there."""
    first, other = servers
    first.reply = lambda handler, asked: send(handler, b"", status, Location=f"{other.url}/v1/chat/completions")
    failure = ask(endpoint_of(model, servers, tmp_path, monkeypatch))
    assert isinstance(failure, FatalCallError)
    assert str(failure) == f"lab/m: HTTP {status}: redirected to {other.url}, which is not followed"
    assert failure.about == "address"
    assert other.asked == []
    assert len(first.asked) == 1


def test_files_and_batches_go_nowhere_else(servers: tuple[RawServer, RawServer], endpoint: Endpoint) -> None:
    """Neither the requests of a batch nor the key, by the openai package's client."""
    first, other = servers
    first.reply = lambda handler, asked: send(handler, b"", 307, Location=f"{other.url}{asked.path}")
    batches = Provider("lab/m", "openai", endpoint.transport)
    with pytest.raises(BatchError, match="redirected to"):
        batches.upload(b"{}\n")
    with pytest.raises(BatchError, match="redirected to"):
        batches.content("file-1")
    assert other.asked == []


@every_client
def test_a_call_follows_no_redirect_of_its_own_server(
    servers: tuple[RawServer, RawServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """It may lead back to itself; the address that answers belongs into the deployment."""
    servers[0].reply = lambda handler, asked: send(handler, b"", 307, Location=asked.path)
    failure = ask(endpoint_of(model, servers, tmp_path, monkeypatch))
    assert type(failure) is FatalCallError
    assert "redirected to" in str(failure)
    assert len(servers[0].asked) == 1


@pytest.mark.parametrize("place", ["javascript://x", "/v1/chat/completions", "http://[", "https://elsewhere.example/"])
def test_a_redirect_after_an_answer_is_a_failure_of_one_attempt(
    servers: tuple[RawServer, RawServer], endpoint: Endpoint, place: str
) -> None:
    """The address is right then: one mad answer of one proxy ends no run."""
    assert ask(endpoint) == "hello"
    servers[0].reply = lambda handler, asked: send(handler, b"", 307, Location=place)
    failure = ask(endpoint)
    assert type(failure) is TransientCallError
    assert "which is not followed" in str(failure)


def test_the_key_of_a_call_is_its_own_and_stays(servers: tuple[RawServer, RawServer], endpoint: Endpoint) -> None:
    """Every attempt has the same; a request that belongs to no call has none."""
    for key in ("a", "a", "b", ""):
        endpoint.call("lab/m", {**WIRE, "model": endpoint.model}, key)
    assert [asked.headers.get("Idempotency-Key") for asked in servers[0].asked] == ["a", "a", "b", None]


def raw_deflate(data: bytes) -> bytes:
    """Return deflate without zlib's header, as some servers write it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        pytest.param("gzip", gzip.compress, id="gzip"),
        pytest.param("x-gzip", gzip.compress, id="x-gzip"),
        pytest.param("deflate", zlib.compress, id="deflate"),
        pytest.param("deflate", raw_deflate, id="deflate without its header"),
        pytest.param("identity", bytes, id="identity"),
        pytest.param("gzip", lambda data: b"".join(map(gzip.compress, (data[:9], b"", data[9:]))), id="members"),
        pytest.param("gzip", lambda data: gzip.compress(data) + bytes(512), id="padded"),
        pytest.param("gzip", lambda data: gzip.compress(gzip.compress(data)), id="twice, said once"),
        pytest.param("gzip, gzip", lambda data: gzip.compress(gzip.compress(data)), id="twice"),
        pytest.param("deflate, gzip", lambda data: gzip.compress(zlib.compress(data)), id="both"),
        pytest.param("gzip", bytes, id="said and not done"),
    ],
)
@pytest.mark.parametrize("size", [5, 1_000_000])
def test_compressed_answers_are_read(
    servers: tuple[RawServer, RawServer], endpoint: Endpoint, coding: str, pack: Any, size: int
) -> None:
    """Only such encodings are asked for as can be decoded piece by piece."""
    text = "".join(chr(ord("a") + i * i % 23) for i in range(size))
    servers[0].reply = lambda handler, asked: send(handler, pack(chat(text)), Content_Encoding=coding)
    assert ask(endpoint) == text
    assert servers[0].asked[0].headers["Accept-Encoding"] == "gzip, deflate"


def bomb(size: int) -> bytes:
    """Return an answer of `size` bytes in some thousandth of that."""
    packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    parts = [packer.compress(chat("x")[:-20] + b"a")]
    parts += [packer.compress(b"a" * 1_000_000) for _ in range(size // 1_000_000)]
    return b"".join([*parts, packer.flush()])


def endless(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Write a body without an end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Connection", "close")
    handler.end_headers()
    while True:
        handler.wfile.write(b"a" * 100_000)


@every_client
@pytest.mark.parametrize("body", ["large", "gzip", "endless", "error"])
def test_an_answer_has_a_largest_size(
    servers: tuple[RawServer, RawServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, body: str
) -> None:
    """Once decoded, of any status and with any client of litellm's; the call is not repeated."""
    large = chat("a" * MAX_ANSWER_BYTES)
    replies: dict[str, Any] = {
        "large": lambda handler, asked: send(handler, large),
        "gzip": lambda handler, asked: send(handler, bomb(20_000_000), Content_Encoding="gzip"),
        "endless": endless,
        "error": lambda handler, asked: send(handler, large, 500),
    }
    servers[0].reply = replies[body]
    failure = ask(endpoint_of(model, servers, tmp_path, monkeypatch))
    words = "lab/m: the answer is larger than 8,000,000 bytes once it is decoded"
    kind, said = type(failure), str(failure)[:200]  # or pytest would show a whole answer
    assert (kind, said) == (PermanentCallError, words)
    assert len(servers[0].asked) == 1


@every_client
@pytest.mark.parametrize("status", [200, 500])
def test_a_long_error_is_cut_off(
    servers: tuple[RawServer, RawServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: int
) -> None:
    """So is an answer that is no JSON: litellm would search its megabytes for minutes."""
    servers[0].reply = lambda handler, asked: send(handler, b"a" * (MAX_ANSWER_BYTES - 1), status)
    begun = time.process_time()
    assert len(str(ask(endpoint_of(model, servers, tmp_path, monkeypatch)))) < 1_000
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "gzip, gzip, gzip, gzip"])
def test_other_encodings_are_refused(servers: tuple[RawServer, RawServer], endpoint: Endpoint, coding: str) -> None:
    """They cannot be decoded within bounds, and nobody asked for them."""
    servers[0].reply = lambda handler, asked: send(handler, chat("a"), Content_Encoding=coding)
    assert str(ask(endpoint)) == f"lab/m: the answer is encoded as {coding}; only gzip, deflate can be read"


def test_a_batchs_file_may_be_larger_and_has_a_limit_too(
    servers: tuple[RawServer, RawServer], endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its limit is its own, and the command says what it was."""
    content = b"a" * (MAX_ANSWER_BYTES + 1)
    servers[0].reply = lambda handler, asked: send(handler, content, kind="application/octet-stream")
    batches = Provider("lab/m", "openai", endpoint.transport)
    assert batches.content("file-1") == content
    monkeypatch.setattr(provider, "MAX_FILE_BYTES", len(content) - 1)
    with pytest.raises(BatchError, match=r"the answer is larger than 8,000,000 bytes once it is decoded\."):
        batches.content("file-1")
    assert len(servers[0].asked) == 2


def test_an_id_with_a_key_in_it_is_refused(servers: tuple[RawServer, RawServer], endpoint: Endpoint) -> None:
    """A provider that gives a file the caller's key for a name gets it into no file and no message."""
    file = {"id": f"file-{SECRETS[0]}", "object": "file", "bytes": 1, "created_at": 1, "filename": "f",
            "purpose": "batch", "status": "processed"}  # fmt: skip
    servers[0].reply = lambda handler, asked: send(handler, json.dumps(file).encode())
    with pytest.raises(BatchError, match="an id that holds a key") as error:
        Provider("lab/m", "openai", endpoint.transport).upload(b"{}\n")
    assert SECRETS[0] not in str(error.value)
