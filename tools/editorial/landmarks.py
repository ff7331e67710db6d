"""How much the directions to the simulated user vary, in number, turns and form, and which wait for a certain reply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.section import Finding, Section, Table

MOST_ON_LAST_TURN = 0.67
"""Share of scenarios whose last landmark may be on the last turn."""
MOST_ALIKE = 0.25
"""Share of scenarios that may have their landmarks on the same turns."""
MOST_SAY_AND_ASK = 0.4
"""Share of landmarks that may be of the form "Say X, and ask Y"."""
FEWEST = 12
"""Base scenarios below which no share is judged."""
_SAY_AND_ASK = re.compile(r"^(?:Say|Tell|Mention|Add|Explain|Write)\b.*\b(?:and|then) (?:ask|wonder|want)", re.DOTALL)
_WAITS = re.compile(
    r"\b(?:complain|object|thank (?:it|them)|react|reply|answer)\b[^.]{0,40}\b(?:its|that its|the assistant's) "
    r"(?:list|answer|reply|words|advice|plan|suggestions?|questions?|tone)\b",
    re.IGNORECASE,
)


def bases_of(benchmark: Benchmark) -> list[tuple[int, Scenario]]:
    """Return the first variant of every base scenario without fixed messages, with its number of turns."""
    first: dict[str, Scenario] = {}
    for row in benchmark.scenarios:
        if row.has_simulated_user and not row.messages:
            first.setdefault(row.base_id, row)
    return [(benchmark.turns_of(row), row) for row in first.values()]


def landmarks_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on landmarks: errors where one form holds more than its share."""
    found = {benchmark.slug: bases_of(benchmark) for benchmark in benchmarks}
    whole = _figures([base for own in found.values() for base in own])
    figures = {"all": whole, **{slug: _figures(own) for slug, own in found.items() if own}}
    rows = [(scope, *(f"{value:g}" for value in row.values())) for scope, row in figures.items()]
    findings = [finding for slug, own in found.items() if len(own) >= FEWEST for finding in _shares(slug, own)]
    findings += [finding for slug, own in found.items() for _, row in own for finding in _waiting(slug, row)]
    return Section(
        "landmarks", "Landmarks",
        f"{whole['scenarios']:g} base scenarios, {whole['landmarks']:g} landmarks, {whole['patterns']:g} patterns of "
        f"turns; {whole['last turn']:.0%} end on the last turn, {whole['say and ask']:.0%} say and ask",
        tuple(findings), (Table(("Scope", *map(str.capitalize, whole)), rows),), figures,
    )  # fmt: skip


def _figures(bases: Sequence[tuple[int, Scenario]]) -> dict[str, float]:
    marks = [mark for _, row in bases for mark in row.landmarks]
    patterns = Counter(tuple(mark.turn for mark in row.landmarks) for _, row in bases)
    return {
        "scenarios": len(bases),
        "turns": round(sum(turns for turns, _ in bases) / max(1, len(bases)), 1),
        "landmarks": len(marks),
        "patterns": len(patterns),
        "commonest": round(max(patterns.values(), default=0) / max(1, len(bases)), 2),
        "last turn": round(sum(_ends_last(turns, row) for turns, row in bases) / max(1, len(bases)), 2),
        "say and ask": round(sum(bool(_SAY_AND_ASK.search(m.instruction)) for m in marks) / max(1, len(marks)), 2),
    }


def _ends_last(turns: int, row: Scenario) -> bool:
    return bool(row.landmarks) and row.landmarks[-1].turn == turns


def _shares(slug: str, bases: Sequence[tuple[int, Scenario]]) -> Iterator[Finding]:
    found = _figures(bases)
    for name, most, what in (
        ("commonest", MOST_ALIKE, "have their landmarks on the same turns"),
        ("last turn", MOST_ON_LAST_TURN, "have their last landmark on the last turn"),
        ("say and ask", MOST_SAY_AND_ASK, 'of the landmarks are of the form "Say X, and ask Y"'),
    ):
        if found[name] > most:
            message = f"{found[name]:.0%} {what}; {most:.0%} are allowed"
            yield Finding(slug, "benchmark", "landmarks", message, "error")


def _waiting(slug: str, row: Scenario) -> Iterator[Finding]:
    for k, mark in enumerate(row.landmarks):
        if _WAITS.search(mark.instruction):
            yield Finding(slug, row.id, f"landmarks[{k}]", "waits for a certain reply of the assistant", "warning")
