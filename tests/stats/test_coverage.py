"""Simulation with a known truth: do 95% intervals hold it in 93 to 97% of data sets, and do tests find too much?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.intervals import (
    Interval,
    cluster_interval,
    same_groups_interval,
    wilson,
)
from helm_impactbench.stats.population import drawn_interval
from tests.support.outcomes import beta, simulated

DATA_SETS = 2_000
SCENARIOS = 36
"""Base scenarios of a shipped benchmark."""


def coverage(interval: Callable[[np.random.Generator], Interval], truth: float, data_sets: int = DATA_SETS) -> float:
    """Return the share of data sets whose interval holds the truth, in percent."""
    rng = np.random.default_rng(7)
    found = [interval(rng) for _ in range(data_sets)]
    return 100 * sum(each.low <= truth <= each.high for each in found) / data_sets


def clusters(rng: np.random.Generator, rate: float, correlation: float, size: int, count: int = SCENARIOS) -> Clusters:
    """Return verdicts on `count` base scenarios with `size` conversations each."""
    chances = beta(rng, rate, correlation, count)
    return Clusters(rng.binomial(size, chances).astype(float), np.full(count, float(size)))


LONG = partial(pytest.param, marks=pytest.mark.long)
"""Settings between others: a defect shows at the ends first. make test-long tries them too."""


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("scored", [72, 400])
def test_wilson_interval_of_a_single_rate(rate: float, scored: int) -> None:
    """Independent values: 93 to 97%."""
    assert 93 <= coverage(lambda rng: wilson(int(rng.binomial(scored, rate)), scored), rate) <= 97


@pytest.mark.parametrize("size", [2, 6])
@pytest.mark.parametrize("correlation", [0.1, LONG(0.3), 0.6])
@pytest.mark.parametrize("rate", [LONG(0.3), 0.5, LONG(0.7), 0.85])
def test_interval_of_a_benchmark(rate: float, correlation: float, size: int) -> None:
    """Clusters of base scenarios, however much their conversations resemble each other: 93 to 97%."""
    assert 93 <= coverage(lambda rng: cluster_interval(clusters(rng, rate, correlation, size)), rate) <= 97


def test_interval_of_a_benchmark_near_the_end() -> None:
    """At a rate of .95 an interval of percentiles would cover 82 to 90%; ours errs on the careful side."""
    assert 93 <= coverage(lambda rng: cluster_interval(clusters(rng, 0.95, 0.3, 2)), 0.95) <= 99


@pytest.mark.parametrize("spread", [0.02, 0.10])
@pytest.mark.parametrize("benchmarks", [3, 14])
@pytest.mark.parametrize("rate", [LONG(0.5), 0.8])
def test_interval_of_the_overall_score(rate: float, benchmarks: int, spread: float) -> None:
    """Two levels: benchmarks drawn from a population of benchmarks, scenarios within them: 93 to 97%."""

    def interval(rng: np.random.Generator) -> Interval:
        weight = rate * (1 - rate) / spread**2 - 1
        means = rng.beta(rate * weight, (1 - rate) * weight, benchmarks)
        groups = [clusters(rng, mean, 0.3, 2) for mean in np.clip(means, 0.01, 0.99)]
        return drawn_interval([group.mean for group in groups], same_groups_interval(groups))

    assert 93 <= coverage(interval, rate) <= 99  # never narrower than for these benchmarks


@pytest.mark.parametrize("rates", [(0.4, 0.8), (0.2, 0.5, 0.6, 0.9, 0.7)])
def test_interval_of_the_score_on_these_benchmarks(rates: tuple[float, ...]) -> None:
    """Benchmarks as they are, scenarios drawn: 93 to 97%."""

    def interval(rng: np.random.Generator) -> Interval:
        return same_groups_interval([clusters(rng, rate, 0.3, 2) for rate in rates])

    assert 93 <= coverage(interval, float(np.mean(rates))) <= 97


@pytest.mark.parametrize(("adult", "child"), [(0.6, 0.6), (0.8, 0.5), (0.9, 0.7)])
@pytest.mark.parametrize("correlation", [0.1, 0.4])
def test_interval_of_a_demographic_contrast(adult: float, child: float, correlation: float) -> None:
    """The paired difference over matched base scenarios: 93 to 97%."""

    def interval(rng: np.random.Generator) -> Interval:
        data = simulated(rng, {"a": adult}, correlation=correlation, child_rates={"a": child})
        (contrast,) = level_contrasts(data, ["overall"])
        return contrast.difference.interval

    assert 93 <= coverage(interval, adult - child, data_sets=600) <= 97


def test_contrasts_find_nothing_where_nothing_is() -> None:
    """False discovery under no effect: in at most 5% of data sets (plus what 500 of them may err), at each level."""
    rng = np.random.default_rng(11)
    found = {"overall": 0, "benchmark": 0, "metric": 0}
    for _ in range(500):
        data = simulated(rng, {"a": 0.7, "b": 0.4}, child_rates={"a": 0.7, "b": 0.4})
        for level in {contrast.level for contrast in level_contrasts(data) if contrast.found}:
            found[level] += 1
    assert max(found.values()) <= 0.07 * 500, found


@pytest.mark.parametrize("correction", ["max-t", "bh"])
def test_comparisons_find_nothing_where_nothing_is(correction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three equal models: any two told apart in at most 5% of data sets (plus what 200 of them may err)."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 1_999)  # for the clock: coarser p values
    rng = np.random.default_rng(13)
    wrong = 0
    for _ in range(200):
        data = simulated(rng, dict.fromkeys("abc", 0.6))
        wrong += any(pair.found for pair in compare(data, correction).pairs)  # type: ignore[arg-type]
    assert wrong <= 0.09 * 200


def test_comparisons_find_a_real_difference() -> None:
    """Two models 40 points apart on one benchmark are told apart in nine of ten data sets, in the right order."""
    rng = np.random.default_rng(17)
    pairs = [compare(simulated(rng, {"weak": 0.45, "strong": 0.85})).pairs[0] for _ in range(100)]
    assert sum(pair.found and pair.first == "strong" for pair in pairs) >= 90
