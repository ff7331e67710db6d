"""How many conversations without a failure show that failures are rare."""

from __future__ import annotations

import math

import numpy as np

from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.strata import strata_interval

ONE_SIDED = 0.05
"""Risk that a rate at the bar shows no failure in so many base scenarios."""


def bases_without_failure(rate: float, correlation: float, size: float) -> int:
    """Return the base scenarios without a failure after which the rate is below `rate`, one-sided at 95%.

    size: conversations of each; correlation: of two of them. Failures are beta-binomial: with 0 every conversation
    counts, with 1 every base scenario. Source: Griffiths (1973), Biometrics 29.
    """
    if correlation >= 1 or size <= 1:
        none = math.log1p(-rate)
    elif correlation <= 0:
        none = size * math.log1p(-rate)
    else:
        weight = 1 / correlation - 1
        places = np.arange(math.ceil(size))
        parts = np.minimum(1.0, size - places)  # of a mean size, such as 5.5, the last conversation counts by half
        none = float((parts * np.log1p(-rate * weight / (weight + places))).sum())
    return math.ceil(math.log(ONE_SIDED) / none)


def bases_for_interval(rate: float, size: float) -> int:
    """Return the base scenarios without a failure after which the interval that `rates` and `gate` show ends below.

    It is two-sided (95%), and where nothing fails nothing tells that conversations of a base scenario are independent.
    """
    low, high = 3, 4
    while _upper(high, size) > rate:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _upper(middle, size) <= rate else (middle, high)
    return high


def _upper(bases: int, size: float) -> float:
    passed = np.full(bases, size)
    two_metrics = [Clusters(half, half) for half in np.array_split(passed, 2)]
    return 1 - strata_interval(two_metrics).low
