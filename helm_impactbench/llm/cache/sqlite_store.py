"""HELM's SQLite request cache, read and written directly.

HELM goes through sqlitedict, which hands every look-up to a thread of its own and walks the caller's stack for each:
more than the look-up. The file is HELM's (table, keys, pickled values), so its own clients read what is written here,
and the reverse.

A value is unpickled without any class or function: replies are plain data, and a cache file from elsewhere can
therefore run nothing. What cannot be read is dropped with a warning, and the call is made again.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import sqlite3
import threading
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from helm.common.hierarchical_logger import hwarn
from helm.common.key_value_store import KeyValueStore, request_to_key

from helm_impactbench.files.keyed_lock import KeyedFileLock
from helm_impactbench.llm.cache.query_batching import Combining
from helm_impactbench.llm.cache.sqlite_salvage import readable_rows

_BUSY_SECONDS = 120.0
"""How long to wait for another process that writes; a commit takes a millisecond, a shared folder may be slow."""
_NEW_SECONDS = 10.0
_SELECT = "SELECT key, value FROM unnamed WHERE key IN ({})"
_REPLACE = "REPLACE INTO unnamed (key, value) VALUES {}"
_CREATE = "CREATE TABLE IF NOT EXISTS unnamed (key TEXT PRIMARY KEY, value BLOB)"


class SqliteStore(KeyValueStore):
    """One open connection, used by all threads of a process, one at a time. Every write is on file when it returns."""

    def __init__(self, path: str) -> None:
        """Open or create the file. A damaged one is put aside, and every entry that can be read is kept."""
        self._path = Path(path)
        self._lock = threading.Lock()
        self._look_up = Combining(self._lock, self._values)
        self._keep = Combining(self._lock, self._replace)
        self._turns = KeyedFileLock(Path(f"{path}.turns"))
        self._file: _Identity | None = None
        self._connection = self._opened()

    def get(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the value, None when there is none or when it cannot be read."""
        return self.get_text(request_to_key(key))

    def get_text(self, key: str) -> dict[str, Any] | None:
        """Return the value of a key that is already in HELM's text form."""
        found, value = self._look_up.ask(key)
        if not found:
            return None
        try:
            return read_value(value)
        except ValueError as error:
            hwarn(f"{self._path}: an entry of the request cache cannot be read ({error}); the call is made again.")
            self._delete(key)
            return None

    def put(self, key: Mapping[str, Any], value: dict[str, Any]) -> None:
        """Keep a value. Raises sqlite3.Error when it cannot be written (disk full, read-only)."""
        self.put_text(request_to_key(key), value)

    def put_text(self, key: str, value: dict[str, Any]) -> None:
        """Keep a value under a key that is already in HELM's text form."""
        data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        self._keep.ask((key, data))

    def contains(self, key: Mapping[str, Any]) -> bool:
        """Return whether there is a value that can be read."""
        return self.get(key) is not None

    def get_all(self) -> Generator[tuple[dict[Any, Any], dict[Any, Any]], None, None]:
        """Not used by us; HELM's own tools read the file with HELM's store."""
        raise NotImplementedError

    def multi_put(self, pairs: Iterable[tuple[dict[Any, Any], dict[Any, Any]]]) -> None:
        """Keep several values."""
        for key, value in pairs:
            self.put(key, value)

    def remove(self, key: Mapping[str, Any]) -> None:
        """Forget a value."""
        self._delete(request_to_key(key))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._connection.close()

    def _values(self, keys: Sequence[str]) -> list[tuple[bool, Any]]:
        """Return for each key whether it is there, and its value."""
        found = dict(self._run(_SELECT.format(", ".join(["?"] * len(keys))), keys))
        return [(key in found, found.get(key)) for key in keys]

    def _replace(self, rows: Sequence[tuple[str, bytes]]) -> list[None]:
        values = [value for row in rows for value in row]
        self._run(_REPLACE.format(", ".join(["(?, ?)"] * len(rows))), values)
        return [None] * len(rows)

    def _delete(self, key: str) -> None:
        with self._lock:
            self._run("DELETE FROM unnamed WHERE key = ?", (key,))

    def _run(self, statement: str, values: Sequence[object]) -> list[Any]:
        """Execute a statement. The caller holds the lock."""
        if _identity(self._path) != self._file:  # another process has mended the file, or somebody took it away
            self._reopen()
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not _is_damaged(error) and _identity(self._path) == self._file:
                raise _with_path(error, self._path) from error
            self._reopen(damaged=_is_damaged(error))
            return self._connection.execute(statement, values).fetchall()

    def _reopen(self, *, damaged: bool = False) -> None:
        self._connection.close()
        self._connection = self._renewed(self._file) if damaged else self._opened()

    def _opened(self) -> sqlite3.Connection:
        before = _identity(self._path)
        _warn_if_emptied(self._path)
        try:
            connection = _connected(self._path)
        except sqlite3.DatabaseError as error:
            if not _is_damaged(error):
                raise _with_path(error, self._path) from error
            return self._renewed(before)
        self._file = _identity(self._path)
        return connection

    def _renewed(self, damaged: _Identity | None) -> sqlite3.Connection:
        """Return a connection to a whole file; `damaged` is the one that is not. One process at a time mends."""
        with self._turns.of("mending"):
            if _identity(self._path) == damaged:
                _mend(self._path)
        connection = _connected(self._path)
        self._file = _identity(self._path)
        return connection


def _mend(path: Path) -> None:
    """Put a whole file with every readable entry in the place of a damaged one, which is kept beside it."""
    aside = path.with_name(f"{path.name}.damaged-{int(time.time())}-{os.getpid()}")
    fresh = path.with_name(f"{path.name}.mending")
    fresh.unlink(missing_ok=True)
    kept, lost = _copy_readable(path, fresh)
    shutil.copy2(path, aside)
    for tail in ("-journal", "-wal", "-shm"):  # SQLite would roll the new file back to the old one's pages
        Path(f"{path}{tail}").unlink(missing_ok=True)
        Path(f"{fresh}{tail}").unlink(missing_ok=True)
    os.replace(fresh, path)
    hwarn(
        f"The request cache {path} is damaged. {kept} entries could be read and are kept, {lost} were found that "
        f"cannot be read; calls that are not kept are made again. The damaged file is {aside}."
    )


def _copy_readable(damaged: Path, fresh: Path) -> tuple[int, int]:
    """Write the readable entries of one file into another. Returns how many there are, and how many are not."""
    connection, latest, lost = _connected(fresh), dict[bytes, int](), 0
    connection.execute("BEGIN")
    for row in readable_rows(damaged):
        name = hashlib.sha256(row.key.encode()).digest()
        if latest.get(name, -1) >= row.number:
            continue
        try:
            read_value(row.value)
        except ValueError:
            lost += 1
            continue
        latest[name] = row.number
        connection.execute("REPLACE INTO unnamed (key, value) VALUES (?, ?)", (row.key, row.value))
    connection.execute("COMMIT")
    connection.close()
    return len(latest), lost


_Identity = tuple[int, int]
"""Device and number of a file: another file of the same name has others."""


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _warn_if_emptied(path: Path) -> None:
    """Say that a cache is empty which should not be: a power cut leaves files without content."""
    with suppress(FileNotFoundError):
        found = path.stat()
        if found.st_size == 0 and time.time() - found.st_mtime > _NEW_SECONDS:  # not one that is just being made
            hwarn(f"The request cache {path} is empty. Calls whose answers were in it are made again.")


def _with_path(error: sqlite3.DatabaseError, path: Path) -> sqlite3.DatabaseError:
    """Return SQLite's error with the file, which SQLite does not name."""
    return type(error)(f"{error}: {path}")


def read_value(data: bytes) -> dict[str, Any]:
    """Return a pickled reply. Raises ValueError when it is no dictionary of plain data."""
    try:
        value = _PlainUnpickler(io.BytesIO(data)).load()
    except Exception as error:  # a damaged pickle raises whatever its bytes happen to ask for
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"a {type(value).__name__} in place of a reply")
    return value


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        # As sqlitedict has it: the system's write cache survives a killed process, and nothing waits for the disk.
        connection.execute("PRAGMA synchronous = OFF")
        # A rollback journal, because a shared folder cannot hold a WAL; truncated, because deleting it costs more.
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute(_CREATE)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _is_damaged(error: sqlite3.DatabaseError) -> bool:
    text = str(error)
    return "malformed" in text or "not a database" in text or "no such table" in text
