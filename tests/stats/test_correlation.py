"""Rank correlation over few models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from helm_impactbench.stats.correlation import rank_correlation, rho_interval


def test_a_perfect_order_of_five_is_no_proof() -> None:
    """With five models p cannot be below 2/120, and the interval reaches from little to all."""
    found = rank_correlation([1, 2, 3, 4, 5], [10, 20, 40, 80, 160])
    assert found is not None
    assert (found.value, found.p_value, found.pairs) == (pytest.approx(1), pytest.approx(2 / 120), 5)
    assert found.interval.low == pytest.approx(0.16, abs=0.01)
    assert found.interval.high == 1.0
    other = rank_correlation([1, 2, 3, 4, 5], [-10, -20, -40, -80, -160])
    assert other is not None
    assert (other.value, other.interval.low, other.interval.high) == (
        pytest.approx(-1), -1.0, pytest.approx(-found.interval.low),
    )  # fmt: skip


@pytest.mark.parametrize("count", [6, 7, 12])
def test_rho_and_p_agree_with_scipy(count: int) -> None:
    """rho is scipy's, ties included; p is that of a test by re-pairing, which scipy's formula comes near."""
    rng = np.random.default_rng(count)
    for _ in range(5):
        first, second = rng.integers(0, count, (2, count)).tolist()
        found = rank_correlation(first, second)
        expected = stats.spearmanr(first, second)
        assert found is not None
        assert found.value == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.pvalue, abs=0.06)


@pytest.mark.parametrize(
    ("first", "second"),
    [([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4, 5], [7, 7, 7, 7, 7]), ([], [])],
    ids=["four models", "no spread", "nobody"],
)
def test_no_figure_where_none_can_mean_anything(first: list[float], second: list[float]) -> None:
    """Fewer than five models, or one score for all, give no correlation in place of a misleading one."""
    assert rank_correlation(first, second) is None


@pytest.mark.parametrize(("pairs", "link"), [(5, 0.0), (5, 0.9), (8, 0.6), (14, 0.0), (14, 0.8), (20, 0.95)])
def test_the_interval_holds_the_truth(pairs: int, link: float) -> None:
    """The 95% interval of rho covers the true rank correlation of normal pairs in at least 92% of 1,500 draws."""
    rng = np.random.default_rng(pairs)
    first = rng.standard_normal((1500, pairs))
    second = link * first + math.sqrt(1 - link**2) * rng.standard_normal((1500, pairs))
    ranks = [stats.rankdata(values, axis=1) for values in (first, second)]
    found = 1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum(axis=1) / (pairs * (pairs**2 - 1))
    truth = 6 / math.pi * math.asin(link / 2)
    intervals = [rho_interval(float(rho), pairs) for rho in found]
    assert np.mean([one.low <= truth <= one.high for one in intervals]) >= 0.92


def test_rounding_errors_are_ties() -> None:
    """.1 + .2 and .3 are the same figure: the coefficient is that of the tied values."""
    first, tied = [0.1 + 0.2, 0.3, 0.5, 0.7, 0.9, 0.2], [0.3, 0.3, 0.5, 0.7, 0.9, 0.2]
    second = [0.1, 0.9, 0.4, 0.6, 0.5, 0.2]
    found, expected = rank_correlation(first, second), rank_correlation(tied, second)
    assert found == expected
