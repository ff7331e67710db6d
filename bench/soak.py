"""Tens of thousands of calls under random faults, with an eye on memory, threads and open files.

    python -m bench.soak                            # 50,000 calls, 10% faults
    python -m bench.soak --runner helm_impactbench.ParallelRunner --calls 5000

A server on loopback answers within a millisecond and faults on a share of all calls. Many small runs follow one
another, so that every quarter of the time holds several whole runs and what a single run keeps until it is written
weighs the same in each. What grows from quarter to quarter is a leak.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.support import builders

TURNS = 6
BENCHMARKS = 8
TARGETS = ("target-a", "target-b")
"""Two, so that what is opened once for a model is open from the second run on."""
HELM_RUN = Path(sys.executable).with_name("helm-run")
ROOT = Path(__file__).parent.parent
MEMORY_SLACK = 1.10
"""Memory of the last quarter may be this much of the second's; allocators never give all back."""
COUNT_SLACK = 4
"""Threads and open files of the last quarter may be so many more than the second's."""


@dataclass(frozen=True)
class Sample:
    """The process and its children at one moment."""

    seconds: float
    calls: int
    memory_mb: float
    threads: float
    files: float


@dataclass(frozen=True)
class Report:
    """What a soak showed."""

    calls: int
    faults: int
    conversations: int
    unscored: int
    seconds: float
    exit_code: int
    tracebacks: int
    quarters: tuple[Sample, ...]
    """The medians of each quarter of the time, `calls` being those per second."""

    def problems(self) -> list[str]:
        """Return what is not as it should be."""
        second, last = self.quarters[1], self.quarters[3]
        found = []
        if self.exit_code or self.tracebacks:
            found.append(f"helm-run ended with {self.exit_code} and printed {self.tracebacks} tracebacks")
        if last.memory_mb > MEMORY_SLACK * second.memory_mb:
            found.append(f"memory grew from {second.memory_mb:.0f} to {last.memory_mb:.0f} MB")
        if last.threads > second.threads + COUNT_SLACK:
            found.append(f"threads grew from {second.threads:g} to {last.threads:g}")
        if last.files > second.files + COUNT_SLACK:
            found.append(f"open files grew from {second.files:g} to {last.files:g}")
        return found


def soak(folder: Path, *, calls: int, rate: float, threads: int, runner: str = "", every: float = 1.0) -> Report:
    """Hold as many conversations in `folder` as `calls` calls take, with a share `rate` of faults, and report.

    `runner` is the name of a HELM runner class, HELM's own when empty; `every` are the seconds between two samples.
    """
    rows = math.ceil(calls / BENCHMARKS / (len(TARGETS) * 2 * TURNS + 1))  # targets share the opening messages
    for slug in _slugs():
        _write_benchmark(folder / "benchmarks" / slug, rows)
    with _server(rate) as url:
        began = time.monotonic()
        process = _helm_run(folder, url, threads, runner)
        samples = _watch(process, url, every)
        seen, seconds = _seen(url), time.monotonic() - began
    printed = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")
    outcomes = list(_outcomes(folder))
    return Report(
        calls=seen["calls"],
        faults=seen["calls"] - seen["good"],
        conversations=len(outcomes),
        unscored=sum(outcomes),
        seconds=round(seconds, 1),
        exit_code=process.returncode,
        tracebacks=printed.count("Traceback"),
        quarters=_quarters([sample for sample in samples if sample.calls]),
    )


def _slugs() -> list[str]:
    return [f"mini-{number}" for number in range(1, BENCHMARKS + 1)]


def _write_benchmark(folder: Path, rows: int) -> None:
    scenarios = [builders.scenario(("m01", "m02")[i % 2], i // 4 + 1, i // 2 % 2 + 1) for i in range(rows)]
    builders.write_benchmark_folder(folder, scenarios=scenarios)


@contextmanager
def _server(rate: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.fault_server", "--rate", str(rate)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()  # type: ignore[union-attr]
    finally:
        process.kill()
        process.communicate()


def _helm_run(folder: Path, url: str, threads: int, runner: str) -> subprocess.Popen[bytes]:
    roles = "user=litellm/openai/user-x,judge=litellm/openai/judge-x,model=litellm/openai"
    entries = [f"impactbench:benchmark={slug},{roles}/{target}" for slug in _slugs() for target in TARGETS]
    command = [HELM_RUN, "--suite", "soak", "-m", "100000", "-n", str(threads), "--run-entries", *entries]
    environment = {
        **os.environ, "OPENAI_API_KEY": "sk-soak", "OPENAI_API_BASE": url, "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "IMPACTBENCH_MAX_WAIT": "0.05", "IMPACTBENCH_TIMEOUT": "30",
    }  # fmt: skip
    with (folder / "output.txt").open("wb") as output:
        return subprocess.Popen(
            [*map(str, command), *(["--runner-class-name", runner] if runner else [])],
            cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _watch(process: subprocess.Popen[bytes], url: str, every: float) -> list[Sample]:
    began, samples, watched = time.monotonic(), [], psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            family = [watched, *watched.children(recursive=True)]
            samples.append(
                Sample(
                    seconds=time.monotonic() - began,
                    calls=_seen(url)["calls"],
                    memory_mb=sum(member.memory_info().rss for member in family) / 1e6,
                    threads=sum(member.num_threads() for member in family),
                    files=sum(member.num_fds() for member in family),
                )
            )
        time.sleep(every)
    return samples


def _seen(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/seen", timeout=30) as answer:
        return {"calls": 0, "good": 0, **json.load(answer)}


def _quarters(samples: list[Sample]) -> tuple[Sample, ...]:
    size = len(samples) // 4
    return tuple(_middle(samples[i * size : (i + 1) * size]) for i in range(4))


def _middle(samples: list[Sample]) -> Sample:
    first, last = samples[0], samples[-1]
    rate = (last.calls - first.calls) / max(last.seconds - first.seconds, 1e-9)
    middle = {
        name: statistics.median(getattr(sample, name) for sample in samples)
        for name in ("memory_mb", "threads", "files")
    }
    return Sample(seconds=round(last.seconds, 1), calls=round(rate), **middle)


def _outcomes(folder: Path) -> Iterator[bool]:
    """Yield for each conversation whether it is unscored."""
    for path in sorted((folder / "benchmark_output/runs/soak").glob("impactbench*/scenario_state.json")):
        for state in json.loads(path.read_text(encoding="utf-8"))["request_states"]:
            yield "unscored" in state["annotations"]["impactbench"]["judgement"]


def table(report: Report) -> str:
    """Return a report as people read it."""
    lines = [
        f"{report.calls:,} calls, {report.faults:,} of them faults, in {report.seconds:.0f} s; "
        f"{report.conversations:,} conversations, {report.unscored} unscored; {report.tracebacks} tracebacks",
        f"{'quarter':<8}{'calls/s':>9}{'memory MB':>11}{'threads':>9}{'open files':>12}",
    ]
    for number, quarter in enumerate(report.quarters, 1):
        lines.append(
            f"{number:<8}{quarter.calls:>9}{quarter.memory_mb:>11.0f}{quarter.threads:>9g}{quarter.files:>12g}"
        )
    return "\n".join([*lines, *(f"PROBLEM: {problem}" for problem in report.problems())])


def main() -> None:
    """Soak, print the table, and end with 1 when something grew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=0.1, help="share of calls that fault")
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--runner", default="", help="a HELM runner class; HELM's own when left out")
    parser.add_argument("--json", type=Path, help="write the report here too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        report = soak(
            Path(folder), calls=options.calls, rate=options.rate, threads=options.threads, runner=options.runner
        )
    print(table(report))
    if options.json:
        options.json.write_text(json.dumps(_plain(report), indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if report.problems() else 0)


def _plain(report: Report) -> dict[str, Any]:
    return {**asdict(report), "problems": report.problems()}


if __name__ == "__main__":
    main()
