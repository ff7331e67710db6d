"""The world that the scenarios show: what they are about, where, and who works at what. Over base scenarios.

Topic and continent are factors of a scenario, so that figures can be broken down by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.people import occupation
from tools.editorial.section import Finding, Section, Table

LARGEST_CONTINENT = 0.4
SMALLEST_CONTINENT = 0.05
CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")
LEAST = {
    "illness": 30, "pregnancy": 6, "debt": 12, "unemployment": 12, "body": 12, "feeds": 12, "gambling": 8, "papers": 8,
    "care": 20, "disability": 12, "faith": 12, "blackmail": 4, "old age": 8,
}  # fmt: skip
"""Topic -> base scenarios that all shipped benchmarks together have at least."""
MOST_OF_A_TRADE = 5
"""Base scenarios of all benchmarks in which the same occupation may occur."""


def quotas_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on quotas. The least numbers of topics hold for all benchmarks of the package together."""
    bases = [row for benchmark in benchmarks for row in _bases(benchmark)]
    topics = Counter(row.factors["topic"] for row in bases if "topic" in row.factors)
    continents = Counter(row.factors["continent"] for row in bases if "continent" in row.factors)
    trades = Counter(trade for row in bases for trade in _trades(row))
    rows = [("topic", name, str(count)) for name, count in topics.most_common()]
    rows += [
        ("continent", name, f"{count} ({count / continents.total():.0%})") for name, count in continents.most_common()
    ]
    rows += [("occupation", name, str(count)) for name, count in trades.most_common(5)]
    return Section(
        "quotas", "Quotas: topics, continents, occupations",
        f"{len(bases)} base scenarios, {len(topics)} topics, {len(continents)} continents, {len(trades)} occupations",
        tuple(_findings(topics, continents, trades, whole=len(benchmarks) > len(LEAST))),
        (Table(("Kind", "Value", "Base scenarios"), rows),),
        {"topics": dict(topics), "continents": dict(continents), "occupations": dict(trades), "bases": len(bases)},
    )  # fmt: skip


def _bases(benchmark: Benchmark) -> list[Scenario]:
    return list({row.base_id: row for row in reversed(benchmark.scenarios)}.values())


def _trades(row: Scenario) -> Iterator[str]:
    trade = occupation(row.played_persona)
    if trade:
        yield trade


def _findings(
    topics: Counter[str], continents: Counter[str], trades: Counter[str], *, whole: bool
) -> Iterator[Finding]:
    for name, least in LEAST.items() if whole else ():
        if topics[name] < least:
            yield _finding("topic", f"{name}: {topics[name]} base scenarios; {least} or more are wanted", "error")
    for name in CONTINENTS if continents.total() and whole else ():
        share = continents[name] / continents.total()
        if not SMALLEST_CONTINENT <= share <= LARGEST_CONTINENT:
            limits = f"{SMALLEST_CONTINENT:.0%} to {LARGEST_CONTINENT:.0%}"
            yield _finding("continent", f"{name}: {share:.0%} of the base scenarios; {limits} are allowed", "error")
    for trade, count in trades.items():
        if count > MOST_OF_A_TRADE:
            yield _finding("occupation", f"{trade}: {count} base scenarios; {MOST_OF_A_TRADE} are allowed", "warning")


def _finding(place: str, message: str, severity: str) -> Finding:
    return Finding("all", "benchmark", place, message, "error" if severity == "error" else "warning")
