"""Simulation with a known truth: do 95% intervals hold it in 93% of data sets or more, and do tests find too much?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.stats.intervals import Interval, same_groups_bounds, wilson
from helm_impactbench.stats.population import drawn_bounds, drawn_rate_bounds
from helm_impactbench.stats.strata import mean_bounds, strata_bounds
from tests.stats.simulation import DATA_SETS, METRICS, ONE_TO_FORTY, TWO_SIZES, covered, drawn, equal
from tests.support.outcomes import simulated

SCENARIOS = 36
"""Base scenarios of a shipped benchmark."""


def coverage(interval: Callable[[np.random.Generator], Interval], truth: float, data_sets: int = DATA_SETS) -> float:
    """Return the share of data sets whose interval holds the truth, in percent."""
    rng = np.random.default_rng(7)
    found = [interval(rng) for _ in range(data_sets)]
    return 100 * sum(each.low <= truth <= each.high for each in found) / data_sets


LONG = partial(pytest.param, marks=pytest.mark.long)
"""Settings between others: a defect shows at the ends first. make test-long tries them too."""
SLACK = 1.2
"""What 2,000 data sets may err, in points."""
BENCHMARK_SETS = 1_500
"""Data sets of several benchmarks."""


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("scored", [72, 400])
def test_wilson_interval_of_a_single_rate(rate: float, scored: int) -> None:
    """Independent values: 93 to 97%."""
    assert 93 <= coverage(lambda rng: wilson(int(rng.binomial(scored, rate)), scored), rate) <= 97


@pytest.mark.parametrize("size", [2, 6])
@pytest.mark.parametrize("correlation", [0.0, LONG(0.1), LONG(0.3), 0.8])
@pytest.mark.parametrize("rate", [LONG(0.02), LONG(0.3), 0.5, LONG(0.85), 0.95])
def test_a_mean_over_clusters(rate: float, correlation: float, size: int) -> None:
    """36 base scenarios of equal size, however much their conversations resemble each other: 93% or more.

    At a rate of .95 an interval of percentiles would cover 82 to 90%.
    """
    found = drawn(np.random.default_rng(7), rate, correlation, equal(SCENARIOS, size, 1))
    assert covered(same_groups_bounds(found.sums, found.counts), rate) >= 93 - SLACK


@pytest.mark.parametrize("benchmarks", [3, 10, 18])
@pytest.mark.parametrize("kind", ["alike", LONG("halves"), "spread", LONG("high"), "rare bad"])
@pytest.mark.parametrize("correlation", [LONG(0.0), 0.3, LONG(0.8)])
def test_the_mean_score(kind: str, benchmarks: int, correlation: float) -> None:
    """For these benchmarks, and for others like these, never narrower: 93% or more of the intervals that are given.

    None is given where the benchmarks differ by no more than chance: if one of ten is bad and the others are alike, ten
    hold no bad one in a third of the cases, and no interval knows of what is not there.
    """
    rng = np.random.default_rng(36)
    means, truth = population(rng, kind, (BENCHMARK_SETS, benchmarks))
    inner = np.maximum(6 * (1 - means[..., None]), 1e-3)
    rates = np.clip(rng.beta(6 * means[..., None], inner, (*means.shape, METRICS)), 0.001, 0.999)
    found = drawn(rng, rates.reshape(-1, METRICS), correlation, equal(3, 2), means.size)
    low, high = (bound.reshape(means.shape) for bound in strata_bounds(found))
    scores = found.mean.reshape(means.shape)
    these = mean_bounds(scores, low, high)
    bounds = drawn_rate_bounds(scores, these)
    given = ~np.isnan(bounds[0])
    like_these = bounds[0][given], bounds[1][given]
    assert covered(these, rates.mean((1, 2))) >= 93 - SLACK
    assert ((like_these[1] - like_these[0]) - (these[1] - these[0])[given] >= -1e-12).all()
    assert covered(like_these, truth) >= 93 - SLACK
    if kind in {"halves", "spread"} and benchmarks >= 10:
        assert given.mean() > 0.9


def population(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> tuple[np.ndarray, float]:
    """Return rates of benchmarks drawn from a population of this kind, and its mean."""
    if kind == "rare bad":
        return np.where(rng.random(shape) < 0.1, 0.2, 0.95), 0.875
    mean, weight = {"alike": (0.8, 1600), "halves": (0.5, 10), "spread": (0.8, 8), "high": (0.95, 20)}[kind]
    return np.clip(rng.beta(mean * weight, (1 - mean) * weight, shape), 0.001, 0.999), mean


@pytest.mark.parametrize(
    "sizes", ["3 of 6", "6 of 2", "36 of 2", "3 x 36 of 2", LONG("10 x 6 of 2"), "1 to 40", "30 of 2, 6 of 18"]
)
@pytest.mark.parametrize("correlation", [LONG(0.0), 0.3, LONG(0.8)])
@pytest.mark.parametrize(("first", "second"), [(0.5, 0.5), LONG(0.8, 0.5), LONG(0.95, 0.9), (0.98, 0.98), (0.98, 0.02)])
def test_a_paired_difference(first: float, second: float, correlation: float, sizes: str) -> None:
    """Two models, or two levels, on the same base scenarios of one or several benchmarks: 93% or more.

    The exception: rates of .98 and .02 whose conversations are near copies, in clusters of 1 to 40.
    """
    rng = np.random.default_rng(41)
    sides = [drawn(rng, rate, correlation, SIZES[sizes]) for rate in (first, second)]
    bounds = same_groups_bounds(sides[0].sums - sides[1].sums, sides[0].counts, -1, 1)
    exception = sizes == "1 to 40" and first - second > 0.9 and correlation
    assert covered(bounds, first - second) >= (84 if exception else 93) - SLACK


SIZES = {
    "3 of 6": equal(3, 6, 1),
    "6 of 2": equal(6, 2, 1),
    "36 of 2": equal(36, 2, 1),
    "3 x 36 of 2": equal(36, 2, 3),
    "10 x 6 of 2": equal(6, 2, 10),
    "1 to 40": ONE_TO_FORTY.reshape(1, -1),
    "30 of 2, 6 of 18": TWO_SIZES.reshape(1, -1),
}


@pytest.mark.parametrize("sizes", [equal(3, 1, 1), equal(6, 1, 1), equal(36, 1, 6), equal(3, 4, 12)], ids=str)
@pytest.mark.parametrize("gap", [0.0, LONG(0.2), 0.9])
@pytest.mark.parametrize("spread", [LONG(0.1), 0.5])
def test_a_contrast_of_levels(spread: float, gap: float, sizes: np.ndarray) -> None:
    """A measure of five points at two levels of the same base scenarios, one metric or several: 93% or more."""
    rng = np.random.default_rng(43)
    effects, size = rng.normal(0, spread, (DATA_SETS, *sizes.shape)), int(sizes.max())
    chances = [np.clip((effects + sign * gap + 1) / 2, 0, 1) for sign in (1, -1)]
    values = [rng.binomial(4, chance[..., None], (*chance.shape, size)).sum(-1) / 4 for chance in chances]
    truth = float((chances[0] - chances[1]).mean())
    bounds = same_groups_bounds(values[0] - values[1], np.full(effects.shape, float(size)), -1, 1)
    assert covered(bounds, truth) >= 93 - SLACK


@pytest.mark.parametrize("metrics", [3, 12])
@pytest.mark.parametrize("spread", [0.05, 0.2])
def test_a_contrast_for_metrics_like_these(spread: float, metrics: int) -> None:
    """Metrics drawn from a population with another gap each: 93% or more."""
    rng = np.random.default_rng(44)
    gaps = rng.normal(0.3, spread, (DATA_SETS, metrics))
    sides = [np.clip(0.5 + sign * gaps / 2, 0, 1) for sign in (1, -1)]
    values = (rng.binomial(4 * SCENARIOS, sides[0]) - rng.binomial(4 * SCENARIOS, sides[1])) / (4 * SCENARIOS)
    unknown = np.full(DATA_SETS, np.nan)
    truth = float((sides[0] - sides[1]).mean())
    assert covered(drawn_bounds(values, (unknown, unknown), -1, 1), truth) >= 93 - SLACK


def test_differences_of_outcomes_have_such_an_interval() -> None:
    """The difference between two levels over matched base scenarios: 93 to 97% of 300 data sets (less 2 for luck)."""

    def interval(rng: np.random.Generator) -> Interval:
        data = simulated(rng, {"a": 0.8}, correlation=0.1, child_rates={"a": 0.5})
        (contrast,) = level_contrasts(data, ["overall"])
        return contrast.difference.interval

    assert coverage(interval, 0.3, data_sets=300) >= 91


def test_contrasts_find_nothing_where_nothing_is() -> None:
    """False discovery under no effect: in at most 5% of data sets (plus what 300 of them may err), at each level."""
    rng = np.random.default_rng(11)
    found = {"overall": 0, "benchmark": 0, "metric": 0}
    for _ in range(300):
        data = simulated(rng, {"a": 0.7, "b": 0.4}, child_rates={"a": 0.7, "b": 0.4})
        for level in {contrast.level for contrast in level_contrasts(data) if contrast.found}:
            found[level] += 1
    assert max(found.values()) <= 0.075 * 300, found


def test_comparisons_find_nothing_where_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three equal models: any two told apart in at most 5% of data sets (plus what 200 of them may err)."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 1_999)  # for the clock: coarser p values
    rng = np.random.default_rng(13)
    wrong = 0
    for _ in range(200):
        data = simulated(rng, dict.fromkeys("abc", 0.6))
        wrong += any(pair.found for pair in compare(data).pairs)
    assert wrong <= 0.09 * 200


def test_comparisons_find_a_real_difference() -> None:
    """Two models 40 points apart on one benchmark are told apart in nine of ten data sets, in the right order."""
    rng = np.random.default_rng(17)
    pairs = [compare(simulated(rng, {"weak": 0.45, "strong": 0.85})).pairs[0] for _ in range(100)]
    assert sum(pair.found and pair.first == "strong" for pair in pairs) >= 90
