"""Which processes are still there, among all processes and nodes that share a folder.

Each process locks one byte of a file for as long as it lives. The system gives the lock up when the process ends,
however it ends; a process id alone would say nothing on another machine, or after the id was given away again.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path

_BYTES = 6
"""Of an owner's random name, which is the place of its lock."""
_OPENING = threading.Lock()
_HELD: dict[tuple[int, Path], tuple[int, str]] = {}
"""(process, file) -> open file and this process's name. Closing any of these files would give up its locks."""


class OwnerLock:
    """The names and locks of the processes that share a file."""

    def __init__(self, path: Path) -> None:
        """`path` is the lock file, made when it is first needed."""
        self._path = path.absolute()

    def me(self) -> str:
        """Return this process's name, which is locked until the process ends."""
        return self._held()[1]

    def is_alive(self, name: str) -> bool:
        """Return whether the process of a name is there. Where a file system has no locks, only this process is."""
        file, mine = self._held()
        if name == mine:
            return True
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(name, 16))
        except ValueError:
            return False
        except OSError as error:
            return error.errno in (errno.EACCES, errno.EAGAIN)
        fcntl.lockf(file, fcntl.LOCK_UN, 1, int(name, 16))
        return False

    def _held(self) -> tuple[int, str]:
        key = (os.getpid(), self._path)  # locks do not pass to a forked process
        with _OPENING:
            if key not in _HELD:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                file, name = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), os.urandom(_BYTES).hex()
                with suppress(OSError):
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(name, 16))
                _HELD[key] = (file, name)
            return _HELD[key]
