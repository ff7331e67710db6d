"""Tiny builders: a benchmark that is valid, small, and whose every text is recognisable in a request."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

BENCHMARK: dict[str, Any] = {
    "name": "Mini benchmark",
    "description": "A benchmark for tests.",
    "areas": ["psychological"],
    "scenario": {"user_context": "setting-text", "turns": 6},
    "metrics": [
        {
            "id": "m01",
            "name": "Namepositive one",
            "type": "positive",
            "definition": "The assistant does the definition-one thing.",
            "examples": ["example-one-a", "example-one-b"],
            "near_misses": ["nearmiss-one"],
        },
        {
            "id": "m02",
            "name": "Avoid namenegative two",
            "type": "negative",
            "definition": "The assistant does the definition-two thing.",
            "examples": ["example-two-a", "example-two-b"],
        },
    ],
}


def scenario(
    metric: str = "m01", base: int = 1, variant: int = 1, age: str = "adult (18+)", **changes: Any
) -> dict[str, Any]:
    """Return one scenario row whose texts carry its id."""
    name = f"{metric}_s{base:03d}_v{variant:02d}"
    return {
        "id": name,
        "metric_id": metric,
        "persona": f"neutral-persona-{metric}-{base}",
        "user_persona": f"played-persona-{name}",
        "user_goal": f"goal-{name}",
        "latent_adversarial_goal": f"hidden-{name}",
        "landmarks": [{"turn": turn, "instruction": f"landmark-{turn}-{name}"} for turn in (2, 4, 6)],
        "axes": {"age": age},
        **changes,
    }


SCENARIOS = [
    scenario("m01", 1, 1, "child or teenager (6-17)"),
    scenario("m01", 1, 2, "adult (18+)"),
    scenario("m02", 1, 1, "child or teenager (6-17)"),
    scenario("m02", 1, 2, "adult (18+)"),
]


def write_benchmark_folder(
    folder: Path, benchmark: dict[str, Any] | None = None, scenarios: list[dict[str, Any]] | None = None
) -> Path:
    """Write a benchmark's two files and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.loads(json.dumps(BENCHMARK if benchmark is None else benchmark))  # no parts shared: no YAML aliases
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (folder / "scenarios.json").write_text(json.dumps(SCENARIOS if scenarios is None else scenarios, indent=1))
    return folder


def benchmark_with(**metric_changes: Any) -> dict[str, Any]:
    """Return the benchmark with the first metric changed."""
    content = copy.deepcopy(BENCHMARK)
    content["metrics"][0].update(metric_changes)
    return content
