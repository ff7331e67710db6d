"""How the servers of tests run: in a thread of the test's own process."""

from __future__ import annotations

import threading
from socketserver import BaseServer

_LOOK_SECONDS = 0.02
"""How often a server looks whether it is to stop; Python's half a second would be a second for a test with two."""


def serve(server: BaseServer) -> None:
    """Let a server answer until it is shut down."""
    threading.Thread(target=server.serve_forever, args=(_LOOK_SECONDS,), daemon=True).start()
