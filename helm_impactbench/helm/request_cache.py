"""HELM's request cache for our clients: answers in files of our own, in MongoDB, or nowhere, as HELM is configured."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from helm.common.cache import (
    Cache,
    CacheConfig,
    SqliteCacheConfig,
    cache_stats,
    create_key_value_store,
    write_to_key_value_store,
)

from helm_impactbench.llm.cache.request_cache import Answer, RequestCache

FOLDER = "impactbench"
"""Inside HELM's cache folder. HELM's clients switch each file that they open to a rollback journal, which fails while
another connection uses a write-ahead log; so no file is shared."""


class HelmCache(Cache):
    """A cache as HELM configures it, with HELM's counts of queries and computations."""

    def __init__(self, config: CacheConfig) -> None:
        # Not by HELM's own constructor, which adds a line to the log: our clients' parent has written it.
        self.config = config  # type: ignore[assignment]
        self.in_files = isinstance(config, SqliteCacheConfig)
        """Whether the answers are in a file, where another process finds them."""
        self._answers = (
            RequestCache.in_file(cache_file(config.path))
            if isinstance(config, SqliteCacheConfig)
            else RequestCache(lambda: _other_store(config))
        )

    def stored(self, request: Mapping[str, Any]) -> Answer | None:
        """Return the answer that is there, None without one."""
        return self._answers.stored(request)

    def get(self, request: Mapping[str, Any], compute: Callable[[], Answer]) -> tuple[Answer, bool]:
        """Return (answer, whether it was there), computing and storing it when it was not."""
        name = self.config.cache_stats_key
        cache_stats.increment_query(name)

        def counted() -> Answer:
            cache_stats.increment_compute(name)
            return compute()

        return self._answers.get(request, counted)


def cache_file(helms: str) -> Path:
    """Return our file beside the one that HELM would use."""
    return Path(helms).parent / FOLDER / Path(helms).name


class _OtherStore:
    """One of HELM's stores that is not an SQLite file."""

    def __init__(self, config: CacheConfig) -> None:
        self._store = create_key_value_store(config)  # type: ignore[arg-type]

    def get(self, key: str) -> Answer | None:
        return self._store.get(json.loads(key))

    def put(self, key: str, answer: Answer) -> None:
        write_to_key_value_store(self._store, json.loads(key), answer)

    def check_room(self) -> None:
        """Nothing is known of a server's disk."""


_OTHER_STORES: dict[tuple[int, CacheConfig], _OtherStore] = {}
_LOCK = threading.Lock()


def _other_store(config: CacheConfig) -> _OtherStore:
    with _LOCK:
        key = (os.getpid(), config)  # a forked worker must not use its parent's connection
        if key not in _OTHER_STORES:
            _OTHER_STORES[key] = _OtherStore(config)
        return _OTHER_STORES[key]
