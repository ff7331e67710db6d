"""HELM client of a product. Our runs talk with products in whole conversations, and never through this."""

from __future__ import annotations

from helm.clients.client import Client
from helm.common.cache import CacheConfig
from helm.common.request import Request, RequestResult

from helm_impactbench.errors import ModelError


class ProductClient(Client):
    """Stands for a product where HELM wants a client."""

    applies_limits = True
    """Limits and budget apply where a turn is sent."""

    def __init__(self, cache_config: CacheConfig, product: str) -> None:
        """`product` is its name; HELM injects the cache."""
        self._product = product

    def make_request(self, request: Request) -> RequestResult:
        """Refuse: a single request of HELM's has no conversation. Raises ModelError."""
        raise ModelError(f"{self._product} is a product, which only run entries of ImpactBench can test.")
