"""Space on the disk that is set aside for the answers to calls in flight, which are paid for when the disk is full."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

RESERVED_BYTES = 4_000_000
"""Hundreds of answers of the usual kind."""
_SHARE = 16
"""Of the free space, one part of so many at most."""
_LEAST_BYTES = 256_000
"""A dozen answers, each in a transaction of its own: with less free space no call is made."""


class DiskReserve:
    """A file beside a cache, which all processes share. It is deleted when the disk is full."""

    def __init__(self, cache: Path) -> None:
        """`cache` is the cache file."""
        self._path = Path(f"{cache}.reserve")

    def check(self) -> None:
        """Make the file unless it is there. Raises sqlite3.OperationalError where the disk has no space for it."""
        if self._path.exists():
            return
        folder = self._path.parent
        folder.mkdir(parents=True, exist_ok=True)
        size = min(RESERVED_BYTES, max(_LEAST_BYTES, shutil.disk_usage(folder).free // _SHARE))
        try:
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            self.release()
            raise sqlite3.OperationalError(f"database or disk is full: {self._path.parent}") from error

    def release(self) -> bool:
        """Give the space back. Returns whether there was any."""
        with suppress(OSError):
            self._path.unlink()
            return True
        return False
