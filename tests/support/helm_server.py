"""helm-server as a process, files as a website, and Debian's chromium to look at either."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.support.commands import BIN, command_environment

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
          "--disable-sync")  # fmt: skip


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
def chromium(folder: Path) -> Iterator[Page]:
    """Open a page with a fresh profile in `folder`."""
    assert CHROMIUM, "chromium is missing: make test installs it, or apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            str(folder), executable_path=CHROMIUM, args=list(_FLAGS), viewport={"width": 1800, "height": 900}
        )
        yield browser.new_page()
        browser.close()


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
