"""Hashes of the files of a run, kept in its folder, so that a file which nobody has touched is not hashed again.

    {<file>: [<hash>, size, mtime, ctime, inode]}

The numbers are what the file system says of the file, times in nanoseconds: its mark. Every write changes it, because
ctime is the time of the last change of any kind, and only who sets the clock can set it. A file that changed a moment
ago gets no mark, because a second change within the same tick of the clock would not show (the "racy" files of Git's
index). A copy has another mark and is hashed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import IntakeError, read_bytes

FILE = ".impactbench-hashes.json"
SETTLED_NS = 2_000_000_000
"""Since the last change: the longest tick of a file system in use."""
_MOST_BYTES = 100_000
_PIECE = 1 << 20


def source_hashes(folder: Path, names: Sequence[str]) -> dict[str, str] | None:
    """Return name -> hash of files in a folder; None where one is no regular file or cannot be read."""
    kept = _load(folder / FILE)
    hashes, found = {}, dict(kept)
    for name in names:
        mark = _mark(folder / name)
        if mark is None:
            return None
        digest, *before = kept.get(name, [""])
        if before != mark:
            settled = _is_settled(mark)  # before the hash is taken, which may itself take seconds
            digest = _hash(folder / name)
            found.pop(name, None)
            if digest and settled and _mark(folder / name) == mark:
                found[name] = [digest, *mark]
        if not digest:
            return None
        hashes[name] = digest
    if found != kept:
        with suppress(OSError):
            write_whole(folder / FILE, json.dumps(found), durable=False)
    return hashes


def _mark(path: Path) -> list[int] | None:
    with suppress(OSError):
        found = path.stat()
        if stat.S_ISREG(found.st_mode):  # a pipe or a device may never end
            return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return None


def _is_settled(mark: Sequence[int]) -> bool:
    # On Windows ctime is when the file was made, which says nothing of later changes.
    return os.name == "posix" and time.time_ns() - max(mark[1], mark[2]) > SETTLED_NS


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with suppress(OSError), path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
        return digest.hexdigest()
    return ""


def _load(path: Path) -> Mapping[str, list[Any]]:
    """Return what is kept; nothing of a damaged file."""
    if _mark(path) is None:
        return {}
    with suppress(IntakeError, ValueError, RecursionError):
        found = json.loads(read_bytes(path, _MOST_BYTES))
        if isinstance(found, dict):
            return {name: own for name, own in found.items() if _is_entry(own)}
    return {}


def _is_entry(own: object) -> bool:
    return isinstance(own, list) and [type(part) for part in own] == [str, int, int, int, int]
