"""Hand-written run folders of HELM's suites, as HELM writes them, and their outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.areas import REQUEST
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.external.table import BY_GROUP
from tests.support.outcomes import outcome


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
    arguments: Mapping[str, Any] | None = None,
) -> Path:
    """Write a finished run and return its folder; `labels` are the instances' correct references.

    `arguments` are those of the HELM scenario.
    """
    folder = suite / name.replace("/", "_")
    folder.mkdir(parents=True)
    states = [
        {"instance": {"id": instance, "references": [
            {"output": {"text": "a note"}, "tags": []}, {"output": {"text": label}, "tags": ["correct"]}]}}
        for instance, label in (labels or {}).items()
    ]  # fmt: skip
    files = {
        "run_spec": {
            "name": name,
            "groups": list(groups),
            "adapter_spec": {"model_deployment": model},
            "scenario_spec": {"class_name": "helm.benchmark.scenarios.Some", "args": dict(arguments or {})},
        },
        "scenario": {},
        "scenario_state": {"request_states": states},
        "stats": [],
        "per_instance_stats": list(rows),
    }
    for file, content in files.items():
        (folder / f"{file}.json").write_text(json.dumps(content))
    return folder


def answers(
    benchmark: str,
    model: str,
    *values: float | None,
    setup: str = "",
    clusters: Sequence[str] = (),
    requests: Sequence[str] = (),
) -> list[Outcome]:
    """Return outcomes of a suite, one per value; None is unscored. `requests` say what each prompt asks for."""
    suite = BY_GROUP[benchmark.removeprefix("panel_")]
    asked = requests or ["harmful" if suite.asks_for_harm else ""] * len(values)
    return [
        outcome(
            None if value is None else True,
            benchmark=benchmark,
            model=model,
            setup=setup or benchmark,
            base_id=f"{setup}/{clusters[i] if clusters else f'id{i}'}",
            variant_id=f"{setup}/id{i}",
            value=value,
            score=value,
            scale="interval",
            area=suite.area,
            factors=((REQUEST, asked[i]),) if asked[i] else (),
        )
        for i, value in enumerate(values)
    ]
