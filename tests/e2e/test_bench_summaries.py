"""The bench of the commands that read a suite, on a suite of one benchmark and two made-up models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import command_environment

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.long


def test_the_made_up_suite_is_one_that_the_commands_read(tmp_path: Path) -> None:
    """144 conversations; two commands measured and well; of the user's calls the 72 openings are paid once."""
    subprocess.run(
        [sys.executable, "-m", "bench.summaries", "--root", tmp_path, "--models", "2", "--conversations", "1",
         "--benchmarks", "1", "--only", "costs", "compare"],
        cwd=ROOT, env=command_environment(), check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    found = json.loads((tmp_path / "summaries.json").read_text())
    assert found["conversations"] == 144
    assert [one["name"] for one in found["commands"]] == ["costs", "compare"]
    assert all(one["exit_code"] == 0 and one["cpu_seconds"] > 0 < one["peak_megabytes"] for one in found["commands"])
    output = tmp_path / "costs.json"
    subprocess.run(
        [Path(sys.executable).with_name("impactbench"), "costs", "--suite", "big", "--out", output],
        cwd=tmp_path, env=command_environment(), check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    total = json.loads(output.read_text())["total"][0]
    assert total["calls_each_run_alone"] - total["calls"] == 72
