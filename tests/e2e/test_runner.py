"""ParallelRunner: HELM's results without HELM's barriers, under limits and a budget."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import run_mini
from tests.support import builders
from tests.support.commands import run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer, text_of

PARALLEL = ("--runner-class-name", "helm_impactbench.ParallelRunner")
TARGETS = ("target-a", "target-b", "target-c")
PER_TOKEN = 0.0001
"""US dollars."""
CLOCKS = {"request_time", "request_datetime", "cached", "call", "seconds"}


def written(root: Path, suite: str) -> dict[str, Any]:
    """Return every file that a suite's runs hold, without clock fields and cache flags."""
    runs = root / "benchmark_output/runs" / suite
    return {
        f"{path.parent.name}/{path.name}": without_clocks(json.loads(path.read_text()))
        for path in sorted(runs.glob("*/*.json"))
    }


def without_clocks(data: Any) -> Any:
    """Return the data without what differs from run to run by nature."""
    if isinstance(data, dict):
        clock_stat = isinstance(data.get("name"), dict) and data["name"].get("name") == "inference_runtime"
        return {} if clock_stat else {key: without_clocks(value) for key, value in data.items() if key not in CLOCKS}
    return [without_clocks(item) for item in data] if isinstance(data, list) else data


@pytest.mark.parametrize("workers", [1, 2])
def test_the_files_are_those_of_helms_own_runner(mini: Path, workdir: Path, server: OpenAIServer, workers: int) -> None:
    """Clocks and cache flags aside, all files are equal; every call is made once, openings once for all targets."""
    run_mini(workdir, server, *TARGETS, suite="own")
    ours = workdir / "elsewhere"
    builders.write_benchmark_folder(ours / "benchmarks/mini")
    calls = sorted(json.dumps(body, sort_keys=True) for body in server.requests)
    server.forget()
    done = run_mini(ours, server, *TARGETS, suite="own", extra=PARALLEL, IMPACTBENCH_WORKERS=str(workers))
    assert written(ours, "own") == written(workdir, "own")
    assert sorted(json.dumps(body, sort_keys=True) for body in server.requests) == calls
    assert "Progress: 12 instances (100%), 3 of 3 runs" in done.stderr + done.stdout


def test_all_runs_share_the_threads_and_a_verdict_waits_for_nobody(mini: Path, workdir: Path) -> None:
    """Conversations of several runs are held together, and judges are asked before the last conversation is over."""
    lock, order, at_once, most = threading.Lock(), [], [0], [0]

    def slow(body: Body) -> Answer:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.05)
        with lock:
            at_once[0] -= 1
            order.append(body["model"])
        return default_answer(body)

    server = OpenAIServer(answer=slow)
    try:
        run_mini(workdir, server, *TARGETS, extra=(*PARALLEL, "-n", "9"))
    finally:
        server.close()
    first_verdict = next(i for i, model in enumerate(order) if model.startswith("judge"))
    assert most[0] > 4, "a run has four conversations, so that more at once belong to several runs"
    assert any(model.startswith("target") for model in order[first_verdict:])


def test_a_limit_on_calls_in_flight_is_kept(mini: Path, workdir: Path) -> None:
    """With max_in_flight 2 for the provider, the server never has more than two calls, however many threads."""
    lock, at_once, most = threading.Lock(), [0], [0]

    def counted(body: Body) -> Answer:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        return default_answer(body)

    (workdir / "prod_env").mkdir()
    limits = {"limits": [{"deployments": ["litellm/openai/*"], "max_in_flight": 2}]}
    (workdir / "prod_env/limits.yaml").write_text(yaml.safe_dump(limits))
    server = OpenAIServer(answer=counted)
    try:
        run_mini(workdir, server, "target-a", "target-b", extra=(*PARALLEL, "-n", "8"))
    finally:
        server.close()
    assert most == [2]


def priced(workdir: Path, server: OpenAIServer) -> None:
    """Make deployments whose prompts cost a hundredth of a cent per token."""
    arguments = {"api_base": server.url, "input_cost_per_token": PER_TOKEN, "output_cost_per_token": 0.0}
    deployments = [
        {
            "name": f"own/{name}",
            "model_name": f"own/{name}",
            "client_spec": {
                "class_name": "helm_impactbench.helm.litellm_client.LiteLLMClient",
                "args": {"litellm_model": f"openai/{name}", **arguments},
            },
        }
        for name in ("user-x", "judge-x", "target-a")
    ]
    (workdir / "prod_env").mkdir()
    (workdir / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": deployments}))


def cost(body: Body) -> float:
    """Return what the server charges for a request."""
    return len(text_of(body)) // 4 * PER_TOKEN


def counting(body: Body) -> Answer:
    """Answer with the token count that is charged."""
    answer = default_answer(body)
    return {
        "role": "assistant",
        "content": answer,
        "usage": {"prompt_tokens": len(text_of(body)) // 4, "completion_tokens": 10},
    }


@pytest.mark.parametrize("runner", [(), PARALLEL], ids=["helm", "parallel"])
def test_a_budget_is_never_passed_and_a_higher_one_goes_on(
    mini: Path, workdir: Path, server: OpenAIServer, runner: tuple[str, ...]
) -> None:
    """It stops with exit code 2 and the sums; raised, the same command finishes without a call made twice."""
    server.answer = counting
    priced(workdir, server)
    entry = "impactbench:benchmark=mini,user=own/user-x,judge=own/judge-x,model=own/target-a"
    command = ("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, "-n", 4, *runner)
    stopped = run_command(*command, cwd=workdir, ok=False, IMPACTBENCH_MAX_COST_USD="1.20")
    assert stopped.returncode == 2, stopped.stderr[-3000:]
    assert "the budget of $1.20 (IMPACTBENCH_MAX_COST_USD) is used up" in stopped.stderr
    assert "Traceback" not in stopped.stderr + stopped.stdout
    assert 0.6 < sum(map(cost, server.requests)) <= 1.2
    assert not list((workdir / "benchmark_output/runs/s").glob("*/stats.json"))

    run_command(*command, cwd=workdir, IMPACTBENCH_MAX_COST_USD="100")
    bodies = [json.dumps(body, sort_keys=True) for body in server.requests]
    assert len(bodies) == len(set(bodies)) == 4 * (2 * 6 + 1)
    lines = (workdir / "benchmark_output/runs/s/spending.jsonl").read_text().splitlines()
    assert sum(json.loads(line).get("cost_usd", 0.0) for line in lines) == pytest.approx(
        sum(map(cost, server.requests))
    )


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("IMPACTBENCH_WORKERS", "0", "IMPACTBENCH_WORKERS is '0', but it must be a whole number from 1"),
        ("IMPACTBENCH_WORKERS", "50", "cannot be more than --num-threads (4)"),
        ("IMPACTBENCH_PROGRESS_SECONDS", "soon", "IMPACTBENCH_PROGRESS_SECONDS is 'soon'"),
        (
            "IMPACTBENCH_MAX_COST_USD",
            "cheap",
            "IMPACTBENCH_MAX_COST_USD is 'cheap', but it must be an amount in US dollars",
        ),
    ],
)
def test_a_faulty_setting_ends_the_run_before_the_first_call(
    mini: Path, workdir: Path, server: OpenAIServer, variable: str, value: str, said: str
) -> None:
    """The variable is named with what is allowed, and nothing is paid."""
    done = run_mini(workdir, server, "target-a", extra=PARALLEL, ok=False, **{variable: value})
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert server.requests == []


def test_a_run_that_fails_leaves_the_others_alone(workdir: Path, mini: Path, server: OpenAIServer) -> None:
    """A benchmark that breaks while it is read fails its run by name; the other is whole, and the exit code tells."""
    plugin = workdir / "breaking_plugin.py"
    plugin.write_text(
        "from helm_impactbench.helm.scenario import ImpactBenchScenario as S\n"
        "whole = S.get_instances\n"
        "def get_instances(self, path):\n"
        "    if self.benchmark == 'other':\n"
        "        raise OSError('the disk is gone')\n"
        "    return whole(self, path)\n"
        "S.get_instances = get_instances\n"
    )
    builders.write_benchmark_folder(workdir / "benchmarks/other")
    entries = [
        f"impactbench:benchmark={name},user=litellm/openai/user-x,judge=litellm/openai/judge-x,model=litellm/openai/target-a"
        for name in ("other", "mini")
    ]
    arguments = ("--suite", "s", "-m", 100, "-n", 4, "--plugins", str(plugin), *PARALLEL)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    done = run_command("helm-run", "--run-entries", *entries, *arguments, cwd=workdir, ok=False, **keys)
    assert done.returncode == 1
    assert 'Failed runs: ["impactbench:benchmark=other' in done.stderr + done.stdout
    whole = [path.parent.name for path in (workdir / "benchmark_output/runs/s").glob("*/stats.json")]
    assert len(whole) == 1
    assert "benchmark=mini" in whole[0]
