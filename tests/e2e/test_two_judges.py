"""What a reader of a suite must know whose runs differ: in their judges, or in how much of a benchmark they took."""

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


def test_a_part_that_helm_drew_is_said(mini: Path, run: Run) -> None:
    """How many of how many conversations; nothing of a run that took all, or whose benchmark has changed since."""
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/"
    run("helm-run", "--run-entries", f"{entry}mixed", "--suite", "s", "-m", 2)
    run("helm-run", "--run-entries", f"{entry}harmful", "--suite", "s", "-m", 4)
    note = "mini, rehearsal/mixed: 2 of 4 conversations, drawn at random by -m."
    assert note in run("impactbench", "rates", "--suite", "s").stdout
    assert (
        "2 of 4 conversations" not in run("impactbench", "rates", "--suite", "s", "--model", "rehearsal/harmful").stdout
    )
    assert "2 of 4 conversations" in run("impactbench", "rates", "--suite", "s", "--metric", "m02").stdout
    file = mini / "benchmark.yaml"
    file.write_text(file.read_text().replace("Namepositive one", "Namepositive other"))
    assert "drawn at random" not in run("impactbench", "rates", "--suite", "s").stdout
