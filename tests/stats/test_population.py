"""Intervals for these parts, and for other parts like these."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import drawn_interval, drawn_parts, drawn_rate_interval, interval_of

NARROW, WIDE = Interval(0.7, 0.8), Interval(0.6, 0.9)


@dataclass(frozen=True)
class Part:
    """A figure with both intervals."""

    interval: Interval = NARROW
    like_these_interval: Interval = WIDE


def test_each_population_has_its_interval() -> None:
    """By the names that --population takes."""
    assert (interval_of(Part(), "these"), interval_of(Part(), "like-these")) == (NARROW, WIDE)


def test_one_part_says_nothing_of_others() -> None:
    """Of a single benchmark the level below is drawn; of a single metric the interval is that of the metric."""
    assert drawn_parts([0.75], [Part()], NARROW) == WIDE
    assert drawn_interval([0.75], NARROW) == NARROW


def test_drawn_parts_are_never_more_certain_than_these() -> None:
    """Parts that agree exactly, or nearly, have the interval for these very parts."""
    assert drawn_interval([0.75, 0.75, 0.75], NARROW) == NARROW
    assert drawn_interval([0.75, 0.7501, 0.75], NARROW) == NARROW
    spread = drawn_interval([0.5, 0.75, 0.95], NARROW)
    assert spread.low < NARROW.low < NARROW.high < spread.high


def test_rates_that_are_alike_say_nothing_of_others() -> None:
    """Unknown where parts differ by no more than chance would make them; as drawn_interval where they do."""
    assert not drawn_rate_interval([0.75, 0.75, 0.75], NARROW).is_known
    assert not drawn_rate_interval([0.70, 0.75, 0.80], NARROW).is_known
    apart = [0.5, 0.75, 0.95]
    assert drawn_rate_interval(apart, NARROW) == drawn_interval(apart, NARROW)
    assert drawn_rate_interval([0.75], NARROW) == NARROW
    assert drawn_rate_interval(apart, UNKNOWN) == UNKNOWN
    weighted = [0.2, 0.9, 0.9], NARROW, [40, 50, 50]
    assert drawn_rate_interval(*weighted) == drawn_interval(*weighted)
    assert not drawn_rate_interval([0.2, 0.9, 0.9], NARROW, [1, 50, 50]).is_known


def test_parts_count_by_their_weights() -> None:
    """A metric with few conversations counts for little; the interval is around the weighted mean."""
    found = drawn_interval([0.2, 0.9, 0.9], UNKNOWN, [1, 50, 50])
    assert found.low < (0.2 + 50 * 1.8) / 101 < found.high
    assert found.low > drawn_interval([0.2, 0.9, 0.9], UNKNOWN).low


def test_quantities_without_a_range_are_drawn_too() -> None:
    """Dollars have the interval of the t distribution; amounts that are all equal leave it unknown."""
    found = drawn_interval([100.0, 200.0, 300.0], UNKNOWN, lowest=-math.inf, highest=math.inf)
    assert (found.low + found.high) / 2 == pytest.approx(200)
    assert not drawn_interval([100.0, 100.0], UNKNOWN, lowest=-math.inf, highest=math.inf).is_known
