"""Intervals of paired differences: they hold where whole scenarios are lost, and are of use where losses are smooth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.paired_interval import PairedSums, paired_bounds, paired_interval, paired_sums

SETS = 2_000


class Design(NamedTuple):
    """What is lost and gained in a suite of so many benchmarks and base scenarios."""

    benchmarks: int
    bases: int
    size: int
    """Pairs of a base scenario; 0 for 1 to 40 of them."""
    loss: float
    gain: float
    alike: float
    """Share of base scenarios in which all pairs are lost, or gained, together."""


DESIGNS = [
    Design(1, 36, 6, 0.10, 0.0, 1.0), Design(1, 72, 6, 0.05, 0.0, 1.0), Design(1, 216, 6, 0.02, 0.0, 1.0),
    Design(6, 36, 6, 0.05, 0.0, 1.0), Design(18, 12, 6, 0.05, 0.0, 1.0), Design(1, 36, 0, 0.10, 0.0, 1.0),
    Design(1, 72, 0, 0.05, 0.0, 1.0), Design(1, 36, 6, 0.20, 0.10, 0.0), Design(1, 72, 6, 0.08, 0.03, 0.5),
    Design(1, 36, 0, 0.15, 0.05, 1.0),
]  # fmt: skip


def drawn(design: Design, seed: int = 1) -> tuple[Floats, Floats, Floats]:
    """Return gains, losses and counts of many data sets; shape (SETS, benchmarks, bases)."""
    rng, shape = np.random.default_rng(seed), (SETS, design.benchmarks, design.bases)
    counts = rng.integers(1, 41, shape) if not design.size else np.full(shape, design.size)

    def events(rate: float) -> Floats:
        whole, apart = (rng.random(shape) < rate) * counts, rng.binomial(counts, rate)
        return np.where(rng.random(shape) < design.alike, whole, apart).astype(float)

    losses = events(design.loss)
    return np.minimum(events(design.gain), counts - losses), losses, counts.astype(float)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_intervals_hold_and_gates_keep_their_promise(design: Design) -> None:
    """95% cover 93% or more; at the margin a gate passes 3.5% at most, and two one-sided tests 6.5%."""
    gains, losses, counts = drawn(design)
    truth = float(((gains - losses).sum(-1) / counts.sum(-1)).mean())
    low, high = paired_bounds(gains, losses, counts)
    assert ((low <= truth) & (truth <= high)).mean() >= 0.93
    assert (low > truth).mean() <= 0.035
    assert (paired_bounds(gains, losses, counts, 0.90)[0] > truth).mean() <= 0.065


def test_equality_is_still_found_where_losses_are_smooth() -> None:
    """A model that loses and gains 5% of conversations at random is shown to be within .10 in 36 scenarios of six."""
    gains, losses, counts = drawn(Design(1, 36, 6, 0.05, 0.05, 0.0))
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
