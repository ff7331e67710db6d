"""The command `python -m tools.fairness`: write scenarios.json of the fairness benchmarks from frames and cues."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from helm_impactbench.benchmark.cues import load_cues
from helm_impactbench.files.safe_yaml import load_yaml
from tools.fairness.cases import blocks

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
SLUGS = ("name-bias", "financial-fairness", "user-bias")


def text(slug: str) -> str:
    """Return what scenarios.json of a benchmark has to hold."""
    folder = BENCHMARKS / slug
    canary = load_yaml((folder / "benchmark.yaml").read_text(encoding="utf-8"))["canary"]
    (cues,) = load_cues(folder)
    entries = list(blocks(slug, load_yaml((HERE / f"{slug}.yaml").read_text(encoding="utf-8")), cues, canary))
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or SLUGS:
        (BENCHMARKS / name / "scenarios.json").write_text(text(name), encoding="utf-8")
