"""What follows from a run's files, kept in its folder: commands that need no words of a conversation read this instead.

    line 1   {"format": 7, "version": "0.2.0", "measures": <hash>, "sources": {<file>: <hash>}, "columns": <of line 2>}
    line 2   what is kept, as JSON

The file follows from the files of the run, from the package, and from the code of other people's measures. Where the
format, the release or a hash differs, or the file is damaged or missing, the run is read again and the file replaced.
A folder that takes no file is read every time.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.measures.registry import measures
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.results.source_hashes import source_hashes

T = TypeVar("T")

FORMAT = 12
"""One more whenever something else is kept of the same run; tests/results/test_kept_format.py fails until it is."""


@dataclass(frozen=True)
class KeptRun(Generic[T]):
    """One kind of thing that is kept of runs."""

    file: str
    """Its name in a run's folder."""
    encoded: Callable[[T], Any]
    """Makes data for JSON of it."""
    decoded: Callable[[Any], T]
    """Makes it of such data, the same as before. Raises ValueError, LookupError or TypeError for other data."""

    def of(self, folder: Path, sources: Sequence[str], read: Callable[[], T]) -> T:
        """Return what is kept of a run, or else what `read` returns, and keep that.

        sources: names of the files in `folder` that `read` takes it from. Raises what `read` raises.
        """
        before = self._origin(folder, sources)
        content = None if before is None else _load(folder / self.file, before)
        if content is not None:
            with suppress(ValueError, LookupError, TypeError, ValidationError):
                return self.decoded(content)
        return self._read(folder, sources, before, read)

    def keep(self, folder: Path, sources: Sequence[str], read: Callable[[], T]) -> None:
        """Keep what `of` would return, unless it is kept already."""
        before = self._origin(folder, sources)
        if before is None or _load(folder / self.file, before) is None:
            self._read(folder, sources, before, read)

    def _read(self, folder: Path, sources: Sequence[str], before: Mapping[str, Any] | None, read: Callable[[], T]) -> T:
        found = read()
        # A run that was written anew meanwhile is not what was read.
        if before is not None and self._origin(folder, sources) == before:
            _keep(folder / self.file, before, self.encoded(found))
        return found

    def _origin(self, folder: Path, sources: Sequence[str]) -> dict[str, Any] | None:
        """Return what this has to follow from; None where a source cannot be read, which `read` will say."""
        hashes = source_hashes(folder, sources)
        return hashes and {
            "format": FORMAT,
            "version": __version__,
            "measures": measures_hash(),
            "sources": hashes,
        }


def _load(path: Path, origin: Mapping[str, Any]) -> Any:
    """Return the data in a file; None unless it follows from `origin` and is as it was written."""
    if not path.is_file():
        return None
    try:
        head, _, columns = read_bytes(path, MAX_RUN_BYTES).partition(b"\n")
        if json.loads(head) != {**origin, "columns": hashlib.sha256(columns).hexdigest()}:
            return None
        return json.loads(columns)
    except (IntakeError, ValueError, RecursionError):
        return None


def _keep(path: Path, origin: Mapping[str, Any], content: Any) -> None:
    columns = json.dumps(content, separators=(",", ":"))
    head = json.dumps({**origin, "columns": hashlib.sha256(columns.encode()).hexdigest()})
    with suppress(OSError):
        write_whole(path, f"{head}\n{columns}", durable=False)


@cache
def measures_hash() -> str:
    """Return the hash of the code of other people's measures, which no format number of ours follows."""
    modules = {measure.__module__ for measure in measures().values()}
    others = {sys.modules[name].__file__ for name in modules if name.partition(".")[0] != "helm_impactbench"}
    digest = hashlib.sha256()
    for path in sorted(name for name in others if name):
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()
