"""The five files of a run as HELM's runner writes them: all old or all new, and one instance at a time in memory.

HELM writes them one after the other, each with a plain open().write(). A kill or a full disk in the middle leaves half
a file, and `helm-run --skip-completed-runs` takes a run for finished when all five are there. So each is written beside
its place first. When the last one is complete all five take their places, the last one last: until then the results of
an earlier run stay as they were.

Two helm-runs may be at the same run. One at a time writes its files: it holds a lock on the folder, which the system
releases when the process ends, however it ends.

HELM also turns a whole run into dictionaries, these into a list of a few characters each, and the list into one text,
all in memory at once: of 10,000 conversations more than everything else that a run needs. The file is HELM's, byte for
byte.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.common.general import asdict_without_nones
from helm.common.hierarchical_logger import hlog

from helm_impactbench.files.atomic_write import (
    STORAGE_ERRORS,
    TOO_MANY_FILES,
    StorageError,
    storage_remedy,
    write_part,
    write_whole,
)
from helm_impactbench.files.json_stream import Pieces
from helm_impactbench.helm.missing_verdicts import MISSING_VERDICTS
from helm_impactbench.helm.own_entries import is_own
from helm_impactbench.process.helm_run import HelmRun, this_run
from helm_impactbench.results.files import RUN_FILES, STATE_FILE, STATS_FILE

DRY_RUNS = "dry_runs"
"""Folder beside HELM's `runs` that keeps what `helm-run --dry-run` writes of our runs: what would be asked."""
_PATIENCE_SECONDS = 300.0
"""How long to wait for another helm-run that writes the same run; it takes seconds."""
_LOOK_SECONDS = 0.05


class RunFolders:
    """Writes what HELM's runner writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[Path, int] = {}
        """Folder -> the open file that locks it."""

    def write(self, file_path: str, content: str | Pieces) -> None:
        """Stand in for HELM's `write` in its runner.

        Raises StorageError for a disk that is full or read-only; nothing old is lost then.
        """
        path, length = Path(file_path), content.length if isinstance(content, Pieces) else len(content)
        place = _dry_place(path, this_run()) if path.name in RUN_FILES else path
        hlog(f"Writing {length} characters to {place}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.name in RUN_FILES:
                self._write_one_of_five(place, content)
            else:
                write_whole(place, content)
        except OSError as error:
            if error.errno not in STORAGE_ERRORS | TOO_MANY_FILES:
                raise
            raise _not_writable(error, place.parent) from error
        if place != path and path.name == RUN_FILES[-1]:
            with suppress(OSError):  # it holds the results of a run that was not a dry one
                path.parent.rmdir()
        if place == path and path.name == STATS_FILE and is_own(path.parent.name):
            MISSING_VERDICTS.note(path.parent.name, content, _part(place.with_name(STATE_FILE)))

    def _write_one_of_five(self, path: Path, content: str | Pieces) -> None:
        self._enter(path.parent)
        last = path.name == RUN_FILES[-1]
        try:
            write_part(_part(path), content)
            if last:
                _publish(path.parent)
        except OSError:
            _drop_parts(path.parent)
            self._leave(path.parent)
            raise
        if last:
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


class _OneByOne(list[Any]):
    """Instances that become dictionaries when they are iterated over, as json does."""

    def __iter__(self) -> Iterator[Any]:
        return map(asdict_without_nones, super().__iter__())


def as_dictionary(value: Any) -> dict[str, Any]:
    """Stand in for HELM's asdict_without_nones, where its runner calls it. For json.dumps alone."""
    if not isinstance(value, ScenarioState):
        return asdict_without_nones(value)
    frame = asdict_without_nones(replace(value, request_states=[]))
    return {**frame, "request_states": _OneByOne(value.request_states)}


def _dry_place(path: Path, run: HelmRun) -> Path:
    """Return where a file of a run goes: in a dry run of ours, which has no results, where none are looked for."""
    if not (run.dry_run and run.suite and is_own(path.parent.name)):
        return path
    return run.output_path / DRY_RUNS / run.suite / path.parent.name / path.name


def _not_writable(error: OSError, folder: Path) -> StorageError:
    return StorageError(
        f"{folder} cannot be written to ({error.strerror}): the results of {folder.name} are not kept. "
        f"{storage_remedy(error)} What was written before is untouched, and every answer is in the cache: the same "
        "command continues from here."
    )


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


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
