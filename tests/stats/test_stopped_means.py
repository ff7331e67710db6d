"""Means over several runs that stop once they are decided: all lean away from the bar, and the interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.sequential import ENOUGH
from helm_impactbench.stats.strata import mean_interval
from tests.stats.test_sequential import Lists, lists, stops

LONG = pytest.mark.long
SUITES = 60
RATE, CORRELATION = 0.7, 0.1


def stopped(size: int, bar: float, runs: int, seed: int) -> Lists:
    """Return what runs with one conversation in each base scenario have seen when they are certain about the list."""
    own = lists(RATE, CORRELATION, 1, size, seed=seed, runs=runs)
    until = np.minimum(np.minimum(*stops(own, np.full(runs, bar), size)), size)
    seen = np.arange(size) < until[:, None]
    return Lists(own.sums * seen, own.counts * seen)


def bounds(own: Lists) -> list[Interval]:
    """Return the interval of each run for other scenarios; what was not drawn moves no bet."""
    sides = []
    for below in (False, True):
        ruled_out, open_ = np.zeros(len(own.means)), 1 - own.means if below else own.means
        for _ in range(10):
            middle = (ruled_out + open_) / 2
            enough = own.evidence(1 - middle if below else middle, None, below=below)[:, -1] >= ENOUGH
            ruled_out, open_ = np.where(enough, middle, ruled_out), np.where(enough, open_, middle)
        sides.append(ruled_out)
    return [Interval(low, 1 - above) for low, above in zip(*sides, strict=True)]


@pytest.mark.parametrize(
    ("benchmarks", "size", "bar"),
    [(2, 216, 0.5), (18, 216, 0.5), *(pytest.param(*each, marks=LONG) for each in (
        (6, 216, 0.5), (18, 36, 0.5), (18, 216, 0.65), (6, 36, 0.9)))],
)  # fmt: skip
def test_the_mean_over_benchmarks_is_held(benchmarks: int, size: int, bar: float) -> None:
    """Each stops when it is certain on which side of the bar it lies: the mean's interval holds the true rate."""
    own = stopped(size, bar, SUITES * benchmarks, seed=benchmarks)
    intervals, means = bounds(own), own.means
    parts = [slice(first, first + benchmarks) for first in range(0, len(means), benchmarks)]
    found = [mean_interval(list(means[part]), intervals[part], may_stop_early=True) for part in parts]
    assert np.mean([each.low <= RATE <= each.high for each in found]) >= 0.95
    if (benchmarks, size) == (18, 216) and bar == 0.5:  # what the rule is for
        assert means.mean() > RATE + 0.03
        independent = [mean_interval(list(means[part]), intervals[part]) for part in parts]
        assert np.mean([each.low <= RATE for each in independent]) < 0.9


def test_from_the_mean_of_the_lows_to_the_mean_of_the_highs() -> None:
    """With weights too; unknown where one of them is."""
    parts = [Interval(0.5, 0.8), Interval(0.1, 0.7)]
    found = mean_interval([0.6, 0.4], parts, may_stop_early=True)
    assert (found.low, found.high) == pytest.approx((0.3, 0.75))
    found = mean_interval([0.6, 0.4], parts, [3, 1], may_stop_early=True)
    assert (found.low, found.high) == pytest.approx((0.4, 0.775))
    assert mean_interval([0.6, 0.4], [parts[0], UNKNOWN], may_stop_early=True) == UNKNOWN
