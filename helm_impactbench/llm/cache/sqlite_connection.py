"""Connections to a cache file, which has one table of requests and answers."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

BUSY_SECONDS = 5.0
"""How long SQLite waits while another process writes: a commit takes a millisecond. The store then asks again."""
_CREATE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT)"
_LOCKED = re.compile(r"database (?:\w+ )?is locked")
_MOUNTS = Path("/proc/self/mountinfo")
_LOCAL = (
    *("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs"),
    *("overlay", "aufs", "tmpfs", "ramfs"),
)
"""File systems that one machine alone writes to."""


def connected(path: Path) -> sqlite3.Connection:
    """Return a connection to a cache file, which is created when it is missing. Raises sqlite3.DatabaseError.

    In both journal modes, commits survive a killed process, and a power cut leaves an undamaged file.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_mode = {journal_mode(path.parent)}")
        connection.execute(_CREATE)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def journal_mode(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Return WAL for a folder of this machine's own, TRUNCATE for one that other machines may write to.

    With a write-ahead log a commit need not wait for the disk, but all processes must share memory, which two machines
    cannot. A rollback journal needs only the file system's locks. `mounts` is Linux's list of mounts; on systems
    without it, folders are taken for the machine's own.
    """
    kind = _file_system(folder.resolve(), mounts)
    return "WAL" if kind is None or kind in _LOCAL else "TRUNCATE"


def _file_system(folder: Path, mounts: Path) -> str | None:
    """Return the type of the file system that a folder is on, None when the system does not say."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    found = [(_mount_point(before), after.split(" ", 1)[0]) for before, _, after in (x.partition(" - ") for x in lines)]
    around = [(len(point.parts), i, kind) for i, (point, kind) in enumerate(found) if folder.is_relative_to(point)]
    return max(around)[2] if around else None  # of two mounts at one point, the later hides the earlier


def _mount_point(fields: str) -> Path:
    """Return the fifth field, in which blanks are written as octal numbers."""
    return Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields.split(" ")[4]))


def is_damaged(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error says that the file is not what it should be."""
    text = str(error)
    return "malformed" in text or "not a database" in text or "no such table" in text


def is_locked(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error says that another process has kept the file locked for BUSY_SECONDS."""
    return bool(_LOCKED.match(str(error)))


def is_full(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error says that the disk has no space left."""
    return "disk is full" in str(error)


def with_path(error: sqlite3.DatabaseError, path: Path) -> sqlite3.DatabaseError:
    """Return SQLite's error with the file, which SQLite does not name."""
    return type(error)(f"{error}: {path}")
