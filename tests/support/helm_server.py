"""helm-server as a process, and files as a website."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.commands import BIN, command_environment


@contextmanager
def helm_server(folder: Path, *options: str) -> Iterator[str]:
    """Serve a summarized suite or release of a working directory; yields the address of its pages."""
    port = _free_port()
    with _serving(folder, [str(BIN / "helm-server"), *options, "-p", str(port)], port) as url:
        yield f"{url}/#"


@contextmanager
def website(folder: Path) -> Iterator[str]:
    """Serve files as they are; yields the address of HELM's pages in them."""
    port = _free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(folder)]
    with _serving(folder, command, port) as url:
        yield f"{url}/#"


@contextmanager
def _serving(folder: Path, command: list[str], port: int) -> Iterator[str]:
    url = f"http://127.0.0.1:{port}"
    with (folder.parent / f"server-{port}.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=command_environment(), stdout=log, stderr=log)
        try:
            _wait_for(url)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/", timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"nothing answers at {url}")
