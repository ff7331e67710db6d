"""A gap beyond chance is one that exchanged levels do not give."""

from __future__ import annotations

import numpy as np

from helm_impactbench.stats.exchange_levels import chance_gap


def test_no_gap_is_no_finding() -> None:
    """Equal values at all levels: size 0, and every exchange is as wide."""
    found = chance_gap({"m": np.ones((5, 3))})
    assert found
    assert (found.size, found.by_chance, found.p_value) == (0.0, 0.0, 1.0)


def test_a_gap_in_every_case_is_found() -> None:
    """The first of three levels has less in each of 16 cases."""
    values = np.tile([0.9, 1.0, 1.0], (16, 1))
    found = chance_gap({"m": values})
    assert found
    assert abs(found.size - 0.1) < 1e-9
    assert found.p_value <= 0.001
    assert 0 < found.by_chance < found.size


def test_levels_that_are_alike_are_told_apart_in_one_set_of_twenty() -> None:
    """Noise alone, three metrics with three levels: the p-value is below .05 in 5% of sets."""
    random = np.random.default_rng(5)
    rejected = 0
    for _ in range(200):
        found = chance_gap({name: random.normal(size=(12, 3)) for name in "abc"}, exchanges=199)
        assert found
        rejected += found.p_value <= 0.05
    assert rejected <= 19


def test_missing_values_stay_where_they_are() -> None:
    """Cases with one level are left out; a missing level does not get another's value."""
    values = np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, 5.0], [1.0, np.nan, 0.0]])
    found = chance_gap({"m": values})
    assert found
    assert found.size == 1.0
    assert chance_gap({"m": values[1:2]}) is None
