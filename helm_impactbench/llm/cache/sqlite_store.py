"""Answers in an SQLite file, read and written by all threads of a process over one connection.

HELM uses sqlitedict, which passes every look-up to another thread and inspects the
caller's stack each time: that costs more than the look-up. An answer that cannot be read is dropped with a warning, and
the call is made again.
"""

from __future__ import annotations

import atexit
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from helm_impactbench.files.keyed_lock import KeyedFileLock
from helm_impactbench.llm.cache.disk_reserve import DiskReserve
from helm_impactbench.llm.cache.query_batching import QueryBatcher
from helm_impactbench.llm.cache.sqlite_connection import (
    BUSY_SECONDS,
    connected,
    is_damaged,
    is_full,
    is_locked,
    with_path,
)
from helm_impactbench.llm.cache.sqlite_recovery import recover
from helm_impactbench.llm.cache.stored_answer import dumped, loaded

_LOG = logging.getLogger("helm.impactbench")
_NEW_SECONDS = 10.0
_SAY_AFTER_SECONDS = 5.0
_SAY_AGAIN_SECONDS = 60.0
_LOOK_SECONDS = 0.1
T = TypeVar("T")
_SELECT = "SELECT key, value FROM answers WHERE key IN ({})"
_REPLACE = "REPLACE INTO answers (key, value) VALUES {}"


class SqliteStore:
    """One open connection, used by one thread at a time. What `put` has returned from survives a killed process."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. A damaged one is put aside, and every answer that can be read is kept."""
        self._path = path
        self._lock = threading.Lock()
        self._look_up = QueryBatcher(self._lock, self._values)
        self._keep = QueryBatcher(self._lock, self._replace)
        self._turns = KeyedFileLock(Path(f"{path}.turns"))
        self._reserve = DiskReserve(path)
        self._file: _Identity | None = _NO_FILE
        self._connection = self._patiently(self._opened)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the answer, None when there is none or when it cannot be read."""
        found, value = self._look_up.ask(key)
        if not found:
            return None
        try:
            return loaded(value)
        except ValueError as error:
            _LOG.warning(f"{self._path}: a cached answer cannot be read ({error}); the call is made again.")
            self._delete(key)
            return None

    def put(self, key: str, answer: dict[str, Any]) -> None:
        """Keep an answer. Raises sqlite3.Error when it cannot be written (disk full, read-only)."""
        self._keep.ask((key, dumped(answer)))

    def check_room(self) -> None:
        """Raise sqlite3.OperationalError unless the answers to calls in flight can be kept when the disk is full."""
        self._reserve.check()

    def settle(self) -> None:
        """Move the content of the write-ahead log into the file, which can then be copied on its own. The store stays
        open for threads that are still at work, and does not wait for other processes.
        """
        with self._lock, suppress(sqlite3.DatabaseError):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _values(self, keys: Sequence[str]) -> list[tuple[bool, Any]]:
        """Return for each key whether it is there, and its value."""
        found = dict(self._run(_SELECT.format(", ".join(["?"] * len(keys))), keys))
        return [(key in found, found.get(key)) for key in keys]

    def _replace(self, rows: Sequence[tuple[str, str]]) -> list[None]:
        values = [value for row in rows for value in row]
        statement = _REPLACE.format(", ".join(["(?, ?)"] * len(rows)))
        try:
            self._run(statement, values)
        except sqlite3.OperationalError as error:
            if not is_full(error) or not self._reserve.release():
                raise
            self._run(statement, values)
        return [None] * len(rows)

    def _delete(self, key: str) -> None:
        with self._lock:
            self._run("DELETE FROM answers WHERE key = ?", (key,))

    def _run(self, statement: str, values: Sequence[object]) -> list[Any]:
        """Execute a statement, however long another process keeps the file locked. The caller holds the lock."""
        return self._patiently(lambda: self._run_once(statement, values))

    def _patiently(self, use: Callable[[], T]) -> T:
        """Return what `use` returns, after waiting for a file that another process keeps locked.

        An answer that was paid for has no other place, and a call without a look-up may be paid for a second time.
        """
        began = time.monotonic()
        due = began + _SAY_AFTER_SECONDS
        while True:
            try:
                return use()
            except sqlite3.OperationalError as error:
                if not is_locked(error):
                    raise
            now = time.monotonic()
            if now >= due:
                due = now + _SAY_AGAIN_SECONDS
                _LOG.warning(
                    f"The request cache {self._path} has been locked by another process for {now - began:.0f} s. Calls "
                    "wait until it can be used; no answer is lost or asked for again. If no helm-run is at work there, "
                    "end the program that has the file open."
                )
            time.sleep(_LOOK_SECONDS)

    def _run_once(self, statement: str, values: Sequence[object]) -> list[Any]:
        if _identity(self._path) != self._file:  # another process has recovered the file, or it was removed
            self._reopen()
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damaged(error) and _identity(self._path) == self._file:
                raise with_path(error, self._path) from error
            self._reopen(self._file if is_damaged(error) else None)
            return self._connection.execute(statement, values).fetchall()

    def _reopen(self, damaged: _Identity | None = None) -> None:
        before, self._file = self._connection, _NO_FILE  # until the next connection is there
        was_deleted = _identity(self._path) is None
        try:
            self._connection = self._opened(damaged)
            if was_deleted:
                self._take_over(before)
        finally:
            before.close()

    def _take_over(self, before: sqlite3.Connection) -> None:
        """Keep the answers of a file that was deleted: the system holds its content as long as it is open here."""
        with suppress(sqlite3.Error):  # what cannot be read is lost with the file
            rows = before.execute("SELECT key, value FROM answers").fetchall()
            self._connection.executemany("INSERT OR IGNORE INTO answers (key, value) VALUES (?, ?)", rows)

    def _opened(self, damaged: _Identity | None = None) -> sqlite3.Connection:
        """Return a connection to a sound file; `damaged` is one that is not. Processes take turns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)  # it may have been deleted
        with self._turns.of("opening"):
            if damaged and _identity(self._path) == damaged:
                recover(self._path)
            _warn_if_emptied(self._path)
            try:
                connection = connected(self._path)
            except sqlite3.DatabaseError as error:
                if not is_damaged(error):
                    raise with_path(error, self._path) from error
                recover(self._path)
                connection = connected(self._path)
            self._file = _identity(self._path)
        return connection


_STORES: dict[tuple[int, Path], SqliteStore] = {}
_STORES_LOCK = threading.Lock()


def shared_store(path: Path) -> SqliteStore:
    """Return this process's only store of a file; a forked process must not use its parent's connection."""
    with _STORES_LOCK:
        key = (os.getpid(), path)
        if key not in _STORES:
            _STORES[key] = SqliteStore(path)
        return _STORES[key]


@atexit.register
def _settle_all() -> None:
    for (process, _), store in _STORES.items():
        if process == os.getpid():
            store.settle()


_Identity = tuple[int, int]
"""Device and number of a file: another file of the same name has others."""
_NO_FILE = (-1, -1)


def _identity(path: Path) -> _Identity | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _warn_if_emptied(path: Path) -> None:
    """Warn of a cache that has lost its content: a power cut may leave empty files."""
    with suppress(FileNotFoundError):
        found = path.stat()
        if found.st_size == 0 and time.time() - found.st_mtime > _NEW_SECONDS:  # not one that is just being created
            _LOG.warning(f"The request cache {path} is empty. Calls whose answers were in it will be made again.")
