"""Intervals of benchmarks and metrics, in simulated data with a known truth: coverage, and what they cost in width."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.stats.population import drawn_interval
from helm_impactbench.stats.strata import mean_interval, resemblance, strata_interval, stratum_interval
from tests.support.outcomes import beta

METRICS = 12
SPREAD = np.linspace(0.05, 0.95, METRICS)
ONE_FAILS = np.array([0.0, *[0.9] * (METRICS - 1)])
LONG = partial(pytest.param, marks=pytest.mark.long)


def benchmark(
    rng: np.random.Generator, rates: np.ndarray, correlation: float, bases: int, size: int | np.ndarray
) -> list[Clusters]:
    """Return the clusters of each metric: `bases` base scenarios with `size` conversations each."""
    shape = (len(rates), bases)
    inner = np.clip(rates, 1e-9, 1 - 1e-9)[:, None]
    chances = beta(rng, inner, correlation, shape) if correlation else np.broadcast_to(inner, shape)
    sizes = np.broadcast_to(size, shape)
    passed = rng.binomial(sizes, chances)
    return [Clusters(row.astype(float), own.astype(float)) for row, own in zip(passed, sizes, strict=True)]


def joined(strata: list[Clusters]) -> Clusters:
    """Return the clusters of all strata as one."""
    return Clusters(np.concatenate([one.sums for one in strata]), np.concatenate([one.counts for one in strata]))


def holds(interval: Interval, truth: float) -> bool:
    """Whether an interval has the truth in it."""
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9


@pytest.mark.parametrize(("bases", "size"), [(3, 2), (3, 6), LONG(6, 2)])
@pytest.mark.parametrize("correlation", [LONG(0.0), 0.3, 0.8])
@pytest.mark.parametrize("rates", [np.full(METRICS, 0.5), np.full(METRICS, 0.9), SPREAD, ONE_FAILS])
def test_interval_of_a_benchmark(rates: np.ndarray, correlation: float, bases: int, size: int) -> None:
    """Metrics as strata, alike, spread out, or one always failing: 93% or more."""
    rng = np.random.default_rng(31)
    covered = sum(
        holds(strata_interval(benchmark(rng, rates, correlation, bases, size)), rates.mean()) for _ in range(400)
    )
    assert covered / 400 >= 0.93 - 0.015  # what 400 data sets may err


@pytest.mark.parametrize(("bases", "size"), [(3, 6), (6, 2)])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_interval_of_a_metric(rate: float, correlation: float, bases: int, size: int) -> None:
    """Three base scenarios of six conversations, six of two: 93% or more, where Wilson's own covers down to 67%."""
    rng = np.random.default_rng(32)
    covered = tried = 0
    for _ in range(60):
        strata = benchmark(rng, np.full(METRICS, rate), correlation, bases, size)
        covered += sum(holds(stratum_interval(one, strata), rate) for one in strata)
        tried += METRICS
    assert covered / tried >= 0.93 - 0.02


def test_metrics_of_different_rates_share_their_resemblance() -> None:
    """The truth of each metric lies in its interval in 93 to 98.5% of the cases, whatever the others' rates are."""
    rng, rates = np.random.default_rng(33), np.tile([0.1, 0.3, 0.5, 0.7, 0.9, 0.6], 2)
    covered = 0
    for _ in range(200):
        strata = benchmark(rng, rates, 0.3, 3, 6)
        covered += sum(holds(stratum_interval(one, strata), rate) for one, rate in zip(strata, rates, strict=True))
    assert 0.93 <= covered / (200 * METRICS) <= 0.985


def test_unequal_clusters() -> None:
    """Thirty base scenarios of two conversations and six of eighteen: 93% or more."""
    rng = np.random.default_rng(34)
    sizes = np.array([*[2] * 30, *[18] * 6]).reshape(METRICS, 3)
    for rate in (0.5, 0.9):
        drawn = [benchmark(rng, np.full(METRICS, rate), 0.4, 3, sizes) for _ in range(400)]
        assert sum(holds(strata_interval(strata), rate) for strata in drawn) / 400 >= 0.93 - 0.015


@pytest.mark.parametrize(("correlation", "size"), [(0.1, 2), (0.1, 6), (0.3, 6)])
def test_a_metric_that_always_fails_costs_no_width(correlation: float, size: int) -> None:
    """With eleven metrics at .95 and one at 0 the interval is at most .6 of what it is without strata."""
    rng, rates = np.random.default_rng(35), np.array([0.0, *[0.95] * 11])
    found = [benchmark(rng, rates, correlation, 3, size) for _ in range(200)]
    ours = np.mean([(i := strata_interval(strata)).high - i.low for strata in found])
    before = np.mean([(i := cluster_interval(joined(strata))).high - i.low for strata in found])
    assert ours / before <= 0.65


@pytest.mark.parametrize("benchmarks", [3, 10])
@pytest.mark.parametrize(("rate", "spread"), [(0.5, 0.1), (0.8, 0.02), (0.8, 0.1)])
def test_intervals_of_the_overall_score(rate: float, spread: float, benchmarks: int) -> None:
    """For these benchmarks and for benchmarks like these, the second never narrower: 93% or more (less 3 for luck)."""
    rng = np.random.default_rng(36)
    weight = rate * (1 - rate) / spread**2 - 1
    these = like = 0
    for _ in range(150):
        means = np.clip(rng.beta(rate * weight, (1 - rate) * weight, benchmarks), 0.01, 0.99)
        rates = [np.clip(rng.beta(6 * mean, 6 * (1 - mean), METRICS), 0.001, 0.999) for mean in means]
        found = [benchmark(rng, own, 0.3, 3, 2) for own in rates]
        inner = mean_interval([joined(s).mean for s in found], [strata_interval(s) for s in found])
        outer = drawn_interval([joined(strata).mean for strata in found], inner)
        assert outer.high - outer.low >= inner.high - inner.low
        these += holds(inner, float(np.mean([own.mean() for own in rates])))
        like += holds(outer, rate)
    assert min(these, like) / 150 >= 0.90


def test_resemblance_is_recovered() -> None:
    """The planted correlation of values within a base scenario, on average over data sets."""
    rng = np.random.default_rng(37)
    for planted in (0.0, 0.3, 0.8):
        found = [resemblance(benchmark(rng, SPREAD, planted, 6, 4)).correlation for _ in range(200)]
        assert np.mean(found) == pytest.approx(planted, abs=0.05)


def test_what_one_base_scenario_can_tell() -> None:
    """Nothing: no interval alone; beside others it has theirs; metrics of one base scenario each are one stratum."""
    single = Clusters(np.array([1.0]), np.array([2.0]))
    assert not stratum_interval(single).is_known
    rng = np.random.default_rng(38)
    assert stratum_interval(single, [single, *benchmark(rng, SPREAD, 0.3, 3, 2)]).is_known
    assert not strata_interval([single]).is_known
    twelve = [Clusters(np.array([float(n % 3)]), np.array([2.0])) for n in range(METRICS)]
    assert strata_interval(twelve) == stratum_interval(joined(twelve))


def test_all_alike_is_no_certainty() -> None:
    """Everything passes: up to 1, and below it by as much as the number of base scenarios leaves open."""
    strata = [Clusters(np.full(3, 2.0), np.full(3, 2.0)) for _ in range(METRICS)]
    found = strata_interval(strata)
    assert found.high == 1
    assert 0.85 < found.low < 0.98
    assert stratum_interval(strata[0], strata).low < 0.7
