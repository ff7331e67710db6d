"""Intervals of paired differences: they hold where whole scenarios are lost, and are of use where losses are smooth."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.paired_interval import PairedSums, paired_bounds, paired_interval, paired_sums
from tools.simulations.losses import LOSSES, Losses, drawn

SETS = 2_000


@pytest.mark.parametrize("design", LOSSES, ids=str)
def test_intervals_hold_and_gates_keep_their_promise(design: Losses) -> None:
    """95% cover 93% or more; at the margin a gate passes 3.5% at most, and two one-sided tests 6.5%."""
    gains, losses, counts = drawn(design, SETS)
    truth = float(((gains - losses).sum(-1) / counts.sum(-1)).mean())
    low, high = paired_bounds(gains, losses, counts)
    assert ((low <= truth) & (truth <= high)).mean() >= 0.93
    assert (low > truth).mean() <= 0.035
    assert (paired_bounds(gains, losses, counts, 0.90)[0] > truth).mean() <= 0.065


def test_equality_is_still_found_where_losses_are_smooth() -> None:
    """A model that loses and gains 5% of conversations at random is shown to be within .10 in 36 scenarios of six."""
    gains, losses, counts = drawn(Losses(1, 36, 6, 0.05, 0.05, 0.0), SETS)
    low, high = paired_bounds(gains, losses, counts, 0.90)
    assert ((low > -0.10) & (high < 0.10)).mean() >= 0.9


def test_signs_turn_and_units_scale() -> None:
    """What is gained by one side is lost by the other; a range twice as wide has bounds twice as far away."""
    rng = np.random.default_rng(2)
    gains, losses = rng.integers(0, 3, (2, 1, 12)).astype(float)
    counts = np.full((1, 12), 6.0)
    one = paired_interval(PairedSums(gains, losses, counts))
    other = paired_interval(PairedSums(losses, gains, counts))
    wide = paired_interval(PairedSums(2 * gains, 2 * losses, counts), 2.0)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert (wide.low, wide.high) == pytest.approx((2 * one.low, 2 * one.high))


def test_a_single_base_scenario_says_nothing() -> None:
    """Nor do none, nor differences without a limit."""
    alone = paired_sums([np.array([[1.0, 0.0, 6.0]])])
    assert paired_interval(alone) == UNKNOWN
    assert paired_interval(paired_sums([])) == UNKNOWN
    two = paired_sums([np.array([[1.0, 0.0, 6.0], [0.0, 0.0, 6.0]])])
    assert paired_interval(two, float("inf")) == UNKNOWN
    assert paired_interval(two).is_known
