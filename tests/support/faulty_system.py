"""The n-th write, fsync, rename, connection or piece of memory fails, and every other one works.

As in the tests of SQLite: with n from 1 until nothing fails any more, every place where the system may say no is met
once. Only what concerns one folder counts.

In a process of its own, `FAULTY_SYSTEM=kind,n,folder` in its environment does so (tests/support/quick_start).
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

KINDS = ("write", "fsync", "rename", "connect", "sql", "memory")
VARIABLE = "FAULTY_SYSTEM"
_WRITES = ("REPLACE", "INSERT", "DELETE", "CREATE")


class FaultySystem:
    """Counts the events of a kind, and lets one of them fail."""

    def __init__(self, kind: str, number: int, folder: Path) -> None:
        self.kind, self.number, self.folder = kind, number, str(folder)
        self.count = 0

    @property
    def failed(self) -> bool:
        """Whether the event has come."""
        return self.count >= self.number

    def meets(self, kind: str, place: object = None) -> bool:
        """Count an event; return whether it has to fail."""
        concerns = place is None or str(place).startswith(self.folder)
        if kind != self.kind or not concerns:
            return False
        self.count += 1
        return self.count == self.number

    def check(self, kind: str, place: object = None) -> None:
        """Raise what the system would raise for an event."""
        if self.meets(kind, place):
            if kind == "memory":
                raise MemoryError
            number = errno.EIO if kind == "fsync" else errno.ENOSPC
            raise OSError(number, os.strerror(number), None if place is None else str(place))


class _File:
    """A file whose writes count."""

    def __init__(self, file: Any, system: FaultySystem, path: object) -> None:
        self._file, self._system, self._path = file, system, path

    def write(self, data: Any) -> Any:
        self._system.check("write", self._path)
        return self._file.write(data)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __enter__(self) -> _File:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._file.__exit__(*error)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def faulty(system: FaultySystem) -> Iterator[FaultySystem]:
    """Let the system fail so in this process meanwhile."""
    patches = [mock.patch.object(*place) for place in _patches(system)]
    for patch in patches:
        patch.start()
    try:
        yield system
    finally:
        for patch in reversed(patches):
            patch.stop()


def _patches(system: FaultySystem) -> Iterator[tuple[Any, str, Any]]:
    real_open = builtins.open

    def opened(path: Any, mode: str = "r", *arguments: Any, **settings: Any) -> Any:
        file = real_open(path, mode, *arguments, **settings)
        writes = set(mode) & set("wax+") and str(path).startswith(system.folder)
        return _File(file, system, path) if writes else file

    yield builtins, "open", opened
    yield io, "open", opened
    yield os, "fsync", _checked(system, "fsync", os.fsync, with_place=False)
    for name in ("replace", "rename", "link"):
        yield os, name, _checked(system, "rename", getattr(os, name))
    yield sqlite3, "connect", _connecting(system)
    from helm_impactbench.files import json_fields, line_log
    from helm_impactbench.llm.cache import sqlite_store
    from helm_impactbench.llm.limits import spend_log

    for owner, name in (
        (sqlite_store, "dumped"),
        (sqlite_store, "loaded"),
        (line_log.LineLog, "append"),
        (line_log.LineLog, "new_lines"),
        (spend_log.SpendLog, "_apply"),
        (json_fields._Reader, "value"),
    ):
        yield owner, name, _checked(system, "memory", getattr(owner, name), with_place=False)


def _checked(
    system: FaultySystem, kind: str, original: Callable[..., Any], *, with_place: bool = True
) -> Callable[..., Any]:
    def call(*arguments: Any, **settings: Any) -> Any:
        system.check(kind, arguments[0] if with_place else None)
        return original(*arguments, **settings)

    return call


def _connecting(system: FaultySystem) -> Callable[..., sqlite3.Connection]:
    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement.startswith(_WRITES) and system.meets("sql"):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *values)

    real = sqlite3.connect

    def connect(path: Any, *arguments: Any, **settings: Any) -> sqlite3.Connection:
        if system.meets("connect", path):
            raise sqlite3.OperationalError("unable to open database file")
        return real(path, *arguments, **{"factory": Connection, **settings})

    return connect


def begin_from_environment() -> None:
    """Do what the environment asks for, until the process ends."""
    given = os.environ.get(VARIABLE)
    if given:
        kind, number, folder = given.split(",", 2)
        faulty(FaultySystem(kind, int(number), Path(folder))).__enter__()
