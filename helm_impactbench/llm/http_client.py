"""The HTTP clients that litellm is given: one per thread for its own HTTP path, one for the openai package.

A client shared by a hundred threads searches a hundred connections for each call and polls the idle ones, so calls cost
more CPU the more threads there are. A thread's own client has one or two connections per provider, which stay open
while the thread waits for the other side of a conversation.
"""

from __future__ import annotations

import os
import threading
import weakref

import httpx

from helm_impactbench.llm.response_body import guard, name_call, repair, repair_chats

KEEP_ALIVE_SECONDS = 120.0
"""Longer than a model takes to answer, or each turn would begin with a new TLS handshake."""

_OWN = threading.local()


def thread_client() -> object:
    """Return this thread's client, a litellm HTTPHandler; proxies and SSL_CERT_FILE work as with litellm's own."""
    if getattr(_OWN, "process", None) != os.getpid():
        _OWN.process, _OWN.client = os.getpid(), _client()
    return _OWN.client


def shared_client() -> httpx.Client:
    """Return a client for the openai package, which litellm uses for Azure, files and batches."""
    from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    client = guard(httpx.Client(verify=get_ssl_configuration(), limits=limits, follow_redirects=True))
    client.event_hooks["request"].append(name_call)
    client.event_hooks["response"].append(repair_chats)
    return client


def _client() -> object:
    """Return a new client, which is closed when its thread ends: HELM starts new threads for every run. At the end of
    the process the system closes the rest, because the modules that closing needs may be gone by then.
    """
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_default_headers, get_ssl_configuration

    http = httpx.Client(
        verify=get_ssl_configuration(),
        headers=get_default_headers(),
        limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
        follow_redirects=True,
    )
    hooks = guard(http).event_hooks
    hooks["request"].append(name_call)
    hooks["response"].append(repair)
    client = HTTPHandler(client=http)
    weakref.finalize(client, http.close).atexit = False
    return client
