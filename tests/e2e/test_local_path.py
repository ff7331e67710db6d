"""Limits are read beside whatever --local-path names, in each form of it, and in a job of HELM's SlurmRunner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.slurm_runner import SlurmRunnerSpec
from helm.common.authentication import Authentication
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.common.codec import to_json

from tests.e2e.conftest import run_mini
from tests.support.commands import command_environment
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer


class CountingServer(OpenAIServer):
    """A server that knows how many calls it had at once at most."""

    def __init__(self) -> None:
        self.at_once = self.most = 0
        self._counting = threading.Lock()
        super().__init__(answer=self._counted)

    def _counted(self, body: Body) -> Answer:
        with self._counting:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        time.sleep(0.05)
        with self._counting:
            self.at_once -= 1
        return default_answer(body)


@pytest.fixture
def counting() -> Iterator[CountingServer]:
    """A server that counts."""
    server = CountingServer()
    yield server
    server.close()


@pytest.fixture
def elsewhere(mini: Path, workdir: Path) -> str:
    """The name of a local path with a limit of one call in flight."""
    (workdir / "elsewhere").mkdir()
    rule = {"deployments": ["litellm/openai/*"], "max_in_flight": 1}
    (workdir / "elsewhere/limits.yaml").write_text(yaml.safe_dump({"limits": [rule]}))
    return "elsewhere"


def test_helm_run_takes_the_limits_of_another_local_path(
    elsewhere: str, workdir: Path, counting: CountingServer
) -> None:
    """Also where the option is shortened, as argparse allows."""
    run_mini(workdir, counting, "target-a", options=",turns=1", extra=("--local", elsewhere))
    assert counting.most == 1
    assert not (workdir / "prod_env").exists()


def test_a_slurm_job_takes_the_limits_of_its_specification(
    elsewhere: str, workdir: Path, counting: CountingServer
) -> None:
    """The same command that HELM's SlurmRunner submits, with the run spec of a helm-run that came before."""
    run_mini(workdir, counting, "target-a", options=",turns=1", extra=("--local-path", "another"), suite="before")
    assert counting.most > 1, "without the limit there are several at once"
    (before,) = (workdir / "benchmark_output/runs/before").glob("impactbench*")
    cache = SqliteCacheBackendConfig(f"{elsewhere}/cache")
    (workdir / cache.path).mkdir()
    execution = ExecutionSpec(None, Authentication(""), elsewhere, parallelism=4, sqlite_cache_backend_config=cache)
    spec = SlurmRunnerSpec(execution, "benchmark_output", "s", False, False, False, False, False)
    (workdir / "spec.json").write_text(to_json(spec))
    counting.most = 0
    subprocess.run(
        [sys.executable, "-m", "helm.benchmark.slurm_runner", "--slurm-runner-spec-path", "spec.json",
         "--run-spec-path", str(before / "run_spec.json")],
        cwd=workdir, check=True, capture_output=True,
        env=command_environment(OPENAI_API_KEY="sk-test", OPENAI_API_BASE=counting.url),
    )  # fmt: skip
    assert counting.most == 1
    stats = [json.loads((path / "stats.json").read_text()) for path in (before, before.parents[1] / "s" / before.name)]
    assert stats[0] == stats[1]
    assert os.listdir(workdir / cache.path)
