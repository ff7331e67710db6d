"""A loopback server of files: as a mirror of web addresses, as the hub of data sets, and breaking off on demand."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serve

LARGE = 200
"""Bytes from which the hub keeps a file apart from git, and knows its SHA-256."""


@dataclass
class FileServer:
    """Serves `files` (path without the first slash -> content) until closed."""

    files: dict[str, bytes] = field(default_factory=dict)
    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Hub data set -> path -> content, at any revision."""
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    """(method, path, range) of every request."""
    break_off: dict[str, int] = field(default_factory=dict)
    """Path -> bytes after which the connection is cut, once."""
    spoilt: dict[str, bytes] = field(default_factory=dict)
    """Path inside a repository -> what is sent in the place of what the hub lists."""
    gated: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        serve(self._server)

    def close(self) -> None:
        """Stop. Harmless when repeated."""
        self._server.shutdown()
        self._server.server_close()


def _handler(server: FileServer) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"served": server})


class _Handler(BaseHTTPRequestHandler):
    served: FileServer

    def log_message(self, *arguments: Any) -> None:
        """Keep quiet."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = self.path.split("?")[0].lstrip("/")
        self.served.requests.append((self.command, path, self.headers.get("Range")))
        if path.startswith("api/datasets/"):
            self._tree(path.removeprefix("api/datasets/").partition("/tree/")[0])
        elif path.startswith("datasets/"):
            repository, _, rest = path.removeprefix("datasets/").partition("/resolve/")
            revision, _, name = rest.partition("/")
            content = self.served.spoilt.get(name, self.served.repositories[repository].get(name))
            self._file(path, content, {"X-Repo-Commit": revision})
        else:
            self._file(path, self.served.files.get(path), {})

    def _tree(self, repository: str) -> None:
        if repository in self.served.gated:
            self._send(403, b"{}", {"X-Error-Code": "GatedRepo"})
        else:
            rows = [_row(name, content) for name, content in self.served.repositories[repository].items()]
            self._send(200, json.dumps(rows).encode(), {"Content-Type": "application/json"})

    def _file(self, path: str, content: bytes | None, headers: dict[str, str]) -> None:
        if content is None:
            self._send(404, b"", {})
            return
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        asked = self.headers.get("Range")
        if asked and self.headers.get("If-Range", tag) == tag:
            start = int(asked.removeprefix("bytes=").split("-")[0])
            headers = {**headers, "Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            self._send(206, content[start:], {**headers, "ETag": tag})
        else:
            self._send(200, content, {**headers, "ETag": tag}, self.served.break_off.pop(path, None))

    def _send(self, status: int, content: bytes, headers: dict[str, str], most: int | None = None) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[:most])


def _row(path: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    large = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    apart = {"lfs": large} if len(content) >= LARGE else {}
    return {"type": "file", "path": path, "size": len(content), "oid": blob, **apart}
