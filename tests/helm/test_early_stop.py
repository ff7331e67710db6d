"""Which runs may stop early, and in which order they draw."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.early_stop import check_early_stop
from helm_impactbench.process.helm_run import HelmRun, Program
from tests.support import builders

OPTIONS = RunOptions(benchmark="mini", user="u/u", judge=("j/j",), until_decided=0.8)
OURS = HelmRun(Program.HELM_RUN, runner="helm_impactbench.ParallelRunner")


def benchmark(**changes: Any) -> Benchmark:
    """Return the mini benchmark with its first metric changed."""
    content = builders.benchmark_with(**changes)
    return Benchmark.model_validate({"slug": "mini", **content, "scenarios": builders.SCENARIOS})


def test_a_run_of_our_runner_may_stop_early() -> None:
    """Nothing is in the way; nor is it for a command that only plans runs, or for a run that takes all."""
    check_early_stop(OPTIONS, benchmark(), OURS)
    check_early_stop(OPTIONS, benchmark(), HelmRun(Program.IMPACTBENCH))
    check_early_stop(OPTIONS.model_copy(update={"until_decided": None}), benchmark(), HelmRun(Program.HELM_RUN))


@pytest.mark.parametrize(
    ("changes", "run", "message"),
    [
        pytest.param(
            {}, HelmRun(Program.HELM_RUN), "add --runner-class-name helm_impactbench.ParallelRunner", id="helm"
        ),
        pytest.param({}, HelmRun(Program.SLURM_JOB), "needs a runner that looks at verdicts while it runs", id="slurm"),
        pytest.param({"judge": ()}, OURS, "judge=none gives none; name a judge", id="no judge"),
    ],
)
def test_what_cannot_stop_early_is_refused(changes: dict[str, Any], run: HelmRun, message: str) -> None:
    """It would take all, and pay for it: one line says what to do."""
    with pytest.raises(RunEntryError, match=message):
        check_early_stop(OPTIONS.model_copy(update=changes), benchmark(), run)


def test_verdicts_that_come_later_stop_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge whose calls wait for a batch has no say in when the run stops."""
    monkeypatch.setenv("IMPACTBENCH_JUDGE_CALLS", "batch")
    with pytest.raises(RunEntryError, match="unset IMPACTBENCH_JUDGE_CALLS, or leave until_decided= out"):
        check_early_stop(OPTIONS, benchmark(), OURS)


def test_a_contrast_has_no_pass_rate() -> None:
    """Its metric is named, and how to choose another."""
    contrast = {"axis": "age", "levels": ["child or teenager (6-17)", "adult (18+)"]}
    with pytest.raises(RunEntryError, match=r"a contrast has none \(mini: m01\); choose a metric"):
        check_early_stop(OPTIONS, benchmark(type="contrast", contrast=contrast, near_misses=[]), OURS)
