"""A suite whose runs have different judges, as helm-server and the terminal show it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import HelmRun, Run


def test_the_leaderboard_says_who_judged(mini: Path, helm_run: HelmRun, run: Run, workdir: Path) -> None:
    """First what is known of the judges, then that rows cannot be compared; each table names its rows' judges."""
    entry = "impactbench:benchmark=mini,turns=1,user=litellm/openai/user-x,judge=litellm/openai/judge-y"
    helm_run("target-a", options=",turns=1", extra=("--run-specs", f"{entry},model=litellm/openai/target-b"))
    shown = run("impactbench", "summarize", "--suite", "s").stdout
    table = shown[shown.index("Judge not checked. litellm/openai/judge-x and litellm/openai/judge-y were not") :]
    assert "WARNING: Different runs have different judges: do not compare them." in table
    assert "Rank -: the model has no score" in table
    tables = json.loads((workdir / "benchmark_output/runs/s/groups/mini.json").read_text())
    for found in tables:
        assert [cell["value"] for cell in found["header"]][-1] == "Judge"
        assert {row[-1]["value"] for row in found["rows"]} == {"litellm/openai/judge-x", "litellm/openai/judge-y"}
