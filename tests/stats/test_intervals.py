"""95% intervals: of single rates, of means over clusters and over benchmarks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from helm_impactbench.stats.intervals import (
    UNKNOWN,
    cluster_interval,
    mean_of_means,
    same_groups_interval,
    score_interval,
    wilson,
)
from helm_impactbench.stats.population import drawn_interval
from tests.stats.builders import clusters


@pytest.mark.parametrize(("passed", "scored"), [(7, 9), (0, 5), (5, 5), (1, 1), (412, 1872)])
def test_wilson_is_statsmodels(passed: int, scored: int) -> None:
    """The bounds are the library's, at the ends too."""
    expected = proportion_confint(passed, scored, method="wilson")
    assert (wilson(passed, scored).low, wilson(passed, scored).high) == pytest.approx(expected, abs=1e-14)


def test_wilson_of_nothing_is_unknown() -> None:
    """A rate over nothing has no interval."""
    assert not wilson(0, 0).is_known


def test_score_interval_of_independent_values_is_wilsons_with_a_t_quantile() -> None:
    """With the variance of independent values and endless freedom it is Wilson's interval."""
    found, expected = score_interval(0.7, 0.7 * 0.3 / 50, 10**9, units=50), wilson(35, 50)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-6)


@given(
    rate=st.floats(0, 1),
    variance=st.floats(0, 0.25),
    freedom=st.integers(1, 500),
    units=st.integers(2, 500),
)
def test_score_interval_stays_in_its_range_and_holds_the_mean(
    rate: float, variance: float, freedom: int, units: int
) -> None:
    """Law: lowest <= low <= mean <= high <= highest, whatever the figures."""
    found = score_interval(2 * rate - 1, 4 * variance, freedom, units=units, lowest=-1.0, highest=1.0)
    assert -1 - 1e-9 <= found.low <= 2 * rate - 1 + 1e-9
    assert 2 * rate - 1 - 1e-9 <= found.high <= 1 + 1e-9


@pytest.mark.parametrize("own", [[[1.0], [1.0], [0.0], [1.0]], [[1.0, 0.0], [0.5, 0.5]]], ids=["few", "equal means"])
def test_intervals_are_never_a_point(own: list[list[float]]) -> None:
    """Few clusters, or clusters that agree exactly, leave doubt."""
    found = cluster_interval(clusters(*own))
    assert found.low < found.high


def test_all_passed_has_an_open_end_below() -> None:
    """36 scenarios without a failure do not prove that there is none."""
    found = cluster_interval(clusters(*[[1.0, 1.0]] * 36))
    assert found.high == 1.0
    assert 0.85 < found.low < 0.95


def test_one_cluster_says_nothing() -> None:
    """No interval can be told from a single base scenario."""
    one = clusters([1.0, 0.0, 1.0])
    assert cluster_interval(one) == UNKNOWN
    assert same_groups_interval([one]) == UNKNOWN
    assert drawn_interval([1.0], UNKNOWN) == UNKNOWN
    with pytest.raises(ValueError, match="no values, so no mean"):
        _ = clusters().mean


def test_overall_score_is_the_plain_mean_over_benchmarks() -> None:
    """A benchmark with more conversations does not weigh more, and one benchmark has its own interval."""
    small, large = clusters([1.0], [1.0]), clusters(*[[0.0, 1.0]] * 30)
    assert mean_of_means([small, large]) == 0.75
    assert drawn_interval([large.mean], cluster_interval(large)) == cluster_interval(large)
