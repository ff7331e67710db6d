"""What the documentation says of the size of the shipped content."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.selection import ScenarioSelection, selected_scenarios

ROOT = Path(__file__).parents[2]


def test_the_documentation_counts_the_content_right() -> None:
    """Benchmarks, metrics, base scenarios, variants, operators, and (docs/costs.md) what a run of all takes."""
    known = [load_benchmark(slug) for slug in benchmark_paths()]
    usual = [benchmark for benchmark in known if not benchmark.scenario.tools]
    taken = sum(len(selected_scenarios(benchmark, ScenarioSelection())) for benchmark in usual)
    counts = [
        len(known),
        sum(len(benchmark.metrics) for benchmark in known),
        sum(len({row.base_id for row in benchmark.scenarios}) for benchmark in known),
        sum(len(benchmark.scenarios) for benchmark in known),
        sum(len(benchmark.scenario.operators) for benchmark in known),
        taken,
    ]
    (told,) = re.findall(
        r"^Shipped are (.*?)\n\n", (ROOT / "docs/decisions/content.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", told)] == counts
    assert f"| {taken:,} |" in (ROOT / "docs/costs.md").read_text()


def test_topics_and_continents_are_counted_right() -> None:
    """The table and the line below it in docs/decisions/content.md: base scenarios that have the factor `topic`."""
    topics, continents, slugs = Counter[str](), Counter[str](), set[str]()
    for slug in benchmark_paths():
        bases = {row.base_id: row.factors for row in load_benchmark(slug).scenarios if "topic" in row.factors}
        slugs |= {slug} if bases else set()
        topics.update(factors["topic"] for factors in bases.values())
        continents.update(factors["continent"] for factors in bases.values())
    text = (ROOT / "docs/decisions/content.md").read_text()
    (table, line) = re.findall(r"\*\*What they are about\*\*.*?\n\n(.*?)\n\n(.*?)\n", text, re.DOTALL)[0]
    told = re.findall(r"\| ([a-z ]+) \| (\d+) ", table) + [
        (name.lower(), number) for name, number in re.findall(r"([A-Za-z]+) \((\d+)\)", line)
    ]
    assert {name: int(number) for name, number in told} == topics
    places = re.findall(r"((?:[A-Z]\w+ )?[A-Z]\w+) (\d+) \((\d+)%\)", line)
    assert {name: int(number) for name, number, _ in places} == continents
    assert all(round(100 * int(number) / continents.total()) == int(share) for _, number, share in places)
    assert f"of the {len(slugs)} benchmarks with a simulated user by topic" in text
