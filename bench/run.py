"""`make bench`: wall time against the latency bound, CPU against bare litellm, memory, repeated calls, prompt prefixes.

Every figure comes from the real helm-run against a loopback server of fixed latency; docs/decisions/performance.md
explains them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.workplace import BENCHMARKS, COMMAND, QUICK_COMMAND, TARGETS, Spent, workplace

START_SECONDS, HELP_SECONDS = 2.5, 0.3


@dataclass(frozen=True)
class Figure:
    """One measured figure beside what it should be."""

    what: str
    measured: float
    unit: str
    wanted: str = ""
    """What the project promises, in words; empty where nothing is promised."""
    kept: bool | None = None
    """Whether the promise is kept; None without one."""


def at_most(what: str, measured: float, most: float, unit: str) -> Figure:
    """Return a figure that may not be larger; infinity promises nothing."""
    if math.isinf(most):
        return Figure(what, round(measured, 3), unit)
    return Figure(what, round(measured, 3), unit, f"<= {most:g}", measured <= most)


def at_least(what: str, measured: float, least: float, unit: str) -> Figure:
    """Return a figure that may not be smaller."""
    return Figure(what, round(measured, 3), unit, f">= {least:g}", measured >= least)


def bound_seconds(conversations: int, threads: int, turns: int, latency: float) -> float:
    """Return the least wall time: waves of conversations, each of two calls a turn and one of the judge."""
    return math.ceil(conversations / threads) * (2 * turns + 1) * latency


def wall(
    name: str, latency: float, conversations: int, threads: int, most: float, repeat: int, grid: int = 1
) -> Iterator[Figure]:
    """Measure wall time; `grid` benchmarks x `grid` models share the conversations."""
    each = conversations // grid**2
    runs: list[Spent] = []
    for _ in range(repeat):
        with workplace(latency) as place:
            runs.append(place.helm_run(each, threads, benchmarks=BENCHMARKS[:grid], targets=TARGETS[:grid]))
    bound = bound_seconds(conversations, threads, 6, latency)
    working = statistics.median(run.wall_seconds - run.first_call_seconds for run in runs)
    yield at_most(f"{name}: wall time from the first call / bound of {bound:.0f} s", working / bound, most, "x")
    yield Figure(f"{name}: whole command", round(statistics.median(run.wall_seconds for run in runs), 1), "s")
    yield Figure(f"{name}: most calls at once", max(run.seen["most_at_once"] for run in runs), "calls")
    yield at_most(f"{name}: calls repeated", max(run.seen["repeated"] for run in runs), 0, "calls")


def start(repeat: int) -> Iterator[Figure]:
    """Measure the way to the first call, and to the help."""
    for name, command, most in (
        ("helm-run", COMMAND, math.inf),
        ("impactbench run's helm-run", QUICK_COMMAND, START_SECONDS),
    ):
        runs: list[Spent] = []
        for _ in range(repeat):
            with workplace(0.0) as place:
                runs.append(place.helm_run(1, 1, turns=1, command=command))
        first = statistics.median(run.first_call_seconds for run in runs)
        cpu = statistics.median(run.first_call_cpu_seconds for run in runs)
        yield at_most(f"{name}: to the first call", first, most, "s")
        yield Figure(f"{name}: CPU to the first call", round(cpu, 2), "s")
    yield at_most("impactbench --help", statistics.median(help_seconds() for _ in range(repeat)), HELP_SECONDS, "s")


def help_seconds() -> float:
    """Return the wall time of `impactbench --help`."""
    began = time.perf_counter()
    command = Path(sys.executable).with_name("impactbench")
    subprocess.run([command, "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def overhead(repeat: int) -> Iterator[Figure]:
    """Measure CPU per call, start-up taken off, against bare litellm; and a second, identical run."""
    ratios, ours, bares, cached, repeated = [], [], [], [], []
    for _ in range(repeat):
        with workplace(0.05) as place:
            start = place.helm_run(1, 1, suite="start")
            run = place.helm_run(200, 50)
            again = place.helm_run(200, 50)
            ours.append((run.cpu_seconds - start.cpu_seconds) * 1000 / (run.calls - start.calls))
            cached.append((again.cpu_seconds - start.cpu_seconds) * 1000 / (run.calls - start.calls))
            repeated.append(again.calls)
        bares.append(bare_cpu())
        ratios.append(ours[-1] / bares[-1])
    yield Figure("bare litellm.completion: CPU per call", round(statistics.median(bares), 2), "ms")
    yield Figure("helm-run without its start: CPU per call", round(statistics.median(ours), 2), "ms")
    yield at_most("helm-run / bare litellm.completion: CPU per call", statistics.median(ratios), 1.15, "x")
    yield at_most("second identical run: calls", max(repeated), 0, "calls")
    yield at_most("second identical run: CPU per cached call", statistics.median(cached), 2.0, "ms")


def bare_cpu() -> float:
    """Return the CPU milliseconds of a bare litellm.completion over the same calls."""
    record = Path(__file__).parent / ".record.jsonl"
    try:
        with workplace(0.05, "--record", str(record)) as place:
            place.helm_run(100, 50)
        with workplace(0.05) as place:
            command = [sys.executable, "-m", "bench.bare", str(record), "--url", f"{place.url}/v1", "--threads", "50"]
            # Now and then a call of many threads that share litellm's client ends in "Connection error".
            for _ in range(3):
                done = subprocess.run(
                    command,
                    cwd=Path(__file__).parent.parent,
                    capture_output=True,
                    text=True,
                    check=False,
                    env=_plain_environment(),
                )
                if done.returncode == 0:
                    return float(json.loads(done.stdout.splitlines()[-1])["cpu_ms_per_call"])
        raise RuntimeError(f"The bare calls failed:\n{done.stderr[-3000:]}")
    finally:
        record.unlink(missing_ok=True)


def _plain_environment() -> dict[str, str]:
    return os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def prefixes() -> Iterator[Figure]:
    """Measure which share of the prompts begins as one already sent, against what an append-only dialogue can reach."""
    with workplace(0.01, "--keep-prompts") as place:
        seen = place.helm_run(24, 8).seen
    for role in ("target", "user"):
        reached = seen["prefix_bytes"][role] / seen["reachable_bytes"][role]
        yield at_least(f"{role}: prompt bytes already sent / reachable by appending", reached, 0.98, "x")
    for role in ("target", "user", "judge"):
        share = seen["prefix_bytes"].get(role, 0) / seen["prompt_bytes"][role]
        yield Figure(f"{role}: share of prompt bytes already sent", round(share, 3), "")
    yield Figure("bytes sent per conversation of 6 turns", round(seen["bytes"] / 24), "B")


def large(conversations: int) -> Iterator[Figure]:
    """Measure memory and pace over one large run."""
    with workplace(0.2) as place:
        run = place.helm_run(conversations, 100)
    judged, part = run.seen["judged"], conversations // 10
    first, last = (run.seen["first"], judged[part - 1]), (judged[-part], judged[-1])
    slower = (last[1] - last[0]) / (first[1] - first[0])
    dearer = _cpu_between(run, *last) / _cpu_between(run, *first)
    yield at_most(f"{conversations:,} conversations in one run: peak memory", run.peak_mb, 1500, "MB")
    yield at_most(f"{conversations:,} conversations: last tenth / first tenth, time", slower, 1.1, "x")
    yield at_most(f"{conversations:,} conversations: last tenth / first tenth, CPU", dearer, 1.1, "x")
    yield Figure(f"{conversations:,} conversations: whole command", round(run.wall_seconds), "s")


def _cpu_between(run: Spent, begin: float, end: float) -> float:
    """Return the CPU seconds between two times."""
    at = [cpu for moment, cpu in run.cpu_over_time if begin <= moment <= end]
    return at[-1] - at[0]


def growth() -> Iterator[Figure]:
    """Measure how CPU and pace grow with turns, conversations, models and concurrency."""
    for turns in (2, 6, 12):
        yield from _pace(f"{turns} turns, 100 conversations, 50 at once", 100, 50, turns=turns)
    for threads in (20, 100, 300):
        yield from _pace(f"6 turns, 300 conversations, {threads} at once", 300, threads)
    for models in (1, 2, 4):
        yield from _pace(f"6 turns, 100 conversations, {models} models", 100, 100, targets=TARGETS[:models])
    yield from _pace("6 turns, 300 conversations, 100 at once, 2 workers", 300, 100, workers=2)


def _pace(name: str, conversations: int, threads: int, **options: object) -> Iterator[Figure]:
    """Measure a run without its start, in a place of its own: a cache would answer what another run has asked."""
    with workplace(0.2) as place:
        start = place.helm_run(1, 1, suite="start")
        run = place.helm_run(conversations, threads, **options)  # type: ignore[arg-type]
    calls = run.calls - start.calls
    yield Figure(f"{name}: CPU per call", round((run.cpu_seconds - start.cpu_seconds) * 1000 / calls, 2), "ms")
    yield Figure(f"{name}: calls per second", round(run.calls / (run.wall_seconds - run.first_call_seconds)), "1/s")


def plan(repeat: int, conversations: int) -> dict[str, Callable[[], Iterator[Figure]]]:
    """Return the parts of the bench by name."""
    return {
        "start": lambda: start(repeat),
        "overhead": lambda: overhead(repeat),
        "prefixes": prefixes,
        "one": lambda: wall("400 conversations, 100 at once, 1 s", 1.0, 400, 100, 1.10, repeat),
        "grid": lambda: wall("4 benchmarks x 4 models, 100 at once, 1 s", 1.0, 400, 100, 1.15, repeat, grid=4),
        "wide": lambda: wall("600 conversations, 300 at once, 2 s", 2.0, 600, 300, 1.25, repeat),
        "large": lambda: large(conversations),
        "growth": growth,
    }


def main() -> None:
    """Measure, print one table, write the figures as JSON; exit code 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help="start overhead prefixes one grid wide large growth; all when none is named"
    )
    parser.add_argument("--repeat", type=int, default=3, help="medians of so many (not of large and growth)")
    parser.add_argument("--conversations", type=int, default=10_000, help="of the large run")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    arguments = parser.parse_args()
    parts = plan(arguments.repeat, arguments.conversations)
    unknown = set(arguments.parts) - set(parts)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are: {', '.join(parts)}")
    console, figures = Console(width=130), dict[str, list[Figure]]()
    for name in arguments.parts or parts:
        console.print(f"[dim]{name} ...[/dim]")
        figures[name] = list(parts[name]())
        _write(arguments.out, figures)
    console.print(_table(figures))
    sys.exit(any(figure.kept is False for part in figures.values() for figure in part))


def _write(path: Path, figures: dict[str, list[Figure]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(path.read_text())["figures"] if path.is_file() else {}
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": _cores()}
    now = {name: [asdict(figure) for figure in part] for name, part in figures.items()}
    path.write_text(json.dumps({"machine": machine, "figures": kept | now}, indent=2) + "\n")


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _table(figures: dict[str, list[Figure]]) -> Table:
    table = Table("Part", "Figure", "Measured", "Unit", "Wanted", "Kept")
    for name, part in figures.items():
        for figure in part:
            kept = "" if figure.kept is None else "yes" if figure.kept else "NO"
            table.add_row(name, figure.what, f"{figure.measured:,}", figure.unit, figure.wanted, kept)
    return table


if __name__ == "__main__":
    main()
