"""An HTTP server on loopback whose answers a test writes byte by byte, and which keeps what was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.serving import serve


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


Reply = Callable[[BaseHTTPRequestHandler, Asked], None]
"""Writes an answer."""


def send(
    handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, kind: str = "application/json", **headers: str
) -> None:
    """Write a whole answer; `_` in a header's name stands for a hyphen."""
    handler.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        return  # whoever asked has read enough


class RawServer:
    """Serves until closed."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(self.path, dict(self.headers), body)
                outer.asked.append(asked)
                try:
                    outer.reply(self, asked)
                except ConnectionError:  # who asked has read enough
                    self.close_connection = True

            do_GET = do_POST  # noqa: N815  # http.server's name

            def log_message(self, *arguments: object) -> None:
                return

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        serve(self._server)

    @property
    def url(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
