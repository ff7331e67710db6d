"""A server on loopback that begins an answer in one of many ways, and then goes on for ever with the same few bytes."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

_CHAT = json.dumps({
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}).encode()  # fmt: skip
_STATUS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _STATUS + b"Transfer-Encoding: chunked\r\n\r\n"
_WHOLE = _CHUNKED + b"%x\r\n%s\r\n0\r\n" % (len(_CHAT), _CHAT)
_LONG = _STATUS + b"Content-Length: 900000\r\n\r\n"


@dataclass(frozen=True)
class Endless:
    """One way in which an answer has no end."""

    first: bytes
    again: bytes
    """What comes after it, over and over."""
    reads: bool = True
    """Whether the request is read before."""


WAYS = {
    "nothing": Endless(b"", b""),
    "request not read": Endless(b"", b"", reads=False),
    "status line": Endless(b"HTTP/1.1 200 ", b"O"),
    "headers": Endless(_STATUS + b"X-Slow: ", b"x"),
    "100 Continue": Endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "103 Early Hints": Endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "chunk extension": Endless(_CHUNKED + b"1;", b"x"),
    "body": Endless(_LONG, b" "),
    "body in chunks": Endless(_CHUNKED, b"1\r\n \r\n"),
    "body without a length": Endless(_STATUS + b"\r\n", b" "),
    "TLS handshake": Endless(b"\x16\x03\x03\x40\x00", b"\x02", reads=False),
}
WHOLE = {
    "trailers": Endless(_WHOLE, b"X-A: b\r\n"),
    "a trailer": Endless(_WHOLE + b"X-A: ", b"b"),
    "missing end": Endless(_CHUNKED + b"%x\r\n%s\r\n" % (len(_CHAT), _CHAT), b""),
    "spaces after it": Endless(_LONG + _CHAT, b" "),
}
"""Those in which the whole answer is there, and only its end is not."""
_EVERY = 0.02
"""Seconds between two pieces."""


class EndlessServer:
    """Answers every connection in one way until closed."""

    def __init__(self, way: Endless) -> None:
        self._way = way
        self.asked = 0
        """Connections so far."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        if not way.reads:
            self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._closed = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self) -> None:
        """Stop, and end all answers."""
        self._closed.set()
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.asked += 1
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self._way.reads:
                _read_request(connection)
            connection.sendall(self._way.first)
            while not self._closed.is_set():
                connection.sendall(self._way.again)
                time.sleep(_EVERY)


def _read_request(connection: socket.socket) -> None:
    head = b""
    while b"\r\n\r\n" not in head:
        if not (piece := connection.recv(65536)):
            raise ConnectionError("it has gone")
        head += piece
    headers, _, body = head.partition(b"\r\n\r\n")
    lengths = [line for line in headers.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = int(lengths[0].split(b":")[1]) - len(body) if lengths else 0
    while missing > 0 and (piece := connection.recv(65536)):
        missing -= len(piece)
