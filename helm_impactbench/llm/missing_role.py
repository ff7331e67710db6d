"""Messages of servers that leave out whose message it is: litellm's HTTP path stumbles over them, the SDKs do not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx


class _Whole(httpx.SyncByteStream):
    """A body, handed on in one piece."""

    def __init__(self, body: httpx.SyncByteStream) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield with_role(b"".join(self._body))

    def close(self) -> None:
        self._body.close()


def fill_role(response: httpx.Response) -> None:
    """Give the message of a response the role that it can only have. An httpx event hook for responses."""
    if response.is_success and isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _Whole(response.stream)


def with_role(body: bytes) -> bytes:
    """Return a chat completion with `role` in its messages; anything else unchanged, at the cost of two searches."""
    if b'"role"' in body or b'"choices"' not in body:
        return body
    try:
        answer = json.loads(body)
        for choice in answer["choices"]:
            choice["message"].setdefault("role", "assistant")
        return json.dumps(answer).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return body
