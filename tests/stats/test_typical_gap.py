"""The typical gap: right on average, not larger with noise, and compared at 5% however models differ in noise."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.typical_gap import (
    GapsOfTwo,
    LevelValues,
    _exchanged_squares,
    _orders,
    gap_tests_of_two,
    on_shared,
)


def given(values: Floats, metrics: int = 1) -> LevelValues:
    """Return values whose rows are spread over metrics."""
    return LevelValues(tuple((f"m{row % metrics}", row) for row in range(len(values))), values)


def pairs(models: list[LevelValues]) -> list[GapsOfTwo]:
    """Return all pairs on what both have."""
    return [found for one, other in combinations(models, 2) if (found := on_shared(one, other))]


@pytest.mark.parametrize("levels", [2, 6])
@pytest.mark.parametrize("bases", [4, 12])
@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_the_square_is_right_on_average(levels: int, bases: int, noise: float) -> None:
    """Whatever the noise, the levels and the cases: 0 without a gap, and the gap's own square with one."""
    rng = np.random.default_rng(3)
    shape = np.where(np.arange(levels) % 2 == 0, 0.1, -0.1)
    for gap in (np.zeros(levels), shape):
        drawn = [given(gap + rng.normal(0, noise, (bases, levels)), metrics=2).squared for _ in range(1_000)]
        error = float(np.std(drawn)) / np.sqrt(len(drawn))
        assert abs(float(np.mean(drawn)) - float((gap**2).mean())) <= 4 * error


def test_influences_add_up_and_missing_levels_are_left_out() -> None:
    """They are what the gap is made of; a row with one value says nothing, and both models lose it."""
    rng = np.random.default_rng(5)
    values = np.array([0.4, 0.0, -0.4]) + rng.normal(0, 0.5, (10, 3))
    one = given(values, metrics=2)
    assert one.gap > 0
    assert one.influences().sum() == pytest.approx(one.gap)
    torn = values.copy()
    torn[0, 1:] = np.nan
    shared = on_shared(one, given(torn, metrics=2))
    assert shared is not None
    assert not shared.near.known[0].any()
    assert on_shared(one, LevelValues((("m9", 0),), values[:1])) is None


def test_a_real_difference_is_found_and_equal_models_are_not() -> None:
    """One model with a gap beside one without, in 36 base scenarios; and one beside itself."""
    rng = np.random.default_rng(7)
    even, partial = (given(np.array([gap, -gap]) + rng.normal(0, 0.2, (36, 2))) for gap in (0.0, 0.2))
    (test,) = gap_tests_of_two(pairs([even, partial]))
    assert test.found
    (same,) = gap_tests_of_two(pairs([partial, partial]))
    assert (same.p_value, same.adjusted) == (1.0, 1.0)


@pytest.mark.parametrize("levels", [2, 6])
@pytest.mark.parametrize("noises", [(0.3, 0.3, 0.3), (0.05, 0.5, 0.5)])
def test_models_without_a_gap_are_told_apart_in_one_of_twenty_suites(levels: int, noises: tuple[float, ...]) -> None:
    """Three models, equally noisy or not, 12 base scenarios: 100 suites. `make simulations` has the whole table."""
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        models = [given(rng.normal(0, noise, (12, levels)), metrics=2) for noise in noises]
        found += any(test.found for test in gap_tests_of_two(pairs(models)))
    assert found <= 10, "5% and two and a half standard errors"


def test_exchanges_of_all_models_at_once_are_those_of_each_alone() -> None:
    """Row by row: levels change places, and a row that lacks one has its sign flipped."""
    rng = np.random.default_rng(9)
    values = rng.normal(0, 0.3, (2, 7, 3))
    values[0, 2, 1] = values[1, 5, 0] = np.nan
    models = [given(one, metrics=2) for one in values]
    bases = sorted(models[0].bases, key=repr)
    orders = _orders(len(bases), 50, 3)
    for one, found in zip(models, _exchanged_squares(models, bases, orders), strict=True):
        assert found[0] == pytest.approx(one.squared)
        for exchange in range(51):
            parts = np.zeros_like(one.parts)
            for row, base in enumerate(one.bases):
                order, own = orders[bases.index(base), exchange], one.parts[row]
                parts[row] = own[order] if one.known[row].all() else own * (1 if order[0] % 2 == 0 else -1)
            square = float((parts.sum(axis=0) ** 2).sum())
            for rows in one.metrics:
                mean, size = float((parts[rows].sum(axis=0) ** 2).sum()), rows.sum()
                square += size / (size - 1) * (mean - float((one.parts[rows] ** 2).sum())) - mean
            assert found[exchange] == pytest.approx(square / 3)
