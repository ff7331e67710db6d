"""Files that are whole or not there, whatever ends the process that writes them."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ACCESS = {errno.EROFS, errno.EACCES, errno.EPERM}
_GONE = {errno.EIO, errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.ENOTCONN}
STORAGE_ERRORS = frozenset(_FULL | _NO_ACCESS | _GONE)
"""What the system says of a disk that is full, takes no file, is broken or was taken away."""
MORE_SPACE = "Free space there."
MORE_RIGHTS = "Give write access there."
BRING_BACK = "Is the folder still there, and does it take files? It was deleted, or its disk is gone or broken."
TOO_MANY_FILES = frozenset({errno.EMFILE, errno.ENFILE})
"""What it says when a process, or all processes together, may open no further file."""
MORE_FILES = "Let the process open more files (ulimit -n 4096), or lower --num-threads."


class StorageError(ImpactBenchError):
    """Results cannot be written: the disk is full, the folder read-only, or too many files are open."""


def storage_remedy(error: OSError) -> str:
    """Return what to do about one of STORAGE_ERRORS or TOO_MANY_FILES: one sentence."""
    if error.errno in TOO_MANY_FILES:
        return MORE_FILES
    if error.errno in _FULL:
        return MORE_SPACE
    return MORE_RIGHTS if error.errno in _NO_ACCESS else BRING_BACK


def write_whole(path: Path, text: str | Sequence[str], *, durable: bool = True) -> None:
    """Write a file in one step: readers, and a kill at any moment, find the old file or the new one.

    `text` may be in pieces. Raises OSError with the file's name. A new file has the rights of the umask, an old one
    keeps its own. A file that is not `durable` is quicker, and may be damaged when the machine loses power.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    write_part(part, text, durable=durable)
    with suppress(FileNotFoundError):
        part.chmod(path.stat().st_mode)
    try:
        os.replace(part, path)
    except OSError:
        part.unlink()
        raise


def write_json(path: Path, data: Any) -> None:
    """Write JSON-like data in one step, as people can read it. Raises OSError with the file's name."""
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def check_parent(path: Path | None) -> None:
    """Raise ImpactBenchError unless a file can be put at `path`, if there is one: asked before anything is paid for."""
    if path is not None and not path.absolute().parent.is_dir():
        raise ImpactBenchError(f"There is no folder {path.parent} to write {path.name} into; create it first.")


def write_part(part: Path, text: str | Sequence[str], *, durable: bool = True) -> None:
    """Write a file that is to be renamed, down to the disk, or leave nothing. Raises OSError with the file's name."""
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines([text] if isinstance(text, str) else text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(part)) from error
