"""A limit on the whole body of an answer: HTTP clients limit the wait for its next bytes, and a drip never ends."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx


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


def limit_body(response: httpx.Response) -> None:
    """Give the body of a response as long as a single read may take. An httpx event hook for responses."""
    seconds = response.request.extensions.get("timeout", {}).get("read")
    if seconds and isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _InTime(response.stream, seconds)
