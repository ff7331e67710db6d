"""One HTTP client per thread, for litellm's own HTTP path.

A client that a hundred threads share looks through a hundred connections for each call and polls the idle ones: calls
get dearer with their number. A client of its own has a connection or two per provider, kept while the thread waits for
the other side of a conversation.
"""

from __future__ import annotations

import os
import threading

import httpx

from helm_impactbench.llm.deadline import limit_body
from helm_impactbench.llm.missing_role import fill_role

KEEP_ALIVE_SECONDS = 120.0
"""Longer than a model takes to answer, or each turn would begin with a new TLS handshake."""

_OWN = threading.local()


def thread_client() -> object:
    """Return this thread's client, a litellm HTTPHandler; proxies and SSL_CERT_FILE work as with litellm's own."""
    if getattr(_OWN, "process", None) != os.getpid():
        _OWN.process, _OWN.connections = os.getpid(), _Connections()
    return _OWN.connections.client


class _Connections:
    """A thread's client. HELM has new threads for every run: what they leave open is closed when they end."""

    def __init__(self) -> None:
        from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_default_headers, get_ssl_configuration

        self._http = httpx.Client(
            verify=get_ssl_configuration(),
            headers=get_default_headers(),
            limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
            event_hooks={"response": [limit_body, fill_role]},
            follow_redirects=True,
        )
        self.client: object = HTTPHandler(client=self._http)

    def __del__(self) -> None:
        if hasattr(self, "_http"):
            self._http.close()
