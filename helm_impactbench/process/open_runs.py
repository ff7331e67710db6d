"""Runs that commands began in a suite and have not brought to their end, by name: a file beside the newest one's state.

A command may be interrupted, and a smaller one come to its end after it: its state alone would make the suite look
finished. Tasks of a job array are at one suite at the same time, so each change is made to what the file says then.
Without a state beside it the file counts for nothing: whoever deletes the state does not want these runs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from helm_impactbench.files.atomic_write import write_json
from helm_impactbench.process.progress_file import PROGRESS_FILE

OPEN_RUNS_FILE = "open_runs.json"
LOOKS = "--until-better"
"""Stands among the names for the runs of further looks, which have none before the next look."""
LOOKS_VARIABLE = "IMPACTBENCH_LOOKS"
"""Set in a helm-run that is one look of several. Unset in every other one."""


def open_runs(folder: Path) -> list[str]:
    """Return the names, those that were begun first at the front. Raises ValueError for a file that is damaged."""
    try:
        text = (folder / OPEN_RUNS_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return TypeAdapter(list[str]).validate_json(text)


def note_open(folder: Path, begun: Iterable[str], ended: Iterable[str]) -> None:
    """Note runs that are begun, and others that came to their end; nothing in a folder that takes no file."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
            _change(folder, list(begun), set(ended))
        finally:
            os.close(file)


def forget_unwanted(folder: Path) -> None:
    """Remove what stands for nothing, before a new state makes it count."""
    if not (folder / PROGRESS_FILE).exists():
        with suppress(OSError):
            (folder / OPEN_RUNS_FILE).unlink(missing_ok=True)


def _change(folder: Path, begun: list[str], ended: set[str]) -> None:
    try:
        before = open_runs(folder)
    except ValueError:
        before = []
    now = [name for name in dict.fromkeys((*before, *begun)) if name not in ended]
    if not now:
        (folder / OPEN_RUNS_FILE).unlink(missing_ok=True)
    elif now != before:
        write_json(folder / OPEN_RUNS_FILE, now)
