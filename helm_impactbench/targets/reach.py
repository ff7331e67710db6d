"""Whether anything listens at a product's address: a connection is opened and closed, and no message is sent.

A message could have effects, or need a session; a connection has none and needs none.
"""

from __future__ import annotations

from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from helm_impactbench.llm.connection import expanded
from helm_impactbench.llm.deadline import CONNECT_SECONDS, attempt
from helm_impactbench.targets.description import Product

_PORTS = {"http": 80, "https": 443}


def reach(product: Product) -> None:
    """Open a connection to a product at an address. Raises httpcore's ConnectError and ConnectTimeout.

    Nothing is tried where a proxy stands between, which alone knows whether the address is reached.
    """
    if product.url is None:
        return
    url = httpx.URL(expanded({"url": product.url})["url"])
    proxies = getproxies()
    if (url.scheme in proxies or "all" in proxies) and not proxy_bypass(url.host):
        return
    with attempt(CONNECT_SECONDS):
        httpcore.SyncBackend().connect_tcp(url.host, url.port or _PORTS[url.scheme], CONNECT_SECONDS).close()
