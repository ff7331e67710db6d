"""Quantiles of clustered values: their intervals hold the truth, and too few values bound nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.quantiles import quantile

BETWEEN, WITHIN = 0.3, 0.5
"""Variances of the logarithm, between clusters and within one."""


@pytest.mark.parametrize(("share", "normal"), [(0.5, 0.0), (0.9, 1.2815515655446)])
def test_intervals_hold_the_true_quantile(share: float, normal: float) -> None:
    """Of skewed values in 36 clusters of 6, in at least 92% of 400 data sets."""
    rng = np.random.default_rng(36)
    truth = math.exp(normal * math.sqrt(BETWEEN + WITHIN))
    covered = 0
    for _ in range(400):
        middle = np.repeat(rng.normal(0, math.sqrt(BETWEEN), 36), 6)
        values = np.exp(middle + rng.normal(0, math.sqrt(WITHIN), 216))
        found = quantile(values.tolist(), np.repeat(np.arange(36), 6).tolist(), share).interval
        covered += found.low <= truth <= found.high
    assert covered >= 0.92 * 400


def test_a_quantile_is_the_least_value_that_the_share_does_not_exceed() -> None:
    """Nine of ten values are at most the ninth; ten of them cannot bound it from above."""
    values = [float(one) for one in range(10, 0, -1)]
    assert (quantile(values, range(10), 0.9).value, quantile(values, range(10), 0.5).value) == (9.0, 5.0)
    assert quantile(values, range(10), 0.9).interval == UNKNOWN
    assert quantile(values, ["a"] * 10, 0.5).interval == UNKNOWN
