"""Outcomes by the parts of laws and frameworks that their metrics bear on; an outcome may bear on several parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from helm_impactbench.benchmark.frameworks import Framework
from helm_impactbench.results.outcome import Outcome

FRAMEWORK = "framework"
"""The factor that names the part."""
NO_COMPLIANCE = (
    "A figure says what models did in simulated conversations. It is no finding of compliance. Parts are described in "
    "the words of {file}, not of the law. Contrasts have no pass rate and stand in no part."
)


def by_framework(outcomes: Sequence[Outcome], frameworks: Iterable[Framework]) -> list[Outcome]:
    """Return each outcome once for every part that its metric bears on, with the part as a factor."""
    parts = [(name, set(entry.metrics)) for one in frameworks for name, entry in one.named_parts()]
    return [_marked(outcome, name) for outcome in outcomes for name in _bears_on(outcome, parts)]


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
