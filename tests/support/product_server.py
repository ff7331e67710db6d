"""A real product on loopback: it remembers what it was told, in sessions, and records every turn that reaches it.

It repeats what it knows of the session, so that a test sees which memory answered. Its faults are planted by name.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serve

KEY = "product-key-4f9a1c7e"
"""What it lets in."""
WORD = re.compile(r"\bword is (\w+)")
Say = Callable[[list[str], dict[str, Any]], str]
"""From the user's messages of a session so far, and the body of the newest, to the reply."""


def remembers(said: list[str], body: dict[str, Any]) -> str:
    """Name the word that the session was told; else count its messages."""
    words = [word for message in said for word in WORD.findall(message)]
    if words and "?" in said[-1]:
        return f"The word is {words[0]}."
    return f"Message {len(said)} of this session. You said: {said[-1]}"


@dataclass
class ProductServer:
    """Serves until closed, at /chat (JSON), /stream (events), /stateless, /cookie, /open and /close."""

    say: Say = remembers
    defect: str = ""
    """One of: no memory, shared memory, error body, html, slow, empty, key; or nothing."""
    seconds: float = 0.0
    """That it takes to answer."""
    fail: Callable[[list[str], dict[str, Any]], int] = lambda said, body: 0
    """Returns the status of a failure that comes after the turn was received; 0 for none, 1 for a broken connection."""
    turns: list[tuple[str, str]] = field(default_factory=list)
    """(session, message) of every turn that reached it, in order."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._said: dict[str, list[str]] = defaultdict(list)
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
                outer._answer(self, body)

            def log_message(self, *arguments: object) -> None:
                return

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self._server = Server(("127.0.0.1", 0), Handler)
        serve(self._server)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def sent_twice(self) -> list[tuple[str, str]]:
        """Return the turns that one session got twice."""
        return [turn for turn in {*self.turns} if self.turns.count(turn) > 1]

    def _answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        path = handler.path.partition("?")[0]
        if handler.headers.get("Authorization") != f"Bearer {KEY}" or self.defect == "key":
            return _send(handler, 401, {"error": f"bad key {handler.headers.get('Authorization')}"})
        if path == "/open":
            session = uuid.uuid4().hex
            self.opened.append(session)
            return _send(handler, 200, {"id": session})
        if path == "/close":
            self.closed.append(str(body.get("session")))
            return _send(handler, 204, None)
        if path not in ("/chat", "/stream", "/stateless", "/cookie"):
            return _send(handler, 404, {"error": "no such page"})
        return self._turn(handler, path, body)

    def _turn(self, handler: BaseHTTPRequestHandler, path: str, body: dict[str, Any]) -> None:
        cookies = handler.headers.get("Cookie") or ""
        own = cookies.partition("sid=")[2].partition(";")[0] if path == "/cookie" else str(body.get("session") or "")
        session = own or uuid.uuid4().hex
        with self._lock:
            if path == "/stateless":
                said = [each["content"] for each in body["messages"] if each["role"] == "user"]
            else:
                memory = "all" if self.defect == "shared memory" else session
                self._said[memory].append(body["message"])
                said = [*self._said[memory]]
                said = said[-1:] if self.defect == "no memory" else said
            self.turns.append((session, said[-1]))
            self.bodies.append(body)
        time.sleep(self.seconds)
        status = self.fail(said, body)
        if status == 1:
            handler.close_connection = True
            handler.connection.close()
            return None
        if status:
            return _send(handler, status, {"error": "planted"})
        if self.defect == "error body":
            return _send(handler, 200, {"error": {"code": 17, "message": "quota of the day"}, "answer": None})
        if self.defect == "html":
            return _send(handler, 200, "<html><body>Sign in</body></html>", "text/html")
        reply = "" if self.defect == "empty" else self.say(said, body)
        headers = {"Set-Cookie": f"sid={session}; Path=/"} if path == "/cookie" else {}
        if path == "/stream":
            parts = [{"delta": part} for part in re.findall(r".{1,7}", reply, re.S)]
            events = "".join(f"data: {json.dumps(part)}\n\n" for part in [*parts, {"session": session}])
            return _send(handler, 200, f": hello\n\n{events}data: [DONE]\n\n", "text/event-stream")
        usage = {"in": 10 * len(said), "out": 7}
        return _send(handler, 200, {"answer": reply, "session": session, "usage": usage}, headers=headers)


def _send(
    handler: BaseHTTPRequestHandler, status: int, payload: Any, kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> None:  # fmt: skip
    data = b"" if payload is None else (payload if isinstance(payload, str) else json.dumps(payload)).encode()
    handler.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)
