"""Factors that follow from others by a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import check_benchmark, load_benchmark, write_benchmark
from helm_impactbench.benchmark.selection import ScenarioSelection, selected_scenarios
from tests.support import builders

TABLE: dict[str, Any] = {
    "from": ["a_view", "b_view"],
    "levels": {"good": [["good", "good"]], "one-sided": [["good", "poor"], ["poor", "good"]]},
}
BOTH = {"a_view": "good", "b_view": "good"}


def folder(path: Path, factors: dict[str, str], table: dict[str, Any]) -> Path:
    """Write a benchmark of one scenario with a derived factor."""
    setting = {**builders.BENCHMARK["scenario"], "derived_factors": {"relationship": table}}
    content = {**builders.BENCHMARK, "scenario": setting}
    return builders.write_benchmark_folder(path / "mini", content, [builders.scenario(factors=factors)])


@pytest.mark.parametrize(
    ("factors", "expected"),
    [(BOTH, "good"), ({"a_view": "poor", "b_view": "good"}, "one-sided"), ({"size": "50"}, None)],
)
def test_a_scenario_has_the_level_of_its_combination(tmp_path: Path, factors: dict[str, str], expected: str) -> None:
    """Beside its own factors; one that has none of the others has no level. Written and loaded again it is the same."""
    benchmark = load_benchmark(folder(tmp_path, factors, TABLE))
    assert benchmark.scenarios[0].factors == {**factors, **({"relationship": expected} if expected else {})}
    write_benchmark(benchmark, tmp_path / "again/mini")
    assert load_benchmark(tmp_path / "again/mini") == benchmark


@pytest.mark.parametrize(
    ("factors", "table", "fault"),
    [
        ({"a_view": "poor", "b_view": "poor"}, TABLE, "a_view: poor, b_view: poor, for which scenario.derived_factors"),
        ({**BOTH, "relationship": "bad"}, TABLE, "is good by scenario.derived_factors; leave it out here"),
        (BOTH, {**TABLE, "levels": {"good": [["good"]]}}, "found good, expected a level each of a_view, b_view"),
        (BOTH, {**TABLE, "levels": {**TABLE["levels"], "bad": [["good", "good"]]}}, "good, good stands under good too"),
    ],
    ids=["missing", "contradicted", "short", "twice"],
)
def test_a_table_that_does_not_fit_is_refused(
    tmp_path: Path, factors: dict[str, str], table: dict[str, Any], fault: str
) -> None:
    """A level that nobody wrote would be missing from a breakdown without a word."""
    checked = check_benchmark(folder(tmp_path, factors, table))
    assert checked.benchmark is None
    assert any(fault in str(found) for found in checked.faults)


def test_a_draw_is_balanced_over_the_relationship() -> None:
    """Of each dispute of moral-sycophancy: a quarter good, a quarter bad, half one-sided, and the views still even."""
    benchmark = load_benchmark("moral-sycophancy")
    for pilot in (None, 4):
        drawn = selected_scenarios(benchmark, ScenarioSelection(pilot=pilot, levels="neutral"))
        for metric in benchmark.metrics:
            own = [scenario.factors for scenario in drawn if scenario.metric_id == metric.id]
            assert Counter(one["relationship"] for one in own) == {
                "good": len(own) / 4, "bad": len(own) / 4, "one-sided": len(own) / 2,
            }  # fmt: skip
            assert Counter(one["a_view"] for one in own) == {"good": len(own) / 2, "poor": len(own) / 2}
