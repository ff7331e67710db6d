"""Hooks of an httpx client that change the body of a provider's answer before litellm reads it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from helm_impactbench.llm.usage_block import with_sound_usage


def body_hooks() -> list[Callable[..., Any]]:
    """Return the event hooks for responses, in their order."""
    return [limit_time, repair]


class _InTime(httpx.SyncByteStream):
    """A body that has to end before a moment of time.monotonic()."""

    def __init__(self, body: httpx.SyncByteStream, seconds: float) -> None:
        self._body, self._seconds = body, seconds
        self._end = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        for part in self._body:
            if time.monotonic() > self._end:
                raise httpx.ReadTimeout(f"The answer was not complete after {self._seconds:g} seconds")
            yield part

    def close(self) -> None:
        self._body.close()


def limit_time(response: httpx.Response) -> None:
    """Limit the time for the whole body to that for a single read. HTTP clients limit only the wait for the next bytes,
    so an answer that arrives byte by byte would never end.
    """
    seconds = response.request.extensions.get("timeout", {}).get("read")
    if seconds and isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _InTime(response.stream, seconds)


class _Repaired(httpx.SyncByteStream):
    """A body, passed on in one piece, as litellm can read it."""

    def __init__(self, body: httpx.SyncByteStream) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield with_sound_usage(with_role(b"".join(self._body)))

    def close(self) -> None:
        self._body.close()


def repair(response: httpx.Response) -> None:
    """Mend what litellm's HTTP path fails on: some servers omit the role of messages, or report an impossible usage."""
    if response.is_success and isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _Repaired(response.stream)


def with_role(body: bytes) -> bytes:
    """Return a chat completion with `role` in its messages, and anything else unchanged (two searches)."""
    if b'"role"' in body or b'"choices"' not in body:
        return body
    try:
        answer = json.loads(body)
        for choice in answer["choices"]:
            choice["message"].setdefault("role", "assistant")
        return json.dumps(answer).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return body
