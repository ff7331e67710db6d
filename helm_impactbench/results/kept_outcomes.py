"""What a run came to, kept in its folder: commands that need no words of a conversation read this and not the words.

    line 1   {"format": 1, "reader": <hash>, "sources": {<file>: <hash>}, "columns": <hash of line 2>}
    line 2   {<field of an outcome>: {"values": [...], "rows": [...]}}

`rows` says which of the values each conversation has; a number says for how many there is one value. The file follows
from the files of the run and from the code that reads them, whose hashes it names. Where one differs, or the file is
damaged or missing, the run is read again and the file replaced. A folder that takes no file is read every time.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from helm_impactbench.benchmark.measures.registry import measures
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.results.outcome import Outcome

FILE = ".impactbench-outcomes.jsonl"
FORMAT = 1
_PIECE = 1 << 20
_PACKAGE = Path(__file__).parents[1]
_READERS = ("benchmark", "conversation", "judging", "results", "suites")
"""Rooms of the package that an outcome depends on."""

Hashes = Mapping[str, str]


def kept_outcomes(folder: Path, sources: Sequence[str], read: Callable[[], list[Outcome]]) -> list[Outcome]:
    """Return the outcomes that are kept of a run, or else those that `read` returns, and keep them.

    sources: names of the files in `folder` that `read` takes them from. Raises what `read` raises.
    """
    before = _origin(folder, sources)
    kept = None if before is None else _load(folder / FILE, before)
    if kept is not None:
        return kept
    found = read()
    # A run that was written anew meanwhile is not what was read.
    if before is not None and _origin(folder, sources) == before:
        _keep(folder / FILE, before, found)
    return found


def _origin(folder: Path, sources: Sequence[str]) -> dict[str, Any] | None:
    """Return what kept outcomes have to follow from; None where a source cannot be read, which `read` will say."""
    if not all((folder / name).is_file() for name in sources):  # a pipe or a device may never end
        return None
    try:
        hashes = {name: _file_hash(folder / name) for name in sources}
    except OSError:
        return None
    return {"format": FORMAT, "reader": _reader_hash(), "sources": hashes}


def _load(path: Path, origin: Mapping[str, Any]) -> list[Outcome] | None:
    """Return the outcomes in a file; None unless they follow from `origin` and are as they were written."""
    if not path.is_file():
        return None
    try:
        head, _, columns = read_bytes(path, MAX_RUN_BYTES).partition(b"\n")
        if json.loads(head) != {**origin, "columns": hashlib.sha256(columns).hexdigest()}:
            return None
        return _decoded(json.loads(columns))
    except (IntakeError, ValueError, KeyError, TypeError, LookupError, RecursionError, ValidationError):
        return None


def _keep(path: Path, origin: Mapping[str, Any], outcomes: Sequence[Outcome]) -> None:
    columns = json.dumps(_encoded(outcomes), separators=(",", ":"))
    head = json.dumps({**origin, "columns": hashlib.sha256(columns.encode()).hexdigest()})
    with suppress(OSError):
        write_whole(path, f"{head}\n{columns}", durable=False)


def _encoded(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {name: _column([getattr(outcome, name) for outcome in outcomes], shape) for name, shape in _shapes().items()}


def _column(cells: Sequence[Any], shape: TypeAdapter[list[Any]]) -> dict[str, Any]:
    # By what they look like: 1, 1.0 and True are equal, and lists cannot be keys.
    places: dict[str, int] = {}
    values: list[Any] = []
    rows: list[int] = []
    for cell in cells:
        text = repr(cell)
        if text not in places:
            places[text] = len(values)
            values.append(cell)
        rows.append(places[text])
    return {"values": shape.dump_python(values, mode="json"), "rows": rows if len(values) > 1 else len(rows)}


def _decoded(columns: Mapping[str, Any]) -> list[Outcome]:
    return [Outcome(*cells) for cells in zip(*(_cells(columns[n], s) for n, s in _shapes().items()), strict=True)]


def _cells(column: Mapping[str, Any], shape: TypeAdapter[list[Any]]) -> list[Any]:
    values, rows = shape.validate_python(column["values"]), column["rows"]
    return [values[row] for row in rows] if isinstance(rows, list) else values * rows


@cache
def _shapes() -> dict[str, TypeAdapter[list[Any]]]:
    """Return field of an outcome -> shape of a list of its values, in the order of the fields."""
    return {name: TypeAdapter(list[kind]) for name, kind in get_type_hints(Outcome).items()}  # type: ignore[valid-type]


@cache
def _reader_hash() -> str:
    """Return the hash of the code that makes outcomes of files: ours and the measures of others."""
    own = (path for room in _READERS for path in sorted((_PACKAGE / room).rglob("*.py")))
    digest = hashlib.sha256()
    others = {sys.modules[measure.__module__].__file__ for measure in measures().values()}
    for path in (*own, *sorted(Path(name) for name in others if name)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _file_hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
