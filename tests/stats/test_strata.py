"""Intervals of benchmarks and metrics, in simulated data with a known truth: coverage, and what they cost in width."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.intervals import same_groups_bounds
from helm_impactbench.stats.strata import (
    alike_interval,
    own_resemblances,
    resemblance,
    strata_bounds,
    strata_interval,
    stratum_bounds,
    stratum_interval,
)
from tests.stats.simulation import (
    METRICS,
    ONE_TO_FORTY,
    TWO_SIZES,
    benchmark_truth,
    covered,
    drawn,
    equal,
    width,
)

SPREAD = np.linspace(0.05, 0.95, METRICS)
ONE_FAILS = np.array([0.0, *[0.9] * (METRICS - 1)])
ONE_FAILS_BESIDE_BETTER = np.array([0.0, *[0.95] * (METRICS - 1)])
HALF_FAIL = np.array([0.0] * 6 + [0.9] * 6)
SIZES = {
    "3 of 2": equal(3, 2),
    "3 of 6": equal(3, 6),
    "6 of 2": equal(6, 2),
    "30 of 2, 6 of 18": TWO_SIZES,
    "1 to 40": ONE_TO_FORTY,
}
RATES = {
    **{str(rate): np.full(METRICS, rate) for rate in (0.02, 0.1, 0.5, 0.9, 0.98)},
    "spread": SPREAD,
    "one fails": ONE_FAILS,
    "one fails beside better": ONE_FAILS_BESIDE_BETTER,
    "half fail": HALF_FAIL,
}
LONG = partial(pytest.param, marks=pytest.mark.long)
SLACK = 1.2
"""What 2,000 data sets may err, in points."""


@pytest.mark.parametrize("correlation", [0.0, LONG(0.1), 0.3, 0.8])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("rates", [LONG("0.02"), LONG("0.1"), "0.5", LONG("0.9"), "0.98", "spread", LONG("one fails"),
                                   "one fails beside better", "half fail"])  # fmt: skip
def test_benchmarks_and_metrics(rates: str, sizes: str, correlation: float) -> None:
    """Rates from .02 to .98, alike or not, clusters of 1 to 40, correlations up to .8: 93% or more, of metrics too.

    The exception that was found, and is in docs/decisions/evidence.md, covers 92%.
    """
    given, shape = RATES[rates], SIZES[sizes]
    found = drawn(np.random.default_rng(31), given, correlation, shape)
    exception = (rates, sizes, correlation) == ("one fails beside better", "6 of 2", 0.8)
    assert covered(strata_bounds(found), benchmark_truth(given, shape)) >= (92 if exception else 93) - SLACK
    assert covered(stratum_bounds(found), given) >= 93 - SLACK / 2  # twelve times as many


def test_metrics_of_different_rates_share_their_resemblance() -> None:
    """The truth of each metric lies in its interval in 93 to 98.5% of the cases, whatever the others' rates are."""
    rates = np.tile([0.1, 0.3, 0.5, 0.7, 0.9, 0.6], 2)
    found = drawn(np.random.default_rng(33), rates, 0.3, equal(3, 6))
    assert 93 <= covered(stratum_bounds(found), rates) <= 98.5


@pytest.mark.parametrize(
    ("sizes", "correlation", "most"),
    [("3 of 6", 0.0, 0.41), ("3 of 6", 0.1, 0.46), ("3 of 6", 0.3, 0.54), ("6 of 2", 0.0, 0.55), ("6 of 2", 0.3, 0.60),
     ("3 of 2", 0.3, 0.71), ("3 of 6", 0.8, 0.77)],
)  # fmt: skip
def test_a_metric_that_always_fails_costs_little_width(sizes: str, correlation: float, most: float) -> None:
    """Eleven metrics at .95 and one at 0: the width as a share of what it is when all base scenarios are pooled.

    No interval with this coverage can be narrower than the share that is not between metrics allows; ours is near it.
    """
    rates, shape = ONE_FAILS_BESIDE_BETTER, SIZES[sizes]
    found = drawn(np.random.default_rng(35), rates, correlation, shape)
    pooled = same_groups_bounds(found.sums.reshape(-1, 1, shape.size), found.counts.reshape(-1, 1, shape.size))
    per = shape[0, 0]
    within = float((rates * (1 - rates)).mean()) * (1 + (per - 1) * correlation) / per
    least = math.sqrt(within / (within + float(rates.var())))
    assert least * 0.95 <= width(strata_bounds(found)) / width(pooled) <= most


def test_resemblance_is_recovered() -> None:
    """The planted correlation of values within a base scenario, on average over data sets."""
    rng = np.random.default_rng(37)
    for planted in (0.0, 0.3, 0.8):
        many = drawn(rng, SPREAD, planted, equal(6, 4), 200)
        found = [
            resemblance(clusters_of(sums, counts)).correlation
            for sums, counts in zip(many.sums, many.counts, strict=True)
        ]
        assert np.mean(found) == pytest.approx(planted, abs=0.05)


def clusters_of(sums: np.ndarray, counts: np.ndarray) -> list[Clusters]:
    """Return the strata of one data set."""
    return [Clusters(one, own) for one, own in zip(sums, counts, strict=True)]


def test_one_data_set_is_computed_as_many_are() -> None:
    """Intervals of single data sets are those of the arrays that coverage is measured with."""
    many = drawn(np.random.default_rng(39), SPREAD, 0.3, ONE_TO_FORTY, 5)
    bounds, own = strata_bounds(many), stratum_bounds(many)
    for place in range(5):
        strata = clusters_of(many.sums[place], many.counts[place])
        whole, first = strata_interval(strata), alike_interval(strata[0], own_resemblances(strata)[0])
        assert (whole.low, whole.high) == pytest.approx((bounds[0][place], bounds[1][place]), abs=1e-12)
        assert (first.low, first.high) == pytest.approx((own[0][place, 0], own[1][place, 0]), abs=1e-12)


def test_what_one_base_scenario_can_tell() -> None:
    """Nothing: no interval alone; beside others it has theirs; metrics of one base scenario each are one stratum."""
    single = Clusters(np.array([1.0]), np.array([2.0]))
    assert not stratum_interval(single).is_known
    others = drawn(np.random.default_rng(38), SPREAD, 0.3, equal(3, 2), 1)
    beside = [single, *clusters_of(others.sums[0], others.counts[0])]
    assert alike_interval(single, own_resemblances(beside)[0]).is_known
    assert not strata_interval([single]).is_known
    twelve = [Clusters(np.array([float(n % 3)]), np.array([2.0])) for n in range(METRICS)]
    whole = Clusters(np.concatenate([one.sums for one in twelve]), np.concatenate([one.counts for one in twelve]))
    assert strata_interval(twelve) == stratum_interval(whole)


def test_all_alike_is_no_certainty() -> None:
    """Everything passes: up to 1, and below it by as much as the number of base scenarios leaves open."""
    strata = [Clusters(np.full(3, 2.0), np.full(3, 2.0)) for _ in range(METRICS)]
    found = strata_interval(strata)
    assert found.high == 1
    assert 0.85 < found.low < 0.98
    assert alike_interval(strata[0], own_resemblances(strata)[0]).low < 0.7
