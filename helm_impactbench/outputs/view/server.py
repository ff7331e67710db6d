"""The server of `impactbench view`: the standard library's, on 127.0.0.1, with a random token in every address.

It knows requests and replies, and nothing of suites. No part of an address is ever used as the name of a file.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from helm_impactbench._version import __version__
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.view.guard import policy, refusal

MOST_BODY = 1_000_000
"""Bytes of a request: an answer with a note and quotes."""
_SILENT_SECONDS = 60.0
"""A connection without a request is closed."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Request:
    """What is asked for."""

    method: str
    """GET or POST."""
    address: str
    """From the report's folder, as in outputs/report/names: without the token."""
    query: Mapping[str, list[str]] = field(default_factory=dict)
    body: bytes = b""

    def one(self, name: str) -> str:
        """Return the first value of a parameter; empty without any."""
        return self.query.get(name, [""])[0]


@dataclass(frozen=True)
class PageReply:
    """What is answered."""

    body: str | bytes
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    policy: str = policy()


Answer = Callable[[Request], PageReply]


def message(text: str, status: int) -> PageReply:
    """Return a reply of one sentence."""
    return PageReply(f"{text}\n", "text/plain; charset=utf-8", status)


class ViewServer(ThreadingHTTPServer):
    """Answers this machine's browser until it is shut down; nothing waits for a thread at its end."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Answer, port: int = 0) -> None:
        """`answer` is called from several threads. port: 0 takes a free one. Raises ImpactBenchError."""
        self.answer = answer
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise ImpactBenchError(
                f"--port {port} cannot be used: {error.strerror or error}. 0 takes a free one."
            ) from error

    @property
    def address(self) -> str:
        """Where its first page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/index.html"

    def server_bind(self) -> None:
        """Bind, and ask no name server what this machine is called, as HTTPServer does."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has closed its connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = f"impactbench/{__version__}", ""
    timeout = _SILENT_SECONDS

    def do_GET(self) -> None:
        self._send(self._reply())

    do_POST = do_GET  # noqa: N815 - the names that the standard library looks for

    def _reply(self) -> PageReply:
        body = self._body()
        if body is None:
            return message("The request is too large, or does not say how large it is.", 413)
        refused = refusal(self.command, self.path, self.headers, port=self.server.server_port, token=self.server.token)  # type: ignore[arg-type] # a Message has get
        if refused:
            status, why = refused
            return message(why, status)
        parts = urlsplit(self.path)
        address = unquote(parts.path.split("/", 2)[2]) if parts.path.count("/") > 1 else ""
        try:
            query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=200)
            return self.server.answer(Request(self.command, address or "index.html", query, body))
        except ImpactBenchError as error:
            return message(str(error), 400)
        except Exception:
            traceback.print_exc()
            return message("This page could not be made; the terminal of impactbench view says why.", 500)

    def _body(self) -> bytes | None:
        """Return what came with the request, read before anything is answered; None where it cannot be taken."""
        said = self.headers.get("Content-Length", "0")
        if not said.isdecimal() or int(said) > MOST_BODY or self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            return None
        return self.rfile.read(int(said))

    def _send(self, reply: PageReply) -> None:
        body = reply.body.encode("utf-8", "replace") if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        for name, value in {**_HEADERS, "Content-Security-Policy": reply.policy, "Content-Type": reply.kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a log would hold the token."""
