"""A suite opened by the real command `impactbench view`, and plain HTTP to it, with whatever headers."""

from __future__ import annotations

import http.client
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.commands import BIN, command_environment

_PATIENCE = 300.0
"""Seconds; a machine may be busy."""


@dataclass(frozen=True)
class Answered:
    """A reply of the server."""

    status: int
    text: str
    headers: Mapping[str, str]


@dataclass
class Viewed:
    """A server that runs."""

    process: subprocess.Popen[str]
    address: str
    """Of the first page."""
    token: str = field(init=False)
    port: int = field(init=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        self.token, self.port = parts.path.split("/")[1], parts.port or 0

    def url(self, address: str) -> str:
        """Return the whole address of a page."""
        return self.address.removesuffix("index.html") + address

    def ask(self, address: str, *, method: str = "GET", body: str = "", whole: str = "", **headers: str) -> Answered:
        """Ask for a page; `whole` takes the place of the path. Underscores in the names of headers are hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, whole or f"/{self.token}/{address}", body.encode() or None, named)
        reply = connection.getresponse()
        text = reply.read().decode("utf-8", "replace")
        connection.close()
        return Answered(reply.status, text, dict(reply.headers))

    def ready(self) -> str:
        """Return the front page, once the figures are there."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            page = self.ask("index.html").text
            if "Reading the suite" not in page and "being read again" not in page:
                return page
            time.sleep(0.1)
        raise AssertionError("the suite was not read")


@contextmanager
def viewed(folder: Path, suite: str = "s", *arguments: str) -> Iterator[Viewed]:
    """Run `impactbench view` in a working directory; at its end it is interrupted, as Ctrl-C does."""
    command = [str(BIN / "impactbench"), "view", "--suite", suite, "--no-open", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env=command_environment(PYTHONUNBUFFERED="1")
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:"), address
    try:
        yield Viewed(process, address)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        process.stdout.close()
