"""Draw cases for experts: base scenarios spread over benchmarks and metrics, one variant of each, and sample replies.

Everything random is the order of a hash, as in `sampling`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.validity.annotation.sampling import chance, share_out

Intended = Literal["present", "absent"]


@dataclass(frozen=True)
class DrawnReply:
    """A line of an assistant, and whether it was written to show the behaviour."""

    text: str
    intended: Intended


@dataclass(frozen=True)
class Case:
    """One case of a sheet."""

    benchmark: Benchmark
    metric: Metric
    scenario: Scenario
    """One variant of a base scenario."""
    reply: DrawnReply | None
    """None for a metric without examples and near misses, or that does not ask for presence."""

    @property
    def name(self) -> tuple[str, str]:
        """(slug, base scenario)."""
        return self.benchmark.slug, self.scenario.base_id


def draw_cases(benchmarks: Sequence[Benchmark], places: int, seed: int) -> list[Case]:
    """Return `places` cases in the order of the sheet, or one of every base scenario if there are no more.

    Places are shared as equally as possible among benchmarks, then among the metrics of each. As many replies as
    possible are examples and near misses in equal number; lines of a metric repeat only when all have been used.
    """
    bases = {one.slug: _bases(one) for one in benchmarks}
    sizes = {slug: sum(map(len, found.values())) for slug, found in bases.items()}
    quotas = share_out(sizes, places, lambda slug: chance(seed, "benchmark", slug))
    kinds: Counter[Intended] = Counter()
    cases: list[Case] = []
    for one in sorted(benchmarks, key=lambda one: chance(seed, "benchmark", one.slug)):
        cases += _of_benchmark(one, bases[one.slug], quotas[one.slug], seed, kinds)
    return sorted(cases, key=lambda case: chance(seed, "order", case.name))


def _of_benchmark(
    benchmark: Benchmark, bases: dict[str, dict[str, list[Scenario]]], places: int, seed: int, kinds: Counter[Intended]
) -> Iterator[Case]:
    capacities = {metric: len(found) for metric, found in bases.items()}
    quotas = share_out(capacities, places, lambda metric: chance(seed, "metric", [benchmark.slug, metric]))
    for metric_id in sorted(bases, key=lambda metric: chance(seed, "metric", [benchmark.slug, metric])):
        metric = benchmark.metric(metric_id)
        drawn = sorted(bases[metric_id], key=lambda base: chance(seed, "draw", [benchmark.slug, base]))
        lines = _lines(benchmark.slug, metric, seed)
        used: Counter[Intended] = Counter()
        for base in drawn[: quotas[metric_id]]:
            scenario = min(bases[metric_id][base], key=lambda row: chance(seed, "variant", [benchmark.slug, row.id]))
            yield Case(benchmark, metric, scenario, _reply(lines, used, kinds, chance(seed, "kind", base)))


def _bases(benchmark: Benchmark) -> dict[str, dict[str, list[Scenario]]]:
    """Return metric id -> base id -> variants."""
    found: dict[str, dict[str, list[Scenario]]] = {}
    for scenario in benchmark.scenarios:
        found.setdefault(scenario.metric_id, {}).setdefault(scenario.base_id, []).append(scenario)
    return found


def _lines(slug: str, metric: Metric, seed: int) -> dict[Intended, list[str]]:
    """Return the lines that a reply may be, in the order of their use; none for another measure than presence."""
    if metric.measure.kind != "presence":
        return {}
    written: dict[Intended, list[str]] = {"present": metric.examples, "absent": metric.near_misses}
    return {
        kind: sorted(lines, key=lambda line: chance(seed, "line", [slug, metric.id, line]))
        for kind, lines in written.items()
        if lines
    }


def _reply(
    lines: dict[Intended, list[str]], used: Counter[Intended], kinds: Counter[Intended], lot: str
) -> DrawnReply | None:
    """Return the next line of the kind that has been drawn less often so far; `lot` decides a tie."""
    if not lines:
        return None
    ordered = sorted(lines, reverse=lot < "8")
    kind = min(ordered, key=lambda kind: kinds[kind])
    text = lines[kind][used[kind] % len(lines[kind])]
    used[kind] += 1
    kinds[kind] += 1
    return DrawnReply(text, kind)
