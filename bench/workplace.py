"""A working directory in which helm-run meets the bench's server, and the server itself."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from helm_impactbench.process.child import HELM_RUN

USER, JUDGE = "bench/user-sim", "bench/judge-one"
TARGETS = tuple(f"bench/target-{name}" for name in "abcd")
BENCHMARKS = ("cognitive-bias", "flourishing", "health-advice", "human-agency")
COMMAND = (str(Path(sys.executable).with_name("helm-run")),)
QUICK_COMMAND = (sys.executable, str(HELM_RUN))
"""helm-run as `impactbench run` starts it."""
PARALLEL = "helm_impactbench.ParallelRunner"


@dataclass(frozen=True)
class Spent:
    """What one process took."""

    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    first_call_seconds: float
    """From the start of the process to the first call; imports and HELM's configuration."""
    seen: dict[str, Any]
    """What the server was sent."""
    cpu_over_time: tuple[tuple[float, float], ...] = ()
    """(seconds since the epoch, CPU seconds so far), every twentieth of a second."""

    @property
    def first_call_cpu_seconds(self) -> float:
        """CPU seconds up to the first call."""
        return max((cpu for moment, cpu in self.cpu_over_time if moment <= self.seen["first"]), default=0.0)

    @property
    def calls(self) -> int:
        return int(sum(self.seen["calls"].values()))


class Workplace:
    """A temporary directory, a running server, and helm-run between them."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.url = folder, f"http://127.0.0.1:{port}"
        deployments = [_deployment(name, self.url) for name in (USER, JUDGE, *TARGETS)]
        models = [_model(name) for name in (USER, JUDGE, *TARGETS)]
        (folder / "prod_env").mkdir()
        (folder / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": deployments}))
        (folder / "prod_env/model_metadata.yaml").write_text(yaml.safe_dump({"models": models}))

    def ask(self, path: str) -> dict[str, Any]:
        """Ask the server something of its own."""
        with urllib.request.urlopen(f"{self.url}/{path}") as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def helm_run(
        self,
        conversations: int,
        threads: int,
        *,
        benchmarks: Sequence[str] = BENCHMARKS[:1],
        targets: Sequence[str] = TARGETS[:1],
        turns: int = 6,
        suite: str = "bench",
        workers: int = 1,
        command: Sequence[str] = COMMAND,
    ) -> Spent:
        """Run helm-run over so many conversations in each (benchmark, target) and return what it took."""
        self.ask("forget")
        samples = max(1, -(-conversations // 70))
        entries = [
            f"impactbench:benchmark={benchmark},user={USER},judge={JUDGE},turns={turns},samples={samples},model={target}"
            for benchmark in benchmarks
            for target in targets
        ]
        arguments = ["--run-entries", *entries, "--suite", suite, "-m", conversations, "-n", threads]
        environment = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "IMPACTBENCH_WORKERS": str(workers)}
        began = time.time()
        with (self.folder / "log").open("w") as log:
            process = subprocess.Popen(
                [*command, *map(str, arguments), "--runner-class-name", PARALLEL],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            over_time: list[tuple[float, float]] = []
            sampler = threading.Thread(target=_sample_cpu, args=(process.pid, over_time), daemon=True)
            sampler.start()
            _, status, usage = os.wait4(process.pid, 0)
            sampler.join()
        wall = time.time() - began
        if status:
            raise RuntimeError(f"helm-run failed:\n{(self.folder / 'log').read_text()[-3000:]}")
        seen = self.ask("seen")
        first = (seen["first"] or began) - began
        return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, first, seen, tuple(over_time))


def _sample_cpu(process: int, samples: list[tuple[float, float]]) -> None:
    """Note the CPU seconds of a process until it ends."""
    ticks = os.sysconf("SC_CLK_TCK")
    with suppress(FileNotFoundError, ProcessLookupError):
        while True:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z":
                return
            samples.append((time.time(), (int(fields[11]) + int(fields[12])) / ticks))
            time.sleep(0.05)


@contextmanager
def workplace(latency: float, *options: str) -> Iterator[Workplace]:
    """Serve with a latency in seconds, in a directory that is removed afterwards."""
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.server", "--latency", str(latency), *options],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = int((server.stdout.readline() if server.stdout else "") or 0)
        with tempfile.TemporaryDirectory(prefix="impactbench-bench-") as folder:
            yield Workplace(Path(folder), port)
    finally:
        server.terminate()
        server.wait()


def _deployment(name: str, url: str) -> dict[str, Any]:
    return {
        "name": name,
        "model_name": name,
        "tokenizer_name": "simple/tokenizer1",
        "max_sequence_length": 100_000,
        "client_spec": {
            "class_name": "helm_impactbench.helm.litellm_client.LiteLLMClient",
            "args": {"litellm_model": f"openai/{name.removeprefix('bench/')}", "api_base": f"{url}/v1"},
        },
    }


def _model(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "display_name": name,
        "description": "Answers of the bench's server.",
        "creator_organization_name": "bench",
        "access": "open",
        "release_date": datetime.date(2026, 1, 1),
        "tags": ["TEXT_MODEL_TAG", "INSTRUCTION_FOLLOWING_MODEL_TAG"],
    }
