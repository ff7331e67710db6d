"""Hooks of an httpx client: where its answers may come from, and how large they may be.

Litellm reads whatever comes, from wherever it comes. A few bytes of gzip can become gigabytes, a body need not end, and
a redirect takes the conversation and all headers but one to whatever address an endpoint names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx

from helm_impactbench.llm.chat_body import UnreadableAnswerError, is_complete, sound_chat
from helm_impactbench.llm.decoding import ENCODINGS, codings, decoded
from helm_impactbench.llm.failures import RefusedAnswerError
from helm_impactbench.llm.received import current

MAX_ANSWER_BYTES = 8_000_000
"""Of an answer, decoded. The longest that models write today are 1 million; no more is ever read."""
MAX_FILE_BYTES = 500_000_000
"""Of a batch's file of answers, decoded: 50,000 answers of 10 kB."""
MAX_ERROR_BYTES = 20_000
"""Of an error, and of an answer that is no JSON; the rest is cut off. Litellm searches megabytes of such text for
minutes, and no other thread runs meanwhile."""

_most: ContextVar[int] = ContextVar("most", default=MAX_ANSWER_BYTES)
_PORTS = {"http": 80, "https": 443}


def guard(client: httpx.Client) -> httpx.Client:
    """Add to a client the hooks that any client needs; returns it. Harmless when repeated."""
    hooks = client.event_hooks
    if limit_size not in hooks["response"]:
        hooks["request"].append(ask_for_known_encodings)
        hooks["response"] += [note_status, refuse_redirects, limit_size]
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


def name_call(request: httpx.Request) -> None:
    """Give a request the key of its call, by which a provider that takes such keys charges a repeated call once, and
    note where it goes.
    """
    if request.method != "POST":
        return
    current().address = str(request.url.copy_with(userinfo=b"", query=None, fragment=None))
    if key := current().key:
        request.headers["Idempotency-Key"] = key


def note_status(response: httpx.Response) -> None:
    """Note that an answer has begun to come; of an earlier attempt nothing is left."""
    received = current()
    received.status = response.status_code
    received.whole, received.body, received.fault = False, b"", ""


def refuse_redirects(response: httpx.Response) -> None:
    """Raise RefusedAnswerError for a redirect to another origin, and for any of a POST: it may be one to itself."""
    if not response.has_redirect_location:
        return
    asked = response.request.url
    try:
        target = asked.join(response.headers["location"])
    except httpx.InvalidURL:
        target = httpx.URL("")
    if response.request.method == "POST" or _origin(target) != _origin(asked):
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


def read_through(response: httpx.Response, read: Callable[[httpx.SyncByteStream], Iterator[bytes]]) -> None:
    """Have the body of a response read through a function."""
    if isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _Body(response.stream, read)


def limit_size(response: httpx.Response) -> None:
    """Decode the body here, piece by piece, and raise RefusedAnswerError when it becomes too large.

    A JSON object that is whole counts as received, also where what should follow it does not come.
    """
    most = _most.get()
    header = response.headers.get("content-encoding", "")
    used = codings(header)
    if used is None:
        raise RefusedAnswerError(f"the answer is encoded as {header}; only {ENCODINGS} can be read")
    if "content-encoding" in response.headers:
        del response.headers["content-encoding"]  # or httpx would decode it once more

    def bounded(body: httpx.SyncByteStream) -> Iterator[bytes]:
        size = 0
        for part in decoded(body, used):
            size += len(part)
            if size > most:
                raise RefusedAnswerError(f"the answer is larger than {most:,} bytes once it is decoded")
            yield part

    def readable(body: httpx.SyncByteStream) -> Iterator[bytes]:
        whole = _noted(bounded(body)) if response.is_success else b"".join(bounded(body))
        short = len(whole) <= MAX_ERROR_BYTES or (response.is_success and is_complete(whole))
        yield whole if short else whole[:MAX_ERROR_BYTES]

    read_through(response, readable if most == MAX_ANSWER_BYTES else bounded)


def _noted(body: Iterator[bytes]) -> bytes:
    """Return the body of an answer, and note it as received."""
    received, parts = current(), list[bytes]()
    try:
        parts.extend(body)
    except httpx.DecodingError as error:
        received.whole, received.fault = True, str(error)
        raise
    except httpx.TransportError:
        if not is_complete(b"".join(parts)):
            raise
    received.whole, received.body = True, b"".join(parts)
    return received.body


def repair(response: httpx.Response) -> None:
    """Bring a chat completion into the shape that litellm reads. Raises UnreadableAnswerError."""
    if response.is_success:
        read_through(response, lambda body: iter([_sound(b"".join(body))]))


def repair_chats(response: httpx.Response) -> None:
    """Do so where a client sends other requests as well."""
    if response.request.url.path.endswith("/chat/completions"):
        repair(response)


def _sound(body: bytes) -> bytes:
    try:
        return sound_chat(body)
    except UnreadableAnswerError as error:
        current().fault = str(error)
        raise
