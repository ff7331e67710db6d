"""Tests of "no difference", alone and among many."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.multitest import multipletests

from helm_impactbench.stats.simultaneous import (
    FamilyTest,
    Moves,
    benjamini_hochberg,
    family_bounds,
    simultaneous_tests,
)


def alone(values: np.ndarray) -> FamilyTest:
    """Return the test of one difference with these cluster sums."""
    return simultaneous_tests([dict(enumerate(map(float, values)))])[0]


def all_pairs(scores: np.ndarray) -> list[Moves]:
    """Return the differences of every two rows; shape (models, clusters)."""
    return [dict(enumerate(one - other)) for one, other in combinations(scores.astype(float), 2)]


def test_few_clusters_have_every_pattern_counted() -> None:
    """Three clusters that all went up: 2 of 8 patterns are as extreme; no fewer can be."""
    three = alone(np.ones(3))
    assert three.p_value == three.adjusted == three.smallest == 0.25
    assert not three.can_be_found
    assert alone(np.ones(6)).found
    assert alone(np.array([1.0, -1.0, 1.0, -1.0])).p_value == 1.0
    assert alone(np.zeros(5)).p_value == alone(np.array([0.0, 0.5])).p_value == 1.0
    assert simultaneous_tests([]) == []


@pytest.mark.parametrize("clusters", [4, 9, 31, 300])
def test_moves_that_cancel_out_are_no_difference(clusters: int) -> None:
    """They do so but for rounding: the sum is 1e-17 or the like, which a few patterns of signs fall short of."""
    up = np.random.default_rng(clusters).random(clusters)
    moves = np.concatenate([up, -up[:-2], [-up[-2] - up[-1]]])
    while moves.sum() == 0:
        moves = np.random.default_rng(len(moves)).permutation(moves) / 3
    assert abs(moves.sum()) < 1e-13
    found = [alone(moves), *simultaneous_tests([dict(enumerate(moves)), dict(enumerate(moves + 0.5))])]
    assert [test.p_value for test in found[:2]] == [test.adjusted for test in found[:2]] == [1.0, 1.0]
    assert found[2].p_value < 1


@pytest.mark.parametrize("clusters", [2, 5, 13, 20, 300, 700])
def test_a_single_test_is_scipys(clusters: int) -> None:
    """Where every pattern counts, exactly; with random patterns, as near as two draws are to each other."""
    rng = np.random.default_rng(clusters)
    for shift in (0.0, 0.05, 0.2):
        differences = rng.integers(-3, 4, clusters) / 7 + shift
        moved = differences[differences != 0]
        tested = permutation_test((moved,), np.sum, permutation_type="samples", vectorized=True, n_resamples=9_999,
                                  batch=500, rng=np.random.default_rng(1))  # fmt: skip
        exact = 2 ** len(moved) <= 9_999
        assert alone(differences).p_value == pytest.approx(min(1.0, tested.pvalue), abs=1e-12 if exact else 0.04)


def test_sign_flips_agree_with_the_sign_test() -> None:
    """For differences of equal size the test is the exact sign test, up to its random patterns."""
    differences = np.array([1.0] * 20 + [-1.0] * 8)
    assert alone(differences).p_value == pytest.approx(binomtest(20, 28).pvalue, abs=0.01)


def test_the_same_test_twice_costs_nothing() -> None:
    """Tests that move together are one test to max-T; to Holm they would be two."""
    moves = dict(enumerate(np.random.default_rng(1).normal(0.3, 1, 40)))
    single, first, second = *simultaneous_tests([moves]), *simultaneous_tests([moves, moves])
    assert first == second
    assert first.adjusted == single.p_value


def test_figures_by_hand() -> None:
    """Two tests over three clusters, all eight patterns: each statistic against the larger of both."""
    large, small = simultaneous_tests([{1: 1.0, 2: 1.0, 3: 1.0}, {1: 1.0, 2: 1.0, 3: -1.0}])
    assert (large.p_value, large.adjusted) == (0.25, 0.5)  # +++ and --- reach it, and ++- and --+ in the other test
    assert (small.p_value, small.adjusted) == (1.0, 1.0)


@pytest.mark.parametrize("models", [22, 23, 40, 60])
def test_many_models_are_still_told_apart(models: int) -> None:
    """Rates from 0 to 1 in equal steps: at least half of the pairs, however many there are."""
    rng = np.random.default_rng(models)
    scores = rng.random((models, 108)) < np.linspace(0, 1, models)[:, None]
    tests = simultaneous_tests(all_pairs(scores))
    assert sum(test.found for test in tests) >= len(tests) / 2


def test_family_error_of_many_equal_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """23 equal models, 253 pairs: any two are told apart in at most 6.5% of 500 data sets."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 999)  # for the clock: p values are coarser
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(500):
        scores = rng.random((23, 36)) < rng.beta(2, 1, 36)
        wrong += any(test.found for test in simultaneous_tests(all_pairs(scores)))
    assert wrong <= 0.065 * 500


def test_one_large_gap_among_many_contrasts_is_found() -> None:
    """14 models x 18 benchmarks of 36 base scenarios, one of them with a gap of 100 points: that one and no other."""
    rng = np.random.default_rng(6)
    family: list[Moves] = [
        {(benchmark, base): float(move) for base, move in enumerate(rng.integers(-1, 2, 36))}
        for _ in range(14) for benchmark in range(18)
    ]  # fmt: skip
    family[100] = dict.fromkeys(family[100], 1.0)
    assert [place for place, test in enumerate(simultaneous_tests(family)) if test.found] == [100]


def test_what_cannot_be_found_is_said_after_the_correction() -> None:
    """Six clusters can reach 5% alone, and not among 500 other tests; 36 can."""
    rng = np.random.default_rng(7)
    others: list[Moves] = [{(k % 9, base): float(rng.normal()) for base in range(36)} for k in range(500)]
    six, many = dict.fromkeys("abcdef", 1.0), dict.fromkeys(range(36), 1.0)
    assert simultaneous_tests([six])[0].can_be_found
    tests = simultaneous_tests([six, many, *others])
    assert (tests[0].can_be_found, tests[0].found) == (False, False)
    assert (tests[1].can_be_found, tests[1].found) == (True, True)


def test_adjusted_is_never_below_the_test_alone() -> None:
    """Nor above 1, nor in another order than the statistics."""
    rng = np.random.default_rng(8)
    tests = simultaneous_tests([dict(enumerate(rng.normal(shift, 1, 30))) for shift in np.linspace(0, 1, 12)])
    assert all(test.p_value <= test.adjusted <= 1 for test in tests)
    by_p = sorted(tests, key=lambda test: test.p_value)
    assert [test.adjusted for test in by_p] == sorted(test.adjusted for test in tests)


@pytest.mark.parametrize("number", [1, 2, 40, 253])
def test_benjamini_hochberg_is_statsmodels(number: int) -> None:
    """Ties included, none above 1."""
    p_values = np.random.default_rng(number).integers(0, 60, number) / 59
    expected = multipletests(p_values, method="fdr_bh")[1]
    assert list(benjamini_hochberg(list(p_values))) == pytest.approx(list(expected))


def test_bounds_exclude_0_just_where_the_test_finds_a_difference() -> None:
    """Of 12 models' 66 pairs, in few and many clusters of unequal size, alone and together; the value lies between."""
    rng = np.random.default_rng(10)
    for clusters in (6, 13, 36, 300):
        weights = rng.integers(1, 9, clusters) / 1.0
        weights /= weights.sum()
        values = rng.normal(np.linspace(0, 1, 12)[:, None], 1, (12, clusters)) * weights
        family = all_pairs(values)
        for own in ([one] for one in family):
            _agree(own, weights)
        _agree(family, weights)


def _agree(family: list[Moves], weights: np.ndarray) -> None:
    for moves, test in zip(family, simultaneous_tests(family), strict=True):
        low, high = family_bounds(np.array(list(moves.values())), weights, test.critical)
        assert low <= sum(moves.values()) <= high
        assert test.found == (low > 0 or high < 0)
