"""Parts of benchmarks: spread, repeatable, and as near to the whole as stated."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.files.resources import shipped

STATED_ERROR = {0.5: 0.037, 0.8: 0.030, 0.95: 0.017}
"""True rate -> standard error of the tenth's mean score, as docs/statistics.md and quick.conf say."""


@pytest.fixture(scope="module")
def benchmarks() -> list[Benchmark]:
    """The shipped benchmarks."""
    return [load_benchmark(folder) for folder in benchmark_paths([shipped("benchmarks")]).values()]


def test_a_tenth_is_spread(benchmarks: list[Benchmark]) -> None:
    """Demographics get equal shares (to one), and more than half of the metrics something; the file's order is kept."""
    for benchmark in benchmarks:
        chosen = selected_scenarios(benchmark, None, "all", 0.1)
        assert len(chosen) == -(-len(benchmark.scenarios) // 10)
        by_label = Counter(scenario.axes_label for scenario in chosen)
        assert set(by_label) == set(benchmark.axes_labels)
        assert max(by_label.values()) - min(by_label.values()) <= 1
        assert len({scenario.metric_id for scenario in chosen}) > len(benchmark.metrics) / 2
        assert [scenario for scenario in benchmark.scenarios if scenario in chosen] == chosen


def test_a_part_does_not_depend_on_the_order_of_the_file(benchmarks: list[Benchmark]) -> None:
    """The same scenarios, however the file is sorted; the whole is the file itself."""
    benchmark = benchmarks[0]
    turned = benchmark.model_copy(update={"scenarios": benchmark.scenarios[::-1]})
    ids = {scenario.id for scenario in selected_scenarios(benchmark, None, "all", 0.1)}
    assert {scenario.id for scenario in selected_scenarios(turned, None, "all", 0.1)} == ids
    assert selected_scenarios(benchmark, None, "all", 1.0) == benchmark.scenarios
    assert len(selected_scenarios(benchmark, "m01", "public", 0.01)) == 1


@pytest.mark.parametrize(("rate", "stated"), STATED_ERROR.items())
def test_the_expected_error_of_a_tenth_is_as_stated(benchmarks: list[Benchmark], rate: float, stated: float) -> None:
    """Over 2,000 random sets of verdicts: the root mean square of (tenth - whole) is the stated error, to a tenth."""
    rng = np.random.default_rng(19)
    errors = np.zeros(2_000)
    for benchmark in benchmarks:
        chosen = {scenario.id for scenario in selected_scenarios(benchmark, None, "all", 0.1)}
        places = [i for i, scenario in enumerate(benchmark.scenarios) if scenario.id in chosen]
        verdicts = rng.random((2_000, len(benchmark.scenarios))) < rate
        errors += (verdicts[:, places].mean(axis=1) - verdicts.mean(axis=1)) / len(benchmarks)
    found = float(np.sqrt((errors**2).mean()))
    assert 0.9 * stated <= found <= stated
