"""The metrics of the installed benchmarks, as scripted targets look them up: read only as far as a look-up needs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from helm_impactbench.benchmark.cues import load_cues
from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark, load_private, states_messages
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.llm.request import Message

P = ParamSpec("P")
R = TypeVar("R")


def once(make: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function returns, as functools.cache does; threads that ask together wait for the first of them."""
    kept, lock = cache(make), threading.Lock()

    @wraps(make)
    def get(*args: P.args, **kwargs: P.kwargs) -> R:
        with lock:
            return kept(*args, **kwargs)  # type: ignore[arg-type]  # what is asked for here has a hash

    return get


def cue_of(*words: str) -> str:
    """Return the cue of a persona and its goals, or of a fixed first message."""
    return content_digest("\n".join(part.strip() for part in words))[:12]


class InstalledLines(Mapping[str, Metric]):
    """Cue -> metric: the cue of a simulated user's persona and goals, or of a fixed first message.

    All benchmarks together take a second to read, and most look-ups find their metric in the first few. Those with
    fixed messages, which take longest, come last. Threads may share it.
    """

    def __init__(self) -> None:
        self._found: dict[str, Metric] = {}
        self._unread = _each_benchmark()
        self._lock = threading.Lock()

    def __getitem__(self, cue: str) -> Metric:
        with self._lock:
            while cue not in self._found and (read := next(self._unread, None)) is not None:
                self._found |= {each: metric for each, metric in read.items() if each not in self._found}
            return self._found[cue]

    def __iter__(self) -> Iterator[str]:
        self.get("")  # no cue is empty: reads everything
        return iter(self._found)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@once
def installed_lines() -> InstalledLines:
    """Return the lines of this process."""
    return InstalledLines()


Cases = Mapping[str, Sequence[tuple[Scenario, Metric]]]
"""First message, as it is sent -> the cases that begin with it, each with its metric."""


@once
def installed_cases() -> Cases:
    """Return the cases with fixed messages of all installed benchmarks."""
    found: dict[str, list[tuple[Scenario, Metric]]] = {}
    for folder in filter(states_messages, benchmark_paths().values()):
        benchmark = check_benchmark(folder).benchmark
        metrics = {metric.id: metric for metric in benchmark.metrics} if benchmark else {}
        for scenario in benchmark.scenarios if benchmark else ():
            if scenario.messages:
                found.setdefault(scenario.messages[0], []).append((scenario, metrics[scenario.metric_id]))
    return found


def case_told(messages: Sequence[Message], cases: Cases) -> tuple[Scenario, Metric] | tuple[None, None]:
    """Return the case that a dialogue comes from, and its metric.

    Of cases that begin alike it is the one whose app context ends the system prompt, else the first.
    """
    begun = cases.get(first_of(messages, "user"), ())
    prompt = first_of(messages, "system")
    told = (each for each in begun if each[0].app_context and prompt.endswith(each[0].app_context))
    return next(told, begun[0] if begun else (None, None))


def first_of(messages: Sequence[Message], role: str) -> str:
    """Return the first message of a role, empty where there is none."""
    return next((message.content for message in messages if message.role == role), "")


@once
def installed_cues() -> Mapping[str, str]:
    """Return cue -> what it is meant to say, of all installed benchmarks that have a table of cues."""
    return {
        cue: axis.meant(level)
        for folder in benchmark_paths().values()
        for axis in load_cues(folder)
        for level, own in axis.levels.items()
        for cues in own.cues.values()
        for cue in cues
    }


def _each_benchmark() -> Iterator[dict[str, Metric]]:
    for folder in sorted(benchmark_paths().values(), key=states_messages):
        for benchmark in (check_benchmark(folder).benchmark, _private(folder)):
            metrics = {metric.id: metric for metric in benchmark.metrics} if benchmark else {}
            scenarios = benchmark.scenarios if benchmark else ()
            yield {cue: metrics[scenario.metric_id] for scenario in scenarios for cue in _cues(scenario)}


def _private(folder: Path) -> Benchmark | None:
    """Return the benchmark with the user's private scenarios, None where there are none that can be loaded."""
    try:
        return load_private(folder)
    except BenchmarkError:
        return None


def _cues(scenario: Scenario) -> Iterator[str]:
    if scenario.messages:
        yield cue_of(scenario.messages[0])
    if scenario.has_simulated_user:
        yield cue_of(scenario.played_persona, scenario.user_goal or "", scenario.latent_adversarial_goal or "")
