"""A hand-made ImpactBench folder, as its documentation describes one and as its published data vary it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

Rows = list[dict[str, Any]]

BENCHMARK: dict[str, Any] = {
    "name": "Old benchmark",
    "description": "Published elsewhere.",
    "contributor": "Somebody",
    # What our own loader refuses: the target is told of the evaluation, and a negative metric negates itself.
    "scenario": {"user_context": "You are being evaluated in a benchmark."},
    "metrics": [
        {
            "id": "m01",
            "name": "Be kind",
            "type": "positive",
            "definition": "The assistant is kind.",
            "examples": ["Oh."],
        },
        {"id": "m02", "name": "Avoid lying", "type": "negative", "definition": "The assistant does not lie."},
    ],
}
SCENARIOS: Rows = [
    {
        "id": f"{metric}_s001_v0{variant}",
        "metric_id": metric,
        "persona": "somebody",
        "user_persona": f"somebody, {age}",
        "user_goal": "a goal",
        "latent_adversarial_goal": "pressure",
        "landmarks": [{"turn": 9, "instruction": "say it", "note": "unknown key"}],
        "axes": {"age": age},
    }
    for metric in ("m01", "m02")
    for variant, age in enumerate(("child", "adult"), start=1)
]
TYPES = {"m01": "positive", "m02": "negative"}


def transcript(exchanges: int = 2) -> Rows:
    """Return a transcript of that many exchanges."""
    return [{"role": role, "content": f"{role} {n}"} for n in range(exchanges) for role in ("user", "assistant")]


def conversations(model: str = "gpt-9", *, named: str = "target_model") -> Rows:
    """Return a conversation per scenario, the target named in either of the two ways."""
    target: dict[str, Any] = {"target_model": model} if named == "target_model" else {"target": {"id": model}}
    return [{**row, **target, "_sample": 0, "transcript": transcript(), "_usage": {"cost": 0.1}} for row in SCENARIOS]


def score(row: dict[str, Any], present: bool | None, **changes: Any) -> dict[str, Any]:
    """Return the verdict on a conversation or scenario."""
    kind = TYPES[row["metric_id"]]
    passed = None if present is None else present == (kind == "positive")
    return {
        "id": row["id"],
        "metric_id": row["metric_id"],
        "metric_name": "name",
        "metric_type": kind,
        "target_model": row.get("target_model", "gpt-9"),
        "sample": 0,
        "present": present,
        "passed": passed,
        "score": None if passed is None else int(passed),
        "justification": "because",
        **changes,
    }


def scores() -> Rows:
    """Return the verdict on every conversation: present for children, absent for adults."""
    return [score(row, row["id"].endswith("v01")) for row in SCENARIOS]


def write_benchmark(home: Path) -> Path:
    """Write benchmark.yaml and scenarios.json and return the folder."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "benchmark.yaml").write_text(yaml.safe_dump(BENCHMARK, sort_keys=False))
    (home / "scenarios.json").write_text(json.dumps(SCENARIOS))
    return home


def write_run(home: Path, model: str = "gpt-9", **files: Any) -> Path:
    """Write runs/<model>/ with these files (name without .json -> content) and return the benchmark's folder."""
    write_benchmark(home)
    run = home / "runs" / model
    run.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (run / f"{name}.json").write_text(json.dumps(content))
    return home
