"""Runs as helm-summarize reads them, with a message in place of a traceback where a file is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from helm_impactbench.errors import ImpactBenchError, ResultsError
from helm_impactbench.results.files import PER_INSTANCE_FILE, SPEC_FILE, STATE_FILE, STATS_FILE
from helm_impactbench.results.shapes import CURE, PER_INSTANCE, RUN_SPEC, STATES, STATS, read_shaped

T = TypeVar("T")

_READ: Mapping[str, TypeAdapter[Any]] = {SPEC_FILE: RUN_SPEC, STATS_FILE: STATS}
"""What helm-summarize reads for its tables."""
_SHOWN: Mapping[str, TypeAdapter[Any]] = {STATE_FILE: STATES, PER_INSTANCE_FILE: PER_INSTANCE}
"""What it reads for the pages of the runs."""


def read_run(folder: Path, read: Callable[[], T]) -> T:
    """Return what `read` makes of a run's spec and statistics. Raises ResultsError that names the damaged file."""
    for name, shape in _READ.items():
        read_shaped(folder / name, shape)
    try:
        return read()
    except Exception as error:  # HELM's converter raises exceptions of many kinds
        raise _not_helms(folder, _READ, error) from error


def write_pages(folders: Iterable[Path], write: Callable[[], None]) -> None:
    """Call `write`, which reads the runs' conversations. Raises ResultsError that names the damaged file."""
    try:
        write()
    except ImpactBenchError:
        raise
    except Exception as error:
        for folder in folders:
            for name, shape in _SHOWN.items():
                read_shaped(folder / name, shape, deep=True)
        raise ResultsError(f"The pages of the runs cannot be written: {_named(error)}") from error


def _not_helms(folder: Path, names: Iterable[str], error: Exception) -> ResultsError:
    files = " or ".join(names)
    return ResultsError(f"{folder}: {files} is not as helm-run writes it ({_named(error)}); {CURE}")


def _named(error: BaseException) -> str:
    """Return an error in one line; of a group of errors the first that is none."""
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]  # type: ignore[attr-defined]  # ExceptionGroup, also before Python 3.11
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
