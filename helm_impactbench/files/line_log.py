"""A file of lines that any number of threads and processes append to and read."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path


class LineLog:
    """Each line is written in one piece; one that a kill has cut off is passed over and costs no other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def append(self, line: bytes) -> None:
        """Add a line. Raises OSError with the file's name, which a failed write lacks."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self._path.open("ab+", buffering=0) as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(0, end - 1))
                torn = end > 0 and file.read(1) != b"\n"
                whole = (b"\n" if torn else b"") + line + b"\n"
                if file.write(whole) < len(whole):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def is_gone(self) -> bool:
        """Return whether the file was deleted."""
        return not self._path.exists()

    def begin_anew(self, lines: Sequence[bytes]) -> None:
        """Write lines into a new file, and read it from its beginning. Raises OSError with the file's name."""
        self.append(b"\n".join(lines))
        self._read = 0

    def new_lines(self) -> list[bytes]:
        """Return the whole lines that were added since this was last asked; all of them the first time."""
        if not self._path.is_file() or self._path.stat().st_size == self._read:
            return []
        with self._path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        return whole.splitlines()
