"""Hooks of an httpx client: where its answers may come from, and how large they may be.

Litellm reads whatever comes, from wherever it comes. A few bytes of gzip can become gigabytes, a body need not end, and
a redirect takes the conversation and all headers but one to whatever address an endpoint names.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx

from helm_impactbench.llm.failures import RefusedAnswerError
from helm_impactbench.llm.usage_block import with_sound_usage

MAX_ANSWER_BYTES = 8_000_000
"""Of an answer, decoded. The longest that models write today are 1 million; no more is ever read."""
MAX_FILE_BYTES = 500_000_000
"""Of a batch's file of answers, decoded: 50,000 answers of 10 kB."""
MAX_ERROR_BYTES = 20_000
"""Of an error, and of an answer that is no JSON; the rest is cut off. Litellm searches megabytes of such text for
minutes, and no other thread runs meanwhile."""
ENCODINGS = "gzip, deflate"
"""Those that can be decoded piece by piece here."""
_PIECE = 65_536

_most: ContextVar[int] = ContextVar("most", default=MAX_ANSWER_BYTES)
_PORTS = {"http": 80, "https": 443}


def guard(client: httpx.Client) -> httpx.Client:
    """Add to a client the hooks that any client needs; returns it. Harmless when repeated."""
    hooks = client.event_hooks
    if limit_size not in hooks["response"]:
        hooks["request"].append(ask_for_known_encodings)
        hooks["response"] += [refuse_redirects, limit_size]
        client.event_hooks = hooks
    return client


@contextmanager
def answers_up_to(most: int) -> Iterator[None]:
    """Let answers of this thread's calls have up to `most` bytes."""
    token = _most.set(most)
    try:
        yield
    finally:
        _most.reset(token)


def ask_for_known_encodings(request: httpx.Request) -> None:
    """Let a provider compress its answer only in a way that can be undone piece by piece."""
    request.headers["Accept-Encoding"] = ENCODINGS


def refuse_redirects(response: httpx.Response) -> None:
    """Raise RefusedAnswerError for a redirect to another origin."""
    if not response.has_redirect_location:
        return
    asked = response.request.url
    try:
        target = asked.join(response.headers["location"])
    except httpx.InvalidURL:
        target = httpx.URL("")
    if _origin(target) != _origin(asked):
        place = f"{target.scheme}://{target.host}" + (f":{target.port}" if target.port else "")
        raise RefusedAnswerError(
            f"HTTP {response.status_code}: redirected to {place}, which is not followed", "address"
        )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or _PORTS.get(url.scheme)


class _Body(httpx.SyncByteStream):
    """A body that is read through a function."""

    def __init__(self, body: httpx.SyncByteStream, read: Callable[[httpx.SyncByteStream], Iterator[bytes]]) -> None:
        self._body, self._read = body, read

    def __iter__(self) -> Iterator[bytes]:
        return self._read(self._body)

    def close(self) -> None:
        self._body.close()


def _read_through(response: httpx.Response, read: Callable[[httpx.SyncByteStream], Iterator[bytes]]) -> None:
    if isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _Body(response.stream, read)


def limit_size(response: httpx.Response) -> None:
    """Decode the body here, piece by piece, and raise RefusedAnswerError when it becomes too large."""
    most = _most.get()
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise RefusedAnswerError(f"the answer is encoded as {coding}; only {ENCODINGS} can be read")
    if "content-encoding" in response.headers:
        del response.headers["content-encoding"]  # or httpx would decode it once more

    def bounded(body: httpx.SyncByteStream) -> Iterator[bytes]:
        size = 0
        for part in body if coding in ("identity", "") else _inflated(body):
            size += len(part)
            if size > most:
                raise RefusedAnswerError(f"the answer is larger than {most:,} bytes once it is decoded")
            yield part

    def readable(body: httpx.SyncByteStream) -> Iterator[bytes]:
        pieces: list[bytes] = []
        try:
            pieces.extend(bounded(body))
        except httpx.TransportError:  # a whole answer may have come, paid for, whose trailers or end never do
            if not (response.is_success and _is_json(b"".join(pieces))):
                raise
        whole = b"".join(pieces)
        short = len(whole) <= MAX_ERROR_BYTES or (response.is_success and _is_json(whole))
        yield whole if short else whole[:MAX_ERROR_BYTES]

    _read_through(response, readable if most == MAX_ANSWER_BYTES else bounded)


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _inflated(body: httpx.SyncByteStream) -> Iterator[bytes]:
    """Yield a gzip or deflate body in pieces of bounded size, whatever it promises."""
    inflater, begun = zlib.decompressobj(zlib.MAX_WBITS | 32), False
    try:
        for part in body:
            if not begun and part[:1] not in (b"\x1f", b"\x78"):  # some servers leave the header of deflate out
                inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            begun = begun or bool(part)
            left = part
            while left and not inflater.eof:
                yield inflater.decompress(left, _PIECE)
                left = inflater.unconsumed_tail
            if inflater.eof:
                return
        yield inflater.flush()
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error


def repair(response: httpx.Response) -> None:
    """Mend what litellm's HTTP path fails on: some servers omit the role of messages, or report an impossible usage."""
    if response.is_success:
        _read_through(response, lambda body: iter([with_sound_usage(with_role(b"".join(body)))]))


def with_role(body: bytes) -> bytes:
    """Return a chat completion with `role` in its messages, and anything else unchanged (two searches)."""
    if b'"role"' in body or b'"choices"' not in body:
        return body
    try:
        answer: Any = json.loads(body)
        for choice in answer["choices"]:
            choice["message"].setdefault("role", "assistant")
        return json.dumps(answer).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return body
