"""Permutation tests of two samples, and differences in standard deviations: error rates, power, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helm_impactbench.stats.two_samples import (
    MOST_UNITS,
    SampleDifference,
    coordinate_tests,
    difference,
    one_each,
    overall_test,
)
from tests.stats.simulation import covered

SETS = 1_000
COORDINATES = 6


def _skewed(rng: np.random.Generator, units: int) -> np.ndarray:
    """Return correlated, skewed values with ties and gaps, as traits of style are; shape (units, COORDINATES)."""
    found = rng.normal(size=(units, COORDINATES)) + rng.normal(size=(units, 1))
    found[:, 1] = np.exp(found[:, 1])
    found[:, 2] = found[:, 2] > 1
    found[:, 3] = np.round(found[:, 3])
    found[rng.random(units) < 0.2, 4] = np.nan
    return found


def test_equal_distributions_are_told_apart_in_five_per_cent_at_most() -> None:
    """Overall and in any of the coordinates, with unequal samples."""
    rng = np.random.default_rng(11)
    any_found, overall = 0, 0
    for number in range(SETS):
        one, other = _skewed(rng, 25), _skewed(rng, 40)
        any_found += any(test.apart for test in coordinate_tests(one, other, 99, seed=number))
        overall += overall_test(np.nan_to_num(one), np.nan_to_num(other), 99, seed=number) <= 0.05
    assert 0.02 <= any_found / SETS <= 0.06
    assert 0.03 <= overall / SETS <= 0.06


def test_a_difference_of_place_or_of_spread_is_found_where_it_is() -> None:
    """A shift in one coordinate, and a narrower spread in another, are found there; the others are left alone."""
    rng = np.random.default_rng(2)
    found = np.zeros(COORDINATES)
    for number in range(40):
        one, other = rng.normal(size=(2, 80, COORDINATES))
        one[:, 0] += 1
        one[:, 1] /= 4
        found += [test.apart for test in coordinate_tests(one, other, 199, seed=number)]
        assert overall_test(one, other, 199, seed=number) <= 0.05
    assert found[0] >= 38
    assert found[1] >= 36
    assert found[2:].sum() <= 12


def test_what_cannot_be_tested_is_not_found() -> None:
    """Constant coordinates, ones without values and samples of four tell nothing apart."""
    constant = np.column_stack([np.ones(50), np.full(50, np.nan), np.arange(50.0)])
    tests = coordinate_tests(constant, constant + np.array([0, 0, 100]))
    assert [test.apart for test in tests] == [False, False, True]
    assert [test.p_value for test in tests[:2]] == [1.0, 1.0]
    assert overall_test(np.zeros((4, 1)), np.ones((50, 1))) == 1.0


def test_one_value_of_each_cluster_is_drawn() -> None:
    """Each cluster once, depending on the seed, and not more of them than a test takes."""
    clusters = [place // 3 for place in range(3 * 50)]
    drawn = one_each(clusters)
    assert sorted(clusters[place] for place in drawn) == list(range(50))
    assert drawn != one_each(clusters, seed=1)
    assert len(one_each(range(5_000))) == MOST_UNITS


def _delta(rng: np.random.Generator, shift: float, clusters: int = 20) -> SampleDifference:
    base = rng.normal(size=clusters)[:, None] * math.sqrt(0.5)
    one = base + rng.normal(size=(clusters, 6)) * math.sqrt(0.5) + shift
    return difference(list(one), [np.array([value]) for value in rng.normal(size=60)])


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_intervals_of_differences_cover_the_truth(shift: float) -> None:
    """With 20 clusters of 6 resembling values against 60 independent ones."""
    rng = np.random.default_rng(3)
    found = [_delta(rng, shift) for _ in range(600)]
    bounds = np.array([(one.interval.low, one.interval.high) for one in found]).T
    assert 93 <= covered((bounds[0], bounds[1]), shift) <= 98
    assert np.mean([one.value for one in found]) == pytest.approx(shift, abs=0.05)


def test_a_reference_that_does_not_vary_has_no_scale() -> None:
    """The means are known, the difference in standard deviations is not; with few clusters only the interval is not."""
    values = [np.array([1.0]), np.array([2.0])]
    flat = difference(values, [np.array([math.log(6)])] * 9)
    assert (flat.one, flat.other, flat.interval.is_known) == (1.5, pytest.approx(math.log(6)), False)
    assert math.isnan(flat.value)
    assert not difference(values, [np.array([x]) for x in (1.0, 2.0, 4.0)]).interval.is_known
