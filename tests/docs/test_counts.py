"""What the documentation says of the size of the shipped content."""

from __future__ import annotations

import re
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
    (told,) = re.findall(r"^Shipped are (.*?)\n\n", (ROOT / "docs/authoring.md").read_text(), re.DOTALL | re.MULTILINE)
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", told)] == counts
    assert f"| {taken:,} |" in (ROOT / "docs/costs.md").read_text()
