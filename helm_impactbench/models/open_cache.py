"""HELM's request cache, kept open.

HELM opens and closes the SQLite file for every look-up, which costs more than the look-up. This keeps one store per
file and process; keys, values and file are HELM's, so its own clients read what is written here, and the reverse.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from helm.common.cache import Cache, CacheConfig, cache_stats, create_key_value_store, write_to_key_value_store
from helm.common.key_value_store import KeyValueStore

_STORES: dict[CacheConfig, KeyValueStore] = {}
_LOCK = threading.Lock()


class OpenCache(Cache):
    """A cache of HELM's whose store stays open as long as the process. Every write is committed before it returns."""

    def get(self, request: Mapping[str, Any], compute: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], bool]:
        """Return (response, whether it was there), computing and storing it when it was not."""
        cache_stats.increment_query(self.config.cache_stats_key)
        store = _store(self.config)
        response = store.get(request)
        if response:
            return response, True
        cache_stats.increment_compute(self.config.cache_stats_key)
        response = compute()
        write_to_key_value_store(store, request, response)
        return response, False


def _store(config: CacheConfig) -> KeyValueStore:
    with _LOCK:
        if config not in _STORES:
            _STORES[config] = create_key_value_store(config)  # type: ignore[arg-type]
        return _STORES[config]
