"""Conversations without a failure, and what they show."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.rare import bases_for_interval, bases_without_failure
from helm_impactbench.stats.strata import strata_interval


def test_the_rule_of_three() -> None:
    """Independent conversations: three over the rate, nearly. Copies: as many base scenarios. Between them: between."""
    assert bases_without_failure(0.001, 0.3, 1) == 2_995
    assert bases_without_failure(0.001, 0.0, 6) == 500
    assert bases_without_failure(0.001, 1.0, 6) == 2_995
    assert 500 < bases_without_failure(0.001, 0.3, 6) < bases_without_failure(0.001, 0.6, 6) < 2_995
    assert bases_without_failure(0.001, 0.3, 6) < bases_without_failure(0.001, 0.3, 5.5)


@pytest.mark.parametrize(("correlation", "size"), [(0.0, 4), (0.3, 6), (0.8, 3)])
def test_a_model_at_the_rate_seldom_gets_so_far(correlation: float, size: int) -> None:
    """Of 20,000 suites of so many base scenarios 5% have no failure, if failures are as frequent as the rate."""
    rng, rate = np.random.default_rng(1), 0.02
    bases = bases_without_failure(rate, correlation, size)
    shape = (20_000, bases)
    rates = rng.beta(rate * (1 / correlation - 1), (1 - rate) * (1 / correlation - 1), shape) if correlation else rate
    none = (rng.binomial(size, rates, shape).sum(axis=1) == 0).mean()
    assert none == pytest.approx(0.05, abs=0.006)


def test_it_is_the_interval_that_rates_show() -> None:
    """One base scenario less, and it reaches the rate."""
    needed = bases_for_interval(0.01, 6)
    for bases, ends_below in ((needed, True), (needed - 1, False)):
        metrics = [Clusters(half, half) for half in np.array_split(np.full(bases, 6.0), 3)]
        assert (1 - strata_interval(metrics).low <= 0.01) == ends_below
