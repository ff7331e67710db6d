"""The table of boundaries between benchmarks names metrics that exist."""

from __future__ import annotations

import re
from pathlib import Path

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark

PAGE = Path(__file__).parents[2] / "docs/decisions/boundaries.md"


def test_the_boundaries_name_metrics_that_exist() -> None:
    """In every row, on both sides, and a metric stands on one side of a row only."""
    known = {f"{slug}/{metric.id}" for slug in benchmark_paths() for metric in load_benchmark(slug).metrics}
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if "`" in line and line[0] == "|"]
    assert len(rows) >= 8
    for _, rewarded, fault, deciding in rows:
        sides = [set(re.findall(r"`([^`]+)`", cell)) for cell in (rewarded, fault)]
        assert all(sides), rewarded
        assert not sides[0] & sides[1]
        assert sides[0] | sides[1] <= known
        assert deciding.strip()
