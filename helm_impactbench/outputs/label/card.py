"""The counts of a benchmark's card, and how its scenarios were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Provenance, Scenario


@dataclass(frozen=True)
class Generation:
    """The scenarios that one model wrote from one version of the prompts."""

    model: str
    prompt_digest: str
    """SHA-256 (hex) of the prompts."""
    version: str
    """Of helm_impactbench."""
    seeds: tuple[int, ...]
    scenarios: int
    """Variants."""
    seeded: int
    """Variants that started from a situation that a person gave."""


@dataclass(frozen=True)
class GenerationProvenance:
    """How all scenarios of a benchmark were made."""

    generations: tuple[Generation, ...]
    unrecorded: int
    """Variants without a record: gen-scenarios did not make them, a person or another tool did."""
    stale: int
    """Variants that were made for another definition or type than their metric has now."""


@dataclass(frozen=True)
class Counts:
    """What a benchmark holds."""

    positive: int
    negative: int
    contrast: int
    scenarios: int
    """Base scenarios."""
    variants: int
    splits: tuple[tuple[str, int], ...]
    """(split, variants)."""
    people: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """(axis, ((value, variants), ...))."""
    turns: int


def provenance_of(benchmark: Benchmark) -> GenerationProvenance:
    """Return how the benchmark's scenarios were made, by model, prompts and version."""
    groups: dict[tuple[str, str, str], list[Provenance]] = {}
    for made in _records(benchmark.scenarios):
        groups.setdefault((made.model, made.prompt_digest, made.version), []).append(made)
    aims = {metric.id: metric.aim_digest() for metric in benchmark.metrics}
    return GenerationProvenance(
        generations=tuple(_generation(*key, groups[key]) for key in sorted(groups)),
        unrecorded=sum(scenario.provenance is None for scenario in benchmark.scenarios),
        stale=sum(
            scenario.provenance is not None and scenario.provenance.metric_digest != aims.get(scenario.metric_id)
            for scenario in benchmark.scenarios
        ),
    )


def counts_of(benchmark: Benchmark) -> Counts:
    """Return what the benchmark holds."""
    types = Counter(metric.type for metric in benchmark.metrics)
    people: dict[str, Counter[str]] = {}
    for scenario in benchmark.scenarios:
        for axis, value in scenario.axes.items():
            people.setdefault(axis, Counter())[value] += 1
    return Counts(
        positive=types["positive"],
        negative=types["negative"],
        contrast=types["contrast"],
        scenarios=len({scenario.base_id for scenario in benchmark.scenarios}),
        variants=len(benchmark.scenarios),
        splits=tuple(sorted(Counter(scenario.split for scenario in benchmark.scenarios).items())),
        people=tuple((axis, tuple(sorted(values.items()))) for axis, values in sorted(people.items())),
        turns=max((len(scenario.messages) for scenario in benchmark.scenarios), default=0)
        if benchmark.scenarios and not any(scenario.has_simulated_user for scenario in benchmark.scenarios)
        else benchmark.scenario.turns,
    )


def _records(scenarios: Iterable[Scenario]) -> Iterable[Provenance]:
    return (scenario.provenance for scenario in scenarios if scenario.provenance is not None)


def _generation(model: str, prompt_digest: str, version: str, made: list[Provenance]) -> Generation:
    seeds = tuple(sorted({one.seed for one in made}))
    return Generation(model, prompt_digest, version, seeds, len(made), sum(bool(one.seed_situation) for one in made))
