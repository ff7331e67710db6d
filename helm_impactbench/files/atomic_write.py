"""Files that are whole or not there, and HELM's result files among them.

HELM writes the five files of a run one after the other, each with a plain open().write(). A kill or a full disk in the
middle leaves half a file, and `helm-run --skip-completed-runs` takes a run for finished when all five are there. So
each is written beside its place first. When the last one is complete all five take their places, the last one last:
until then the results of an earlier run stay as they were.

Two helm-runs may be at the same run. One at a time writes its files: it holds a lock on the folder, which the system
gives up when the process ends, however it ends.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
import time
from contextlib import suppress
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from helm.common.hierarchical_logger import hlog

from helm_impactbench.errors import ImpactBenchError, stop

if TYPE_CHECKING:  # two seconds
    from helm.benchmark.run_spec import RunSpec
    from helm.benchmark.runner import Runner

RUN_FILES = ("run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "per_instance_stats.json")
"""In HELM's order. HELM takes a run for completed when all are there."""
STORAGE_ERRORS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO, errno.ENOTDIR}
)
_PATIENCE_SECONDS = 300.0
"""How long to wait for another helm-run that writes the same run; it takes seconds."""
_LOOK_SECONDS = 0.05


class Pieces(list[str]):
    """A text in pieces, for files that are too large to hold twice."""

    @property
    def length(self) -> int:
        """Characters of the text."""
        return sum(map(len, self))


class StorageError(ImpactBenchError):
    """Results cannot be written: the disk is full, or the folder read-only."""


def write_whole(path: Path, text: str | Pieces) -> None:
    """Write a file in one step: readers, and a kill at any moment, find the old file or the new one.

    Raises OSError with the file's name. A new file has the rights of the umask, an old one keeps its own.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    _write_part(part, text)
    with suppress(FileNotFoundError):
        part.chmod(path.stat().st_mode)
    os.replace(part, path)


class RunFolders:
    """Writes what HELM's runner writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[Path, int] = {}
        """Folder -> the open file that locks it."""

    def write(self, file_path: str, content: str | Pieces) -> None:
        """Stand in for HELM's `write` in its runner. Raises OSError with the file's name; nothing old is lost then."""
        length = content.length if isinstance(content, Pieces) else len(content)
        hlog(f"Writing {length} characters to {file_path}")
        path = Path(file_path)
        if path.name not in RUN_FILES:
            write_whole(path, content)
            return
        self._enter(path.parent)
        try:
            _write_part(_part(path), content)
            if path.name == RUN_FILES[-1]:
                _publish(path.parent)
        except OSError:
            _drop_parts(path.parent)
            self._leave(path.parent)
            raise
        if path.name == RUN_FILES[-1]:
            self._leave(path.parent)

    def _enter(self, folder: Path) -> None:
        """Wait until no other process writes this run; go on without a lock where the file system has none."""
        with self._lock:
            if folder in self._held:
                return
        with suppress(OSError):
            file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            _wait_for(file)
            with self._lock:
                self._held[folder] = file

    def _leave(self, folder: Path) -> None:
        with self._lock:
            file = self._held.pop(folder, None)
        if file is not None:
            os.close(file)


FOLDERS = RunFolders()
"""Of this process."""


def register() -> None:
    """Let HELM's runner write this way, and end with one line when it cannot. Harmless when repeated."""
    from helm.benchmark import runner

    from helm_impactbench.files.json_stream import as_dictionary, dumps

    if runner.write == FOLDERS.write:  # type: ignore[attr-defined]
        return
    original = runner.Runner.run_one

    @wraps(original)
    def run_one(self: Runner, run_spec: RunSpec) -> None:
        try:
            original(self, run_spec)
        except OSError as error:
            if error.errno not in STORAGE_ERRORS or error.filename is None:
                raise
            stop(not_writable(error, run_spec.name))

    places: Any = runner
    places.write = FOLDERS.write
    places.asdict_without_nones = as_dictionary
    places.json = SimpleNamespace(load=json.load, dumps=dumps)
    runner.Runner.run_one = run_one  # type: ignore[method-assign]


def not_writable(error: OSError, run: str) -> StorageError:
    """Return what to tell the user about results that cannot be written."""
    folder = Path(str(error.filename)).parent
    return StorageError(
        f"{folder} cannot be written to ({error.strerror}): the results of {run} are not kept. Free space or give "
        "write access there. What was written before is untouched, and every answer is in the cache: the same command "
        "goes on from here."
    )


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _write_part(part: Path, text: str | Pieces) -> None:
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(text if isinstance(text, Pieces) else [text])
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(part)) from error


def _publish(folder: Path) -> None:
    """Put the parts in their places. A run is not completed without its last file: that goes first and comes last."""
    (folder / RUN_FILES[-1]).unlink(missing_ok=True)
    for name in RUN_FILES:
        with suppress(FileNotFoundError):
            os.replace(_part(folder / name), folder / name)


def _drop_parts(folder: Path) -> None:
    for name in RUN_FILES:
        with suppress(OSError):
            _part(folder / name).unlink()


def _wait_for(file: int) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOOK_SECONDS)
        else:
            return
