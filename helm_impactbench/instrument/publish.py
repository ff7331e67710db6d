"""Write a run's folder in one step, so that an interruption leaves whole runs and nothing else."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError, ResultsError

FILES = ("run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "per_instance_stats.json")
"""What HELM takes for a completed run."""

STAGING = ".unfinished"
"""Folder in a suite where runs are put together: two levels down, where nothing that reads a suite looks."""


def is_whole(folder: Path) -> bool:
    """Return whether a run's folder holds all files of a completed run."""
    return all((folder / name).is_file() for name in FILES)


def read_json(path: Path) -> Any:
    """Return what a JSON file holds. Raises ResultsError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be read ({error}); delete the run's folder and repeat helm-run.") from error


def check_folder(path: Path | None) -> None:
    """Raise ImpactBenchError unless a file can be put at `path`, if there is one: asked before anything is paid for."""
    if path is not None and not path.absolute().parent.is_dir():
        raise ImpactBenchError(f"There is no folder {path.parent} to write {path.name} into; make it first.")


def write_json(path: Path, data: Any) -> None:
    """Write JSON-like data in one step."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(path)


def publish(folder: Path, files: Mapping[str, str]) -> None:
    """Write `files` (name -> text) as the run's folder, in the place of one that is there."""
    staging = folder.parent / STAGING
    new, old = staging / "new" / folder.name, staging / "old" / folder.name
    for rest in (new, old):
        shutil.rmtree(rest, ignore_errors=True)
    new.mkdir(parents=True)
    for name, text in files.items():
        (new / name).write_text(text, encoding="utf-8")
    if folder.exists():
        old.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    for empty in (staging / "new", staging / "old", staging):
        with contextlib.suppress(OSError):  # holds what another interruption left
            empty.rmdir()
