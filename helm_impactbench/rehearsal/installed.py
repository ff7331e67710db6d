"""The metrics of the installed benchmarks, as scripted targets look them up: read only as far as a look-up needs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cache

from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark, read_metrics, states_messages
from helm_impactbench.benchmark.model import Metric, Scenario, content_digest


def cue_of(definition: str) -> str:
    """Return the cue for a behaviour."""
    return content_digest(definition.strip())[:12]


class InstalledLines(Mapping[str, Metric]):
    """Cue -> metric: the cue of a definition, or of the first message of a case with fixed messages.

    All benchmarks together take a second to read, and most look-ups find their metric in the first few. Definitions,
    which are quick to read, come before cases. Threads may share it.
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


@cache
def installed_lines() -> InstalledLines:
    """Return the lines of this process."""
    return InstalledLines()


Cases = Mapping[str, tuple[Scenario, Metric]]
"""First message, as it is sent -> the case it comes from, and its metric."""


@cache
def installed_cases() -> Cases:
    """Return the cases with fixed messages of all installed benchmarks. Where several begin alike, the first counts."""
    found: dict[str, tuple[Scenario, Metric]] = {}
    for folder in filter(states_messages, benchmark_paths().values()):
        benchmark = check_benchmark(folder).benchmark
        metrics = {metric.id: metric for metric in benchmark.metrics} if benchmark else {}
        for scenario in benchmark.scenarios if benchmark else ():
            if scenario.messages:
                found.setdefault(scenario.messages[0], (scenario, metrics[scenario.metric_id]))
    return found


def _each_benchmark() -> Iterator[dict[str, Metric]]:
    folders = benchmark_paths().values()
    for folder in folders:
        yield {cue_of(metric.definition): metric for metric in read_metrics(folder)}
    for folder in filter(states_messages, folders):
        benchmark = check_benchmark(folder).benchmark
        metrics = {metric.id: metric for metric in benchmark.metrics} if benchmark else {}
        yield {
            cue_of(scenario.messages[0]): metrics[scenario.metric_id]
            for scenario in (benchmark.scenarios if benchmark else ())
            if scenario.messages
        }
