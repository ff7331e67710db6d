"""HELM's request cache, kept open, and never asked twice for the same call at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
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
from helm.common.key_value_store import KeyValueStore, request_to_key

from helm_impactbench.files.keyed_lock import KeyedFileLock
from helm_impactbench.llm.cache.sqlite_store import SqliteStore
from helm_impactbench.process.shared_state import on_its_way

Response = dict[str, Any]

_STORES: dict[tuple[int, CacheConfig], _Store] = {}
_LOCK = threading.Lock()


class OpenCache(Cache):
    """A cache of HELM's whose store stays open as long as the process. Every write is on file before it returns."""

    def __init__(self, config: CacheConfig) -> None:
        super().__init__(config)
        self._turns = Turns()
        self._processes = KeyedFileLock(Path(f"{config.path}.turns")) if isinstance(config, SqliteCacheConfig) else None

    def get(self, request: Mapping[str, Any], compute: Callable[[], Response]) -> tuple[Response, bool]:
        """Return (response, whether it was there), computing and storing it when it was not.

        Threads and processes that ask for the same thing wait for the first of them: targets share their opening
        messages, which would be paid for several times when the targets run at the same time.
        """
        cache_stats.increment_query(self.config.cache_stats_key)
        store, text = _store(self.config), request_to_key(request)
        with self._turns.of(text), self._processes.of(text) if self._processes else nullcontext():
            response = store.get(request, text)
            if response:
                return response, True
            cache_stats.increment_compute(self.config.cache_stats_key)
            with on_its_way():
                response = compute()
                # Without a folder to take turns in: what another process has kept meanwhile is what all targets meet.
                kept = None if self._processes else store.get(request, text)
                if kept:
                    return kept, False
                store.put(request, text, response)
            return response, False


class Turns:
    """Lets one thread at a time work on a key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, _Waiting] = {}

    def of(self, key: str) -> _Turn:
        """Return a context that is entered when no other thread is in one of the same key."""
        return _Turn(self, key)

    def _enter(self, key: str) -> bool:
        with self._lock:
            waiting = self._locks.setdefault(key, _Waiting())
            waiting.threads += 1
            first = waiting.threads == 1
        waiting.lock.acquire()
        return first

    def _leave(self, key: str) -> None:
        with self._lock:
            waiting = self._locks[key]
            waiting.threads -= 1
            if not waiting.threads:
                del self._locks[key]
        waiting.lock.release()


class _Waiting:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.threads = 0


class _Turn:
    def __init__(self, turns: Turns, key: str) -> None:
        self._turns, self._key = turns, key

    def __enter__(self) -> bool:
        """Return whether nobody else worked on the key while this thread waited."""
        return self._turns._enter(self._key)

    def __exit__(self, *_: object) -> None:
        self._turns._leave(self._key)


class _Store:
    """A store of HELM's; the SQLite one is ours and takes the key as text, which was made already."""

    def __init__(self, config: CacheConfig) -> None:
        self._sqlite = SqliteStore(config.path) if isinstance(config, SqliteCacheConfig) else None
        self._other: KeyValueStore | None = None if self._sqlite else create_key_value_store(config)  # type: ignore[arg-type]

    def get(self, request: Mapping[str, Any], text: str) -> Response | None:
        return self._sqlite.get_text(text) if self._sqlite else self._other.get(request)  # type: ignore[union-attr]

    def put(self, request: Mapping[str, Any], text: str, response: Response) -> None:
        if self._sqlite:
            self._sqlite.put_text(text, response)
        else:
            write_to_key_value_store(self._other, request, response)


def _store(config: CacheConfig) -> _Store:
    with _LOCK:
        key = (os.getpid(), config)  # a forked worker must not use its parent's connection
        if key not in _STORES:
            _STORES[key] = _Store(config)
        return _STORES[key]
