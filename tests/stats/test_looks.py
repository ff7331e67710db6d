"""Looking again at a difference while a suite grows."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.looks import Bets, bets_on
from helm_impactbench.stats.simultaneous import ALPHA
from tools.simulations.looks import QUARTERS, STAGES, passes, smallest_p_values


def test_equal_models_are_seldom_told_apart_at_any_of_four_looks() -> None:
    """Of 600 suites each 5% at most: base scenarios that come in quarters or threefold, variants, six models.

    One look after the other by an ordinary test at 5% would find 14.7%. `make simulations` has the whole table.
    """
    for models, rate, looks, whole, fails_whole in (
        (2, 0.7, QUARTERS, True, False), (2, 0.97, QUARTERS, True, True), (2, 0.7, QUARTERS, False, False),
        (6, 0.7, STAGES, True, False),
    ):  # fmt: skip
        found = passes(np.random.default_rng(1), [rate] * models, (600, 108, 4), one_fails_whole=fails_whole)
        least = [smallest_p_values(found, part, whole=whole)[0] for part in looks]
        assert (np.min(least, axis=0) <= ALPHA).mean() <= 0.05, (models, rate, looks, whole)


def test_the_better_model_is_found_long_before_the_end() -> None:
    """A difference of .2 is found in all of 200 suites of 216 base scenarios, mostly with a third of them or less."""
    found = passes(np.random.default_rng(2), [0.8, 0.6], (200, 216, 6))
    p_values = np.array([smallest_p_values(found, part)[0] for part in STAGES])
    assert (p_values[-1] <= ALPHA).all()
    assert (p_values[2] <= ALPHA).mean() > 0.95


def test_interval_and_test_say_the_same() -> None:
    """The interval of a single difference excludes 0 just where its test finds one, and turns with the sign."""
    rng = np.random.default_rng(3)
    for place in range(40):
        sums, counts = rng.integers(-6, 7, 30) + place // 10, np.full(30, 6.0)
        bets = bets_on([Clusters(np.clip(sums, -6, 6).astype(float), counts)])
        interval, test = bets.interval(), bets.test(1)
        assert test.found == (interval.low > 0 or interval.high < 0)
        turned = bets.turned().interval()
        assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low))
        assert interval.low <= float((bets.weights * bets.differences).mean()) <= interval.high


def test_benchmarks_count_alike_and_order_does_not() -> None:
    """Ten base scenarios weigh as much as forty; the same stake whatever comes first; more pairs, more caution."""
    up, down = Clusters(np.ones(10), np.ones(10)), Clusters(-np.ones(40), np.ones(40))
    bets = bets_on([up, down])
    assert float((bets.weights * bets.differences).mean()) == pytest.approx(0)
    shuffled = np.random.default_rng(4).permutation(50)
    other = Bets(bets.differences[shuffled], bets.weights[shuffled])
    assert float(other.p_values()) == pytest.approx(float(bets.p_values()))
    one = bets_on([up])
    assert one.test(10).adjusted == pytest.approx(10 * one.test(1).p_value)


def test_few_base_scenarios_can_find_nothing() -> None:
    """Five that all speak for one side multiply no stake by 40; twelve do."""
    assert not bets_on([Clusters(np.ones(5), np.ones(5))]).test(1).can_be_found
    assert bets_on([Clusters(np.ones(12), np.ones(12))]).test(1).found
