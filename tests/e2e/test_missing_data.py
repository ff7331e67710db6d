"""HELM's suites beside ours where their data are not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import run_command

MINI = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge"
OTHERS = ("mmlu:subject=abstract_algebra,method=multiple_choice_joint", "gsm:stop=none")


@pytest.mark.parametrize("runner", [(), ("--runner-class-name", "helm_impactbench.ParallelRunner")])
def test_runs_without_data_end_in_one_line_after_the_others(mini: Path, workdir: Path, runner: tuple[str, ...]) -> None:
    """It names the entries and what fetches their data; no download leaves a traceback of its own."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = run_command("helm-run", "--run-entries", *OTHERS, MINI, "--models-to-run", "rehearsal/supportive",
                       "--suite", "s", "-m", 2, *runner, cwd=workdir, ok=False, **nowhere)  # fmt: skip
    assert done.returncode == 2
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert message == (
        "impactbench: 2 runs have no result, as the data of gsm and mmlu are not here: mmlu:subject=abstract_algebra, "
        "gsm. Fetch them where there is a network: impactbench fetch gsm mmlu. All other runs are finished, and the "
        "same command continues."
    )
    assert len(list((workdir / "benchmark_output/runs/s").glob("impactbench*/stats.json"))) == 1
    assert "URLError" not in done.stdout + done.stderr
