"""Outcomes by the parts of laws and frameworks that their metrics bear on; an outcome may bear on several parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from helm_impactbench.benchmark.files import BENCHMARK_FILE, benchmark_paths, load_benchmark
from helm_impactbench.benchmark.frameworks import Framework
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.files.resources import benchmark_folders
from helm_impactbench.results.outcome import Outcome

FRAMEWORK = "framework"
"""The factor that names the part."""
NO_COMPLIANCE = (
    "A figure says what models did in simulated conversations. It is no finding of compliance. Parts are described in "
    "the words of {file}, not of the law. Contrasts have no pass rate and stand in no part."
)


def by_framework(outcomes: Sequence[Outcome], frameworks: Iterable[Framework]) -> list[Outcome]:
    """Return each outcome once for every part that its metric bears on, with the part as a factor.

    Raises ImpactBenchError where there is none, and some part names what there is not.
    """
    given = tuple(frameworks)
    parts = [(name, set(entry.metrics)) for one in given for name, entry in one.named_parts()]
    marked = [_marked(outcome, name) for outcome in outcomes for name in _bears_on(outcome, parts)]
    if not marked and (unknown := [*unknown_names(outcomes, given)]):
        raise ImpactBenchError(f"No part of a framework bears on what is read. {' '.join(unknown)}")
    return marked


def unknown_names(outcomes: Iterable[Outcome], frameworks: Iterable[Framework]) -> Iterator[str]:
    """Yield a sentence for each name of a benchmark or metric that is neither among the outcomes nor installed."""
    read = {name for outcome in outcomes for name in (outcome.benchmark, outcome.metric)}
    named = dict.fromkeys(name for one in frameworks for _, entry in one.named_parts() for name in entry.metrics)
    for name in (name for name in named if name not in read):
        known = _installed(name)
        if name not in known:
            near = did_you_mean(name, (one for one in [*known, *sorted(read)] if ("/" in one) == ("/" in name)))
            yield f"The frameworks name {name}, which is neither installed nor read here.{near}"


def _installed(name: str) -> list[str]:
    """Return the installed benchmarks; for slug/metric their metrics too, where there is such a benchmark."""
    slug = name.partition("/")[0]
    folders = [folder / slug for folder in benchmark_folders()] if "/" in name else []
    loaded = [load_benchmark(folder) for folder in folders if (folder / BENCHMARK_FILE).is_file()]
    return [*benchmark_paths(), *(f"{slug}/{metric.id}" for one in loaded for metric in one.metrics)]


def explained(outcomes: Iterable[Outcome], frameworks: Iterable[Framework]) -> Iterator[str]:
    """Yield a line for each framework that marked outcomes bear on: its source, and what its parts are about."""
    found = {dict(outcome.factors)[FRAMEWORK] for outcome in outcomes if outcome.is_level}
    for one in frameworks:
        parts = [f"{entry.part}: {entry.about}" for name, entry in one.named_parts() if name in found]
        if parts:
            yield f"{one.framework} ({one.source}). {' '.join(parts)}"


def _bears_on(outcome: Outcome, parts: Sequence[tuple[str, set[str]]]) -> Iterator[str]:
    names = {outcome.benchmark, f"{outcome.benchmark}/{outcome.metric_id}"}
    return (part for part, metrics in parts if metrics & names)


def _marked(outcome: Outcome, part: str) -> Outcome:
    return replace(outcome, factors=tuple(sorted({**dict(outcome.factors), FRAMEWORK: part}.items())))
