"""The outcomes of a run, kept in its folder.

    {<field of an outcome>: {"values": [...], "rows": [...]}}

`rows` says which of the values each conversation has; a number says for how many there is one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from helm_impactbench.results.kept import KeptRun
from helm_impactbench.results.outcome import Outcome

FILE = ".impactbench-outcomes.jsonl"


def kept_outcomes(folder: Path, sources: Sequence[str], read: Callable[[], list[Outcome]]) -> list[Outcome]:
    """Return the outcomes that are kept of a run, or else those that `read` returns, and keep them.

    sources: names of the files in `folder` that `read` takes them from. Raises what `read` raises.
    """
    return KeptRun(FILE, _encoded, _decoded).of(folder, sources, read)


def _encoded(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {name: _column([getattr(outcome, name) for outcome in outcomes], shape) for name, shape in _shapes().items()}


def _column(cells: Sequence[Any], shape: TypeAdapter[list[Any]]) -> dict[str, Any]:
    places: dict[Any, int] = {}
    values: list[Any] = []
    rows: list[int] = []
    for cell in cells:
        # 1, 1.0 and True are equal, as are 0.0 and -0.0; lists cannot be keys.
        key = cell if type(cell) is str else repr(cell), type(cell)
        if key not in places:
            places[key] = len(values)
            values.append(cell)
        rows.append(places[key])
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
