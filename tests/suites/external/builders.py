"""Hand-written run folders of HELM's suites, as HELM writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.suites.external.names import SUITES
from helm_impactbench.suites.external.runs import SuiteRun

BY_GROUP = {suite.group: suite for suite in SUITES}


def stat(name: str, value: float, split: str = "test", **context: Any) -> dict[str, Any]:
    """Return one statistic of one instance."""
    return {"name": {"name": name, "split": split, **context}, "count": 1, "sum": value, "mean": value}


def row(instance: str, *stats: dict[str, Any], trial: int = 0, **more: Any) -> dict[str, Any]:
    """Return one entry of per_instance_stats.json."""
    return {"instance_id": instance, "train_trial_index": trial, "stats": list(stats), **more}


def write_run(
    suite: Path,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    groups: Sequence[str],
    model: str = "a/one",
    labels: Mapping[str, str] | None = None,
) -> Path:
    """Write a finished run and return its folder; `labels` are the instances' correct references."""
    folder = suite / name.replace("/", "_")
    folder.mkdir(parents=True)
    states = [
        {"instance": {"id": instance, "references": [
            {"output": {"text": "a note"}, "tags": []}, {"output": {"text": label}, "tags": ["correct"]}]}}
        for instance, label in (labels or {}).items()
    ]  # fmt: skip
    files = {
        "run_spec": {"name": name, "groups": list(groups), "adapter_spec": {"model_deployment": model}},
        "scenario": {},
        "scenario_state": {"request_states": states},
        "stats": [],
        "per_instance_stats": list(rows),
    }
    for file, content in files.items():
        (folder / f"{file}.json").write_text(json.dumps(content))
    return folder


def run(group: str, model: str, *values: float, **changes: Any) -> SuiteRun:
    """Return a run of a suite in which every instance is scored."""
    names = tuple(f"id{i}" for i in range(len(values)))
    given = {"setup": group, "instances": len(values), "clusters": names, **changes}
    return SuiteRun(BY_GROUP[group.removeprefix("panel_")], model, values=values, **given)
