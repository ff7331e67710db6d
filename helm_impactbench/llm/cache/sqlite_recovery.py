"""Replace a damaged cache file by a sound one with every answer that SQLite can still read."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from helm_impactbench.errors import counted
from helm_impactbench.llm.cache.sqlite_connection import connected
from helm_impactbench.llm.cache.stored_answer import loaded

_LOG = logging.getLogger("helm.impactbench")
_SELECT = "SELECT rowid, key, value FROM answers WHERE rowid BETWEEN ? AND ? ORDER BY rowid {}"
_HIGHEST_BIT = 40
_NOT_DAMAGE = ("locked", "busy", "interrupted")
Row = tuple[int, object, object]
"""Number, key, value."""


def recover(path: Path) -> None:
    """Replace a damaged file by a sound one with every readable answer; the damaged one is kept beside it.

    No other process may open or recover the file meanwhile. A process that has it open keeps using the damaged file
    until it notices that the name now belongs to another one; SQLite does not remove the log of a file that has moved.
    """
    aside = Path(f"{path}.damaged-{int(time.time())}-{os.getpid()}")
    fresh = Path(f"{path}.recovered")
    _remove(fresh, "", "-wal", "-shm", "-journal")
    kept, unreadable = _copy_readable(path, fresh)
    _link(path, aside)
    for tail in ("-wal", "-journal"):  # SQLite would apply them to the new file
        if Path(f"{path}{tail}").exists():
            os.replace(f"{path}{tail}", f"{aside}{tail}")
    _remove(path, "-shm")
    os.replace(fresh, path)
    _LOG.warning(
        f"The request cache {path} is damaged. {counted(kept, 'answer')} could be read and kept; {unreadable} "
        "unreadable "
        "and what was in lost parts of the file are lost, and their calls are made again when needed. "
        f"The damaged file is {aside}."
    )


def _copy_readable(damaged: Path, fresh: Path) -> tuple[int, int]:
    """Write the readable answers of one file into another. Returns how many there are, and how many are not."""
    kept = unreadable = 0
    with closing(connected(fresh)) as target, closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        source.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file that is shorter than its header says
        target.execute("BEGIN")
        for _, key, value in readable_rows(source):
            try:
                loaded(value)
            except ValueError:
                unreadable += 1
                continue
            target.execute("REPLACE INTO answers (key, value) VALUES (?, ?)", (key, value))
            kept += 1
        target.execute("COMMIT")
    return kept, unreadable


def readable_rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the rows that SQLite can reach, and skip what it cannot.

    A range of row numbers is read upward to the first damage and downward to the last. The part between is halved and
    read in the same way, so that rows between two damaged pages are found as well.
    """
    ranges = [(1, _upper_bound(connection))]
    while ranges:
        low, high = ranges.pop()
        last = yield from _until_damage(connection, low, high, "ASC")
        if last is None:
            continue
        low = max(low, last + 1)
        last = yield from _until_damage(connection, low, high, "DESC")
        if last is None:
            continue
        high = min(high, last - 1)
        if low < high:
            middle = (low + high) // 2
            ranges += [(middle + 1, high), (low, middle)]


def _until_damage(connection: sqlite3.Connection, low: int, high: int, order: str) -> Generator[Row, None, int | None]:
    """Yield the rows of a range up to the first that cannot be read.

    Returns the number before it in this order, None when the whole range was read.
    """
    last = low - 1 if order == "ASC" else high + 1
    try:
        for row in connection.execute(_SELECT.format(order), (low, high)):
            last = row[0]
            yield row
    except sqlite3.DatabaseError as error:
        _check_damage(error)
        return last
    return None


def _upper_bound(connection: sqlite3.Connection) -> int:
    """Return a row number that few rows exceed: twice the highest power of two with a readable row above it."""
    reached = 1
    for bit in range(_HIGHEST_BIT):
        try:
            if connection.execute("SELECT rowid FROM answers WHERE rowid >= ? LIMIT 1", (1 << bit,)).fetchone():
                reached = 1 << bit
        except sqlite3.DatabaseError as error:
            _check_damage(error)
    return 2 * reached


def _check_damage(error: sqlite3.DatabaseError) -> None:
    """Raise the error unless it is about the file's content."""
    if any(word in str(error) for word in _NOT_DAMAGE):
        raise error


def _link(path: Path, name: Path) -> None:
    """Give a file a second name, or copy it where that cannot be done."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copy2(path, name)


def _remove(path: Path, *tails: str) -> None:
    for tail in tails:
        Path(f"{path}{tail}").unlink(missing_ok=True)
