"""An end for every attempt of a call, whatever its provider sends or keeps back.

HTTP libraries limit the wait for the next bytes. A provider that drips them (of a header, `100 Continue`, the extension
of a chunk, a body, a trailer) or reads a request byte by byte holds a call for ever. So a watch shuts the connection
that an attempt uses when the attempt's time is over, whatever it is doing at that moment. It knows the connections of
httpx (litellm, openai, anthropic ...) and of http.client (requests, boto3 ...). What nothing here can end: a name that
the system looks up, and connections of libraries in C (gRPC).
"""

from __future__ import annotations

import http.client
import math
import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from typing import Any

import httpcore
import httpx

from helm_impactbench.process.shared_state import OLDEST_CALL

CONNECT_SECONDS = 20.0
"""That a connection may take to be made, with the attempt's seconds for all else. The other side is a machine that does
not answer at all where it takes longer."""
_THREAD = threading.local()
"""`attempt` is the one that a thread is making; `most` and `connect` are the seconds that it is given at most."""


class Attempt:
    """One attempt of a call, made by one thread."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.over = False
        """Whether its time was up before its answer was there."""
        self.whole = True
        """Whether an answer that came without an error is known to be whole. A library that reads until the connection
        ends takes its shutdown for the end of the answer."""
        self._connection: Any = None

    def use(self, connection: Any) -> None:
        """Note the socket that the attempt waits for from now on. Raises httpcore.ReadTimeout when it is over."""
        self._connection = connection
        if self.over:
            raise httpcore.ReadTimeout(self.text)

    def left(self, seconds: float | None) -> float:
        """Return the seconds that a step may take that would take up to `seconds` by itself; never 0."""
        return max(0.001, min(math.inf if seconds is None else seconds, self.end - time.monotonic()))

    def expire(self) -> None:
        """End whatever it waits for."""
        self.over = True
        with suppress(OSError, ValueError):  # it was closed meanwhile
            # Not the shutdown of a TLS socket, which would take its encryption from under the thread that reads.
            socket.socket.shutdown(self._connection, socket.SHUT_RDWR) if self._connection else None

    @property
    def text(self) -> str:
        """What is said of it when it is over."""
        return f"The answer was not complete after {self.seconds:g} seconds"


@contextmanager
def attempt(seconds: float) -> Iterator[Attempt]:
    """Give all connections that this thread uses meanwhile so many seconds together.

    Raises httpx.ReadTimeout in place of any failure that comes when they are over.
    """
    watch_connections()
    made = _THREAD.attempt = Attempt(min(seconds, getattr(_THREAD, "most", seconds)))
    watch = _watch()
    watch.add(made)
    try:
        with OLDEST_CALL.under_way():
            yield made
    except Exception as error:
        if made.over:
            raise httpx.ReadTimeout(made.text) from error
        raise
    finally:
        _THREAD.attempt = None
        watch.remove(made)
    if made.over and not made.whole:
        raise httpx.ReadTimeout(made.text)


@contextmanager
def at_most(seconds: float, connect: float) -> Iterator[None]:
    """Give no attempt that this thread makes meanwhile more seconds than these, and `connect` of them to connect."""
    _THREAD.most, _THREAD.connect = seconds, connect
    try:
        yield
    finally:
        del _THREAD.most, _THREAD.connect


def _current() -> Attempt | None:
    return getattr(_THREAD, "attempt", None)


class _Watch:
    """A thread that ends attempts when their time is over."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._under_way: set[Attempt] = set()
        self._changed = threading.Condition()
        self._wakes = math.inf
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, made: Attempt) -> None:
        """Watch over an attempt."""
        with self._changed:
            self._under_way.add(made)
            if made.end < self._wakes:
                self._changed.notify()

    def remove(self, made: Attempt) -> None:
        """Forget an attempt that has ended."""
        with self._changed:
            self._under_way.discard(made)

    def _run(self) -> None:
        with self._changed:
            while True:
                for late in [made for made in self._under_way if made.end <= time.monotonic()]:
                    self._under_way.discard(late)
                    late.expire()
                self._wakes = min((made.end for made in self._under_way), default=math.inf)
                self._changed.wait(None if math.isinf(self._wakes) else max(0.0, self._wakes - time.monotonic()))


_WATCHES: list[_Watch] = []
_WATCHES_LOCK = threading.Lock()


def _watch() -> _Watch:
    """Return this process's watch; a forked worker has none of its parent's threads."""
    with _WATCHES_LOCK:
        if not _WATCHES or _WATCHES[0].process != os.getpid():
            _WATCHES[:] = [_Watch()]
        return _WATCHES[0]


class _Stream(httpcore.NetworkStream):
    """A connection of httpx that tells the thread's attempt before it waits for the other side."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        found = self._stream.read(max_bytes, self._bounded(timeout))
        if not found and (current := _current()) and current.over:  # the shutdown, and no end of an answer
            raise httpcore.ReadTimeout(current.text)
        return found

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._bounded(timeout))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._bounded(timeout)))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _bounded(self, timeout: float | None) -> float | None:
        current = _current()
        if current is None:
            return timeout
        current.use(self._stream.get_extra_info("socket"))
        return current.left(timeout)


@cache
def watch_connections() -> None:
    """Let attempts know their connections: those that httpcore opens, and those that http.client reads from.

    Without an attempt, which is in no call but ours, both do what they did. If httpcore opens connections in another
    way: endless answers hold a call for ever again, which tests/llm/test_deadline.py would show.
    """
    connect = httpcore.SyncBackend.connect_tcp
    get_response = http.client.HTTPConnection.getresponse

    @wraps(connect)
    def connect_tcp(
        self: httpcore.SyncBackend,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        current = _current()
        if current is not None:
            current.use(None)
            timeout = min(current.left(timeout), getattr(_THREAD, "connect", CONNECT_SECONDS))
        return _Stream(connect(self, host, port, timeout, local_address, socket_options))

    @wraps(get_response)
    def getresponse(self: http.client.HTTPConnection, *arguments: Any, **settings: Any) -> http.client.HTTPResponse:
        current = _current()
        if current is not None:
            current.use(getattr(self, "sock", None))
            current.whole = False
        return get_response(self, *arguments, **settings)

    httpcore.SyncBackend.connect_tcp = connect_tcp  # type: ignore[method-assign]
    http.client.HTTPConnection.getresponse = getresponse  # type: ignore[method-assign]
