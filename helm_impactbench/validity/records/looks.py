"""The looks at a suite, in a file beside its runs: somebody who compares again after it has grown is told so."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import StrictInt

from helm_impactbench.analysis.looks import Look, look_at, looks_before
from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.suites.reading import Reading
from helm_impactbench.validity.records.stored import Stored, StoredFile, read_stored, write_stored

FILE = "looks.json"


class _StoredLook(Stored):
    bases: Mapping[str, Mapping[str, StrictInt]]
    is_planned: bool


class _LooksFile(StoredFile):
    looks: tuple[_StoredLook, ...]
    WHAT: ClassVar[str] = "a record of the looks at a suite"
    CURE: ClassVar[str] = "Delete it to begin anew: tests then take the next look for the first one."


def recorded_looks(folder: Path) -> list[Look]:
    """Return the looks at a suite, the first one first. Raises ResultsError."""
    found = read_stored(folder / FILE, _LooksFile)
    return [Look(one.bases, one.is_planned) for one in found.looks] if found else []


def record_look(reading: Reading, *, is_planned: bool = False, models: int = 2) -> list[Look]:
    """Record that a reading's models are compared, and return the earlier looks at what has grown since.

    models: that have to have grown; one is enough where each is compared with itself in another suite.
    What cannot be written is not recorded: a suite may be in a folder for reading alone. Raises ResultsError.
    """
    now = look_at(reading)
    looks = recorded_looks(reading.folder)
    if now is None:
        return []
    now = replace(now, is_planned=is_planned)
    if now not in looks:
        stored = tuple(_StoredLook(bases=look.bases, is_planned=look.is_planned) for look in (*looks, now))
        with suppress(StorageError):
            write_stored(reading.folder / FILE, _LooksFile(looks=stored))
    return looks_before(looks, now, models)
