"""One HTTP client per thread, for litellm's own HTTP path.

A client shared by a hundred threads searches a hundred connections for each call and polls the idle ones, so calls cost
more CPU the more threads there are. A thread's own client has one or two connections per provider, which stay open
while the thread waits for the other side of a conversation.
"""

from __future__ import annotations

import os
import threading
import weakref

import httpx

from helm_impactbench.llm.response_body import body_hooks

KEEP_ALIVE_SECONDS = 120.0
"""Longer than a model takes to answer, or each turn would begin with a new TLS handshake."""

_OWN = threading.local()


def thread_client() -> object:
    """Return this thread's client, a litellm HTTPHandler; proxies and SSL_CERT_FILE work as with litellm's own."""
    if getattr(_OWN, "process", None) != os.getpid():
        _OWN.process, _OWN.client = os.getpid(), _client()
    return _OWN.client


def _client() -> object:
    """Return a new client, which is closed when its thread ends: HELM starts new threads for every run. At the end of
    the process the system closes the rest, because the modules that closing needs may be gone by then.
    """
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_default_headers, get_ssl_configuration

    http = httpx.Client(
        verify=get_ssl_configuration(),
        headers=get_default_headers(),
        limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
        event_hooks={"response": body_hooks()},
        follow_redirects=True,
    )
    client = HTTPHandler(client=http)
    weakref.finalize(client, http.close).atexit = False
    return client
