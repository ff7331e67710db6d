"""How a helm-run ends that has no results: a dry run, copies that HELM would make, and runs without a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import HelmRun, Run
from tests.support.killing import PARALLEL
from tests.support.openai_server import Body, OpenAIServer, default_answer

ENTRY = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"


@pytest.mark.parametrize("runner", [(), PARALLEL], ids=["helm", "parallel"])
def test_a_dry_run_leaves_results_alone(mini: Path, run: Run, workdir: Path, runner: tuple[str, ...]) -> None:
    """What it writes is kept apart: without results a suite stays empty, and with some they stay as they were."""
    runs = workdir / "benchmark_output/runs/s"
    command = ("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 100, *runner)
    run(*command, "--dry")
    assert list(runs.glob("impactbench*")) == []
    (planned,) = (workdir / "benchmark_output/dry_runs/s").glob("impactbench*")
    assert (planned / "scenario_state.json").is_file()
    run(*command)
    before = {path.name: path.read_bytes() for path in runs.glob("impactbench*/*")}
    run(*command, "--dry-run")
    assert {path.name: path.read_bytes() for path in runs.glob("impactbench*/*")} == before
    assert "mixed" in run("impactbench", "rates", "--suite", "s").stdout


def test_copies_of_conversations_are_refused_before_the_first_call(
    mini: Path, helm_run: HelmRun, server: OpenAIServer
) -> None:
    """One line instead of two conversations with one id."""
    done = helm_run("target-a", options=",data_augmentation=robustness", ok=False)
    assert done.returncode == 2
    assert done.stderr.count("impactbench: ") == 1
    assert "data_augmentation= would only repeat the same conversation (MildMixPerturbation" in done.stderr
    assert "axes=wording" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert server.requests == []


@pytest.mark.parametrize("runner", [(), PARALLEL], ids=["helm", "parallel"])
def test_a_run_without_a_verdict_is_named_at_the_end(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, runner: tuple[str, ...]
) -> None:
    """With reasons, numbers and the first error's words, in the last line, and exit code 3; no run with verdicts is."""

    def answer(body: Body) -> object:
        return (500, {"error": {"message": "broken"}}) if body["model"] == "target-b" else default_answer(body)

    server.answer = answer
    done = helm_run("target-a", "target-b", options=",turns=1", extra=runner, ok=False, IMPACTBENCH_ATTEMPTS="1")
    assert done.returncode == 3
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert line == done.stderr.splitlines()[-1]
    assert (
        "model=openai_target-b has no figures, because none of its 4 conversations has a verdict (target_error: 4). "
        "The first: Turn 1, target: litellm/openai/target-b: " in line
    )
    assert "broken" in line
    assert line.endswith(" impactbench explain --suite s lists them.")


def test_another_deployment_of_the_model_does_not_replace_results(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """HELM gives both one folder: refused before the first call, also within one command; a repetition is not."""
    helm_run("target-a", options=",turns=1")
    before = {path: path.read_bytes() for path in workdir.glob("benchmark_output/runs/s/impactbench*/*")}
    calls = len(server.requests)
    other = helm_run("openai/target-a", options=",turns=1", ok=False)
    both = helm_run("target-b", "openai/target-b", options=",turns=1", ok=False)
    assert (other.returncode, both.returncode) == (2, 2)
    assert "would replace those of litellm/openai/target-a in suite s. Use another --suite for" in other.stderr
    assert "would replace those of litellm/openai/target-b in this command. Use another" in both.stderr
    assert {path: path.read_bytes() for path in workdir.glob("benchmark_output/runs/s/impactbench*/*")} == before
    assert len(server.requests) == calls
    helm_run("target-a", options=",turns=1")
    helm_run("openai/target-a", options=",turns=1", suite="t")
