"""One process at a time on a key, among all processes and nodes that share a folder.

Two Slurm jobs or worker processes that talk with the same simulated people at the same time ask for the same opening
messages. Without turns, both would be paid for and, as models at temperature 1 say something else each time, the two
targets would meet different openings. The lock is one byte of one file: it costs no space, and the system gives it up
when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WAIT_FOR_LOCK: int | None = getattr(fcntl, "F_OFD_SETLKW", None)
"""Linux's locks of an open file. POSIX's own are lost when any thread closes the file, and take waits for deadlocks."""
_FLOCK = "hhqqi4x"
"""C's struct flock: type, whence, start, length, process."""


_LOG = logging.getLogger("helm.impactbench")
"""Below HELM's logger, so that its lines stand among HELM's where HELM has set one up."""


class KeyedFileLock:
    """Lets one process at a time work on a key. Threads of a process have to take turns among themselves before."""

    def __init__(self, path: Path) -> None:
        """`path` is the lock file, made when it is first needed. Its folder has to be the same for all processes."""
        self._path = path
        self._opening = threading.Lock()
        self._file: tuple[int, int] | None = None
        self._usable = _WAIT_FOR_LOCK is not None

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Wait until no other process works on the key.

        Where a file system has no locks this says so once, and lets everybody work at the same time.
        """
        place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big")
        locked = self._lock(place)
        try:
            yield
        finally:
            if locked is not None:
                _set(locked, fcntl.F_UNLCK, place)

    def _lock(self, place: int) -> int | None:
        if not self._usable:
            return None
        try:
            file = self._opened()
            _set(file, fcntl.F_WRLCK, place)
        except OSError as error:
            self._usable = False
            _LOG.warning(
                "%s cannot be locked (%s); processes may make the same call at the same time.", self._path, error
            )
            return None
        return file

    def _opened(self) -> int:
        """Return the open file of this process: a lock would be shared with the parent of a fork."""
        with self._opening:
            if self._file is None or self._file[0] != os.getpid():
                self._file = (os.getpid(), os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666))
            return self._file[1]


def _set(file: int, kind: int, place: int) -> None:
    fcntl.fcntl(file, _WAIT_FOR_LOCK or 0, struct.pack(_FLOCK, kind, os.SEEK_SET, place, 1, 0))
