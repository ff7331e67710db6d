"""Tails of the sign-flip test without flipping signs, against all patterns of signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from helm_impactbench.stats.sign_flip_tails import sign_flip_p_values

SIGNS = 1.0 - 2.0 * ((np.arange(2**16)[:, None] >> np.arange(16)) & 1)


def exact(data: Any) -> Any:
    """Return p values from all patterns of 16 signs."""
    return np.array([(np.abs(SIGNS @ row) >= abs(row.sum()) * (1 - 1e-9)).mean() for row in data])


@pytest.mark.parametrize("columns", [6, 16])
@pytest.mark.parametrize(
    ("values", "step"), [((-1.0, 0.0, 1.0), 1.0), ((-1.0, -0.5, 0.0, 0.5, 1.0), 0.5), (None, 0.0)], ids=str
)
def test_tails_are_those_of_all_patterns(values: tuple[float, ...] | None, step: float, columns: int) -> None:
    """Within a sixth where findings are decided, .0003 to .1, for coarse and for smooth differences."""
    rng = np.random.default_rng(1)
    data = rng.normal(0.5, 0.8, (600, 16)) if values is None else rng.choice(values, size=(600, 16))
    data = np.where(np.arange(16) < columns, np.abs(data) * rng.choice([-1, 1], p=[0.2, 0.8], size=data.shape), 0.0)
    truth, found = exact(data), sign_flip_p_values(data, step)
    near = (truth > 0.0003) & (truth < 0.1)
    ratios = found[near] / truth[near]
    assert near.sum() > 30
    assert np.quantile(ratios, 0.05) > 5 / 6
    assert np.quantile(ratios, 0.95) < 7 / 6
    for level in (0.05, 0.0045):  # as many findings
        assert np.mean(found <= level) == pytest.approx(np.mean(truth <= level), abs=0.015)


def test_long_rows_agree_with_the_binomial_distribution() -> None:
    """Differences of -1, 0 and 1: the number of ones is binomial."""
    data = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], p=[0.2, 0.4, 0.4], size=(400, 200))
    moving, sums = (data != 0).sum(axis=1), np.abs(data.sum(axis=1))
    truth, found = 2 * stats.binom.sf((moving + sums) / 2 - 1, moving, 0.5), sign_flip_p_values(data, 1.0)
    near = (truth > 1e-6) & (truth < 0.1)
    assert found[near] / truth[near] == pytest.approx(1, abs=0.06)


def test_nothing_that_moves_is_no_finding() -> None:
    """A row of zeros has p = 1, one difference alone too, and all alike the least there is."""
    data = np.array([[0.0] * 12, [1.0] + [0.0] * 11, [1.0] * 12])
    assert sign_flip_p_values(data, 1.0) == pytest.approx([1, 1, 2 / 2**12], rel=0.2)
