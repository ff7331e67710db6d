"""A cache of answers that computes no answer twice, even when several threads or processes ask at the same time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from helm_impactbench.files.keyed_lock import KeyedFileLock
from helm_impactbench.llm.cache.sqlite_store import shared_store
from helm_impactbench.process.shared_state import on_its_way

Answer = dict[str, Any]


class Store(Protocol):
    """Where answers are kept."""

    def get(self, key: str) -> Answer | None:
        """Return the answer, None when there is none."""

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer. When this returns, a killed process no longer loses it."""

    def check_room(self) -> None:
        """Raise unless an answer that is asked for now can be kept."""


class AnswerCache(Protocol):
    """Anything that returns a cached answer, or computes and keeps a new one."""

    def get(self, request: Mapping[str, Any], compute: Callable[[], Answer], /) -> tuple[Answer, bool]:
        """Return (answer, whether it was there)."""


def cache_key(request: Mapping[str, Any]) -> str:
    """Return the key of a request: the same as in HELM's cache."""
    return json.dumps(request, sort_keys=True)


class RequestCache:
    """Answers by request."""

    def __init__(self, store: Callable[[], Store], lock_file: Path | None = None) -> None:
        """`store` returns this process's store; `lock_file` is where processes that share it take turns."""
        self._store = store
        self._threads = KeyLocks()
        self._processes = KeyedFileLock(lock_file) if lock_file else None

    @classmethod
    def in_file(cls, path: Path) -> RequestCache:
        """Return a cache in an SQLite file, whose folder is made when it is missing."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return cls(lambda: shared_store(path), Path(f"{path}.turns"))

    def stored(self, request: Mapping[str, Any]) -> Answer | None:
        """Return the answer that is there, None without one."""
        return self._store().get(cache_key(request))

    def get(self, request: Mapping[str, Any], compute: Callable[[], Answer]) -> tuple[Answer, bool]:
        """Return (answer, whether it was there), computing and storing it when it was not.

        Threads and processes that ask for the same answer wait for the first of them: targets share their opening
        messages, which would otherwise be paid for once per target.
        """
        store, key = self._store(), cache_key(request)
        with self._threads.held(key), self._processes.of(key) if self._processes else nullcontext():
            answer = store.get(key)
            if answer:
                return answer, True
            store.check_room()
            with on_its_way():
                answer = compute()
                # Without a lock file another process may have kept an answer meanwhile: all go on with that one.
                kept = None if self._processes else store.get(key)
                if kept:
                    return kept, False
                store.put(key, answer)
            return answer, False


class KeyLocks:
    """A lock for each key, which exists while a thread holds it or waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, _KeyLock] = {}

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        """Wait until no other thread holds the key, and hold it."""
        with self._lock:
            mine = self._locks.setdefault(key, _KeyLock())
            mine.threads += 1
        try:
            with mine.lock:
                yield
        finally:
            with self._lock:
                mine.threads -= 1
                if not mine.threads:
                    del self._locks[key]


class _KeyLock:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.threads = 0
