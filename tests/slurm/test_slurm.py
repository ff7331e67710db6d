"""Two benchmarks x two models through HELM's SlurmRunner: the figures of a single process, and no call made twice."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import builders
from tests.support.commands import BIN, command_environment
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer

ON_SLURM = ("--runner-class-name", "helm.benchmark.slurm_runner.SlurmRunner")
RUNNER_CONFIG = """\
slurm_monitor_interval: 1
helm_max_concurrent_workers: 2
slurm_args:
  cpus_per_task: "1"
"""
"""Beside each other, and watched every second in place of every minute; HELM passes texts only."""
BENCHMARKS = ("mini", "other")
TARGETS = ("target-a", "target-b")
KEY = "sk-planted-on-slurm"
OPENINGS = len(BENCHMARKS) * len(builders.SCENARIOS)
CALLS = OPENINGS * (1 + len(TARGETS) * (1 + 2 + 1))
"""Two turns: an opening message for all targets; for each, the second message, two replies and a judge."""


def entries(role: str, *targets: str, benchmarks: tuple[str, ...] = BENCHMARKS) -> list[str]:
    """Return the run entries of benchmarks x targets; `role` is a template for the name of a deployment."""
    roles = f"user={role.format('user')},judge={role.format('judge')}"
    return [
        f"impactbench:benchmark={benchmark},turns=2,{roles},model={role.format(target)}"
        for benchmark in benchmarks
        for target in targets
    ]


REHEARSAL = entries("rehearsal/{}", "supportive", "harmful")
SERVED = entries("litellm/openai/{}", *TARGETS)


def answer(body: Body) -> Answer:
    """Refuse the key for one target; other models say something else at every call, as they do at temperature 1."""
    if body["model"] == "target-refused":
        return 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}
    answer.calls = getattr(answer, "calls", 0) + 1  # type: ignore[attr-defined]
    said = default_answer(body)
    return said if body["model"] == "judge" else f"{said} ({answer.calls})"  # type: ignore[attr-defined]


@dataclass
class Cluster:
    """A shared folder, a model server, and the variables with which commands reach Slurm."""

    folder: Path
    server: OpenAIServer
    variables: dict[str, str]

    def helm_run(self, suite: str, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        """Run helm-run in the shared folder."""
        done = subprocess.run(
            [str(BIN / "helm-run"), "--suite", suite, "-m", "1000", "-n", "4", *arguments],
            cwd=self.folder,
            env=command_environment(OPENAI_API_KEY=KEY, OPENAI_API_BASE=self.server.url, **self.variables),
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert (done.returncode == 0) == ok, f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done

    def files(self, suite: str, name: str) -> dict[str, str]:
        """Return run -> text of one of its files."""
        runs = sorted((self.folder / "benchmark_output/runs" / suite).glob(f"impactbench*/{name}"))
        return {path.parent.name: path.read_text() for path in runs}

    def calls(self) -> Counter[str]:
        """Return request -> how often it was made, and forget it."""
        made = Counter(json.dumps(body, sort_keys=True) for body in self.server.requests)
        self.server.forget()
        return made


def prepared(folder: Path) -> Path:
    """Put two benchmarks of the user's own and HELM's settings for Slurm into a folder."""
    for benchmark in BENCHMARKS:
        builders.write_benchmark_folder(folder / "benchmarks" / benchmark)
    (folder / "prod_env").mkdir()
    (folder / "prod_env/runner_config.yaml").write_text(RUNNER_CONFIG)
    return folder


@pytest.fixture(scope="module")
def cluster(slurm: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a shared folder and an empty cache."""
    server = OpenAIServer(answer)
    yield Cluster(prepared(tmp_path_factory.mktemp("shared")), server, slurm)
    server.close()


@pytest.fixture(scope="module")
def first(cluster: Cluster) -> Counter[str]:
    """The calls of the first run on Slurm: both kinds of models, an empty cache, and one job that cannot succeed."""
    refused = entries("litellm/openai/{}", "target-refused", benchmarks=BENCHMARKS[:1])
    done = cluster.helm_run("slurm", *ON_SLURM, "--run-entries", *REHEARSAL, *SERVED, *refused, ok=False)
    assert "Failed runs:" in done.stderr + done.stdout
    return cluster.calls()


def test_stats_are_those_of_a_single_process(cluster: Cluster, first: Counter[str], tmp_path: Path) -> None:
    """Eight jobs write the same statistics, byte for byte, as one process with a cache of its own."""
    single = Cluster(prepared(tmp_path), cluster.server, {})
    single.helm_run("slurm", "--run-entries", *REHEARSAL, *SERVED)
    assert single.calls().total() == CALLS
    for name in ("stats.json", "per_instance_stats.json", "scenario.json", "run_spec.json"):
        on_slurm, alone = cluster.files("slurm", name), single.files("slurm", name)
        assert len(alone) == len(REHEARSAL) + len(SERVED)
        assert on_slurm == alone


def test_no_call_is_made_twice(cluster: Cluster, first: Counter[str]) -> None:
    """Jobs that run side by side share the cache: each call is made once, an opening message by one of two targets."""
    made = {request: count for request, count in first.items() if '"target-refused"' not in request}
    assert [request for request, count in made.items() if count > 1] == []
    assert len(made) == CALLS


def test_targets_meet_the_same_openings(cluster: Cluster, first: Counter[str]) -> None:
    """The paired design holds between jobs although the simulated user never says the same thing twice."""
    openings: dict[tuple[str, str], set[str]] = {}
    for run, text in cluster.files("slurm", "scenario_state.json").items():
        if "openai" not in run:
            continue
        for state in json.loads(text)["request_states"]:
            turn = _conversation(state)["turns"][0]["user"]
            openings.setdefault((run.split(",")[0], state["instance"]["id"]), set()).add(turn)
    assert len(openings) == OPENINGS
    assert {len(said) for said in openings.values()} == {1}


def test_one_failed_job_is_named_and_spares_the_others(cluster: Cluster, first: Counter[str]) -> None:
    """A refused key ends its own job with a readable line; the other eight are finished."""
    (states,) = cluster.folder.glob("slurm/*/worker_slurm_jobs.json")
    ended = {run: job["state"] for run, job in json.loads(states.read_text()).items()}
    assert Counter(ended.values()) == {"COMPLETED": 8, "FAILED": 1}
    (failed,) = [run for run, state in ended.items() if state == "FAILED"]
    log = (states.parent / "logs" / f"{failed}.log").read_text()
    assert "impactbench: " in log
    assert "litellm/openai/target-refused" in log
    assert "Traceback" not in log


def test_the_key_is_in_no_file(cluster: Cluster, first: Counter[str]) -> None:
    """Slurm hands the environment to the jobs; neither HELM's job files nor logs nor results hold the key."""
    files = [path for path in cluster.folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_second_run_calls_nothing(cluster: Cluster, first: Counter[str]) -> None:
    """The same runs in another suite, again as jobs, come from the cache alone."""
    cluster.helm_run("again", *ON_SLURM, "--run-entries", *SERVED)
    assert cluster.calls() == {}
    before = cluster.files("slurm", "stats.json")
    assert cluster.files("again", "stats.json") == {run: before[run] for run in cluster.files("again", "stats.json")}
    assert len(cluster.files("again", "stats.json")) == len(SERVED)


def _conversation(state: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = state["result"]["completions"][0]["finish_reason"]["conversation"]
    return found
