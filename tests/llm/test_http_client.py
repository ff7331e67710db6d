"""The HTTP client of a thread: its connections end with the thread, and nothing is said at the end of the process."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from typing import Any

import httpx

from helm_impactbench.llm.http_client import thread_client
from tests.support.openai_server import OpenAIServer

ENDED = """
import os, sys, threading
from helm_impactbench.llm import http_client
def call():
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    assert http_client.thread_client().post(sys.argv[1], json=body).status_code == 200
    done.set()
    if threading.current_thread() is not threading.main_thread():
        threading.Event().wait()
done = threading.Event()
threading.Thread(target=call, daemon=True).start()
done.wait()
call()
os.kept = vars(http_client._OWN)  # one of the last modules that Python clears
"""


def test_a_process_ends_without_a_word(server: OpenAIServer) -> None:
    """Connections of the main thread and of one that still runs are left to the system."""
    command = [sys.executable, "-c", ENDED, f"{server.url}/chat/completions"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Exception ignored" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_thread_keeps_its_client_and_leaves_no_connection() -> None:
    """One client per thread, closed when the thread ends."""
    opened: list[httpx.Client] = []

    def work() -> None:
        client: Any = thread_client()
        assert thread_client() is client
        opened.append(client.client)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    gc.collect()
    assert [http.is_closed for http in opened] == [True, True]
    assert opened[0] is not opened[1]
