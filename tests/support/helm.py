"""Read what helm-run left behind."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def run_folder(root: Path, suite: str, part: str) -> Path:
    """Return the one run folder of a suite whose name contains `part`."""
    (found,) = [path for path in (root / "benchmark_output/runs" / suite).iterdir() if part in path.name]
    return found


def read(folder: Path, name: str) -> Any:
    """Return one JSON file of a run."""
    return json.loads((folder / f"{name}.json").read_text())


def stats(folder: Path, name: str) -> dict[str | None, tuple[float, int]]:
    """Return (sum, count) of a statistic by sub-split."""
    path = folder / "stats.json"
    return dict(_stats_by_name(path, path.stat().st_mtime_ns).get(name, {}))


@lru_cache(maxsize=100)
def _stats_by_name(path: Path, _changed: int) -> dict[str, dict[str | None, tuple[float, int]]]:
    """Return every statistic of a file: tests look up thousands, and parsing takes longer than all of them."""
    found: dict[str, dict[str | None, tuple[float, int]]] = {}
    for stat in json.loads(path.read_text()):
        name = stat["name"]
        found.setdefault(name["name"], {})[name.get("sub_split")] = (stat["sum"], stat["count"])
    return found


def total(folder: Path, name: str) -> tuple[float, int]:
    """Return (sum, count) of a statistic over all sub-splits."""
    values = stats(folder, name).values()
    return sum(value for value, _ in values), sum(count for _, count in values)


def verdicts(folder: Path) -> dict[str, dict[str, Any]]:
    """Return instance id -> verdict."""
    return {
        state["instance"]["id"]: state["annotations"]["impactbench"]["record"]["verdict"]
        for state in read(folder, "scenario_state")["request_states"]
    }


def conversations(folder: Path) -> dict[str, dict[str, Any]]:
    """Return instance id -> conversation."""
    return {
        state["instance"]["id"]: state["result"]["completions"][0]["finish_reason"]["conversation"]
        for state in read(folder, "scenario_state")["request_states"]
    }
