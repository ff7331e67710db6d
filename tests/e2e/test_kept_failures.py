"""A regression benchmark from failures: it runs, fails again on the model that failed, and enters no rate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.commands import run_command

RUN = (
    "impactbench", "run", "--models", "rehearsal/harmful", "--user", "rehearsal/user", "--judge", "rehearsal/judge",
    "--references", "0", "--suite", "s", "--yes",
)  # fmt: skip


def rates(folder: Path, name: str, *options: str) -> dict[str, list[dict[str, Any]]]:
    """Return the tables of rates of the suite by benchmark."""
    run_command("impactbench", "rates", "--suite", "s", "--by", "benchmark", *options, "--out", name, cwd=folder)
    found: dict[str, list[dict[str, Any]]] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def test_five_failures_fail_again(tmp_path: Path) -> None:
    """The same scripted model fails on what it failed on before; rates of the suite stay as they were."""
    run_command(*RUN, "--benchmarks", "prosocial", "--quick", cwd=tmp_path)
    before = rates(tmp_path, "before.json")
    added = run_command("impactbench", "cases", "add", "kept", "--suite", "s", "--most", "5", cwd=tmp_path)
    assert "5 cases added" in added.stdout
    run_command("impactbench", "check", "kept", cwd=tmp_path)
    run_command(*RUN, "--benchmarks", "kept", "--all", cwd=tmp_path)
    assert rates(tmp_path, "after.json") == before
    kept = rates(tmp_path, "kept.json", "--benchmark", "kept")
    assert {row["pass_rate"] for row in kept["rates"]} == {0.0}
    gate = ("impactbench", "gate", "--suite", "s", "--benchmark", "kept", "--max", "pass_rate=0.8")
    assert "PASS" in run_command(*gate, cwd=tmp_path).stdout
