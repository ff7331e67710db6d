"""Find, check and load grid.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from helm_impactbench.benchmark.rules import Finding
from helm_impactbench.benchmark.source import Fault, read_source
from helm_impactbench.errors import BenchmarkError, did_you_mean
from helm_impactbench.files.resources import benchmark_folders
from helm_impactbench.sycophancy.model import SLUG, Dispute, GridFile
from helm_impactbench.sycophancy.rules import grid_findings

GRID_FILE = "grid.yaml"


@dataclass(frozen=True)
class CheckedGrid:
    """What a check found: the grid when it can be loaded, and every fault of its file."""

    path: Path
    grid: GridFile | None
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that keep the grid from loading."""
        return tuple(fault for fault in self.faults if fault.severity == "error")


def find_grid() -> Path:
    """Return the path of grid.yaml, the user's own first. Raises BenchmarkError when there is none."""
    paths = [folder / SLUG / GRID_FILE for folder in benchmark_folders()]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise BenchmarkError(f"No {GRID_FILE}; looked for {' and '.join(map(str, paths))}.")
    return found


def check_grid(path: Path) -> CheckedGrid:
    """Read a grid and return every fault in it at once."""
    source = read_source(path)
    if source.faults:
        return CheckedGrid(path, None, tuple(source.faults))
    try:
        grid = GridFile.model_validate(source.data)
    except ValidationError as error:
        return CheckedGrid(path, None, tuple(source.fault(*finding) for finding in _explained(error, source.data)))
    faults = tuple(source.fault(*finding) for finding in grid_findings(grid))
    broken = any(fault.severity == "error" for fault in faults)
    return CheckedGrid(path, None if broken else grid, faults)


def load_grid(path: Path | None = None) -> GridFile:
    """Return the grid at `path`, or the one that is found. Raises BenchmarkError with all its faults."""
    checked = check_grid(path or find_grid())
    if checked.grid is None:
        faults = "\n".join(f"  {fault}" for fault in checked.errors)
        raise BenchmarkError(f"{checked.path} cannot be loaded:\n{faults}")
    return checked.grid


def disputes_of(grid: GridFile, dispute: str | None) -> list[Dispute]:
    """Return one dispute, or all without a name. Raises BenchmarkError for a name that the grid does not have."""
    known = [found.id for found in grid.disputes]
    if dispute is not None and dispute not in known:
        raise BenchmarkError(
            f"There is no dispute {dispute!r}; allowed: {', '.join(known)}.{did_you_mean(dispute, known)}"
        )
    return [found for found in grid.disputes if dispute in (None, found.id)]


def _explained(error: ValidationError, data: Any) -> Iterator[Finding]:
    for detail in error.errors():
        place = tuple(step for step in detail["loc"])
        yield place, _explanation(detail, place), "error"


def _explanation(detail: Any, place: tuple[str | int, ...]) -> str:
    kind = detail["type"]
    if kind == "missing":
        return "missing; allowed: a value, the key is required"
    if kind == "extra_forbidden":
        allowed = _keys_at(place[:-1])
        return f"unknown key; allowed: {', '.join(allowed)}.{did_you_mean(str(place[-1]), allowed)}"
    got = repr(detail["input"])
    got = got if len(got) <= 60 else f"{got[:60]}..."
    if kind == "value_error":
        return str(detail.get("ctx", {}).get("error", detail["msg"]))
    if kind == "string_too_short":
        return f"got {got}; allowed: text that is not empty"
    return f"got {got}; allowed: {detail['msg'].removeprefix('Input should be ').removeprefix('a valid ')}"


def _keys_at(place: tuple[str | int, ...]) -> list[str]:
    """Return the keys of the mapping at `place`, followed through the models' annotations."""
    model: type[BaseModel] = GridFile
    for step in place:
        if isinstance(step, str):
            field = next(f for name, f in model.model_fields.items() if step in (name, f.alias))
            inner = [field.annotation, *get_args(field.annotation)]
            model = next((t for t in inner if isinstance(t, type) and issubclass(t, BaseModel)), model)
    return [field.alias or name for name, field in model.model_fields.items()]
