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


def helm_figures(raw: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the contents of stats.json and per_instance_stats.json, by the run's own HELM metrics."""
    from helm.benchmark.adaptation.scenario_state import ScenarioState
    from helm.benchmark.metrics.metric import MetricSpec, create_metric
    from helm.benchmark.runner import remove_per_instance_stats_nans, remove_stats_nans
    from helm.common.codec import from_json
    from helm.common.general import asdict_without_nones

    state = from_json(json.dumps(raw), ScenarioState)
    stats, per_instance = [], []
    for given in spec["metric_specs"]:
        # No metric service: impactbench runs have HELM metrics that count, and none that calls a model.
        result = create_metric(MetricSpec(**given)).evaluate(state, None, "", 1)  # type: ignore[arg-type]
        stats += result.aggregated_stats
        per_instance += result.per_instance_stats
    return (
        [asdict_without_nones(stat) for stat in remove_stats_nans(stats)],
        [asdict_without_nones(one) for one in remove_per_instance_stats_nans(per_instance)],
    )


def json_text(value: Any) -> str:
    """Return `value` as HELM writes its files."""
    return json.dumps(value, indent=2)
