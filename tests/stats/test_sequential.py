"""Runs that may stop at any moment, simulated: what their intervals hold, and how much they spare."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import UNKNOWN, Interval, wilson
from helm_impactbench.stats.sequential import ENOUGH, Draws, Goal, evidence
from tests.support.outcomes import beta

RUNS = 2_000


@dataclass(frozen=True)
class Lists:
    """Many lists of base scenarios, each in the order of its draws."""

    sums: Floats
    """Shape (runs, size)."""
    counts: Floats

    @property
    def means(self) -> Floats:
        """What each whole list would show."""
        return np.asarray(self.sums.sum(1) / self.counts.sum(1))

    def evidence(self, mean: Floats | float, of: int | None, *, below: bool = False) -> Floats:
        """Return the evidence that the mean is more (or less) than `mean`, by run and draw."""
        sums = self.counts - self.sums if below else self.sums
        return evidence(sums, self.counts, 1 - mean if below else mean, float(self.counts.max()), of)


def lists(
    rate: float, correlation: float, values: int, size: int, *, seed: int, unequal: bool = False, runs: int = RUNS
) -> Lists:
    """Return lists of base scenarios with `values` conversations each, or with 0 to `values` if they are unequal."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, values + 1, (runs, size)) if unequal else np.full((runs, size), values)
    chances = beta(rng, rate, correlation, runs * size).reshape(runs, size)
    return Lists(rng.binomial(counts, chances).astype(float), counts.astype(float))


def first(evidence_: Floats) -> Floats:
    """Return after how many draws each run's evidence is enough; infinity where it never is."""
    reached = evidence_ >= ENOUGH
    return np.where(reached.any(1), reached.argmax(1) + 1.0, math.inf)


def stops(own: Lists, bars: Floats, of: int | None) -> tuple[Floats, Floats]:
    """Return after how many draws each run is certain that its bar is cleared, and that it is missed."""
    return first(own.evidence(bars, of)), first(own.evidence(bars, of, below=True))


LONG = pytest.mark.long
SETTINGS = [
    (0.5, 0.3, 2), (0.8, 0.3, 2), (0.98, 0.1, 2), (0.7, 0.8, 6),
    pytest.param((0.9, 0.1, 2), marks=LONG), pytest.param((0.02, 0.01, 1), marks=LONG),
    pytest.param((0.8, 0.01, 6), marks=LONG), pytest.param((0.3, 0.1, 40), marks=LONG),
]  # fmt: skip
"""Rate, correlation within base scenarios, conversations of each."""
SIZES = [
    36,
    pytest.param(72, marks=LONG),
    pytest.param(216, marks=LONG),
    pytest.param(648, marks=LONG),
    pytest.param(2_000, marks=LONG),
]
Setting = tuple[float, float, int]


@pytest.mark.parametrize("unequal", [False, True], ids=["equal", "unequal"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_whole_run_is_held_at_all_moments_at_once(setting: Setting, size: int, unequal: bool) -> None:
    """The figure of the whole list: in 95% of runs no interval at any moment misses it (less what 2,000 may err)."""
    own = lists(*setting, size, seed=size, unequal=unequal)
    part = Lists(own.sums[:, :-1], own.counts[:, :-1])  # the whole list is known without doubt
    missed = np.minimum(*stops(part, own.means, size)) < math.inf
    assert 1 - missed.mean() >= 0.94


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_other_scenarios_are_held_at_all_moments_at_once(setting: Setting, size: int) -> None:
    """The rate that the list was drawn from: in 95% of runs no interval misses it (less what 2,000 may err)."""
    own = lists(*setting, size, seed=size + 1)
    missed = np.minimum(*stops(own, np.full(RUNS, setting[0]), None)) < math.inf
    assert 1 - missed.mean() >= 0.94


@pytest.mark.parametrize("size", SIZES)
def test_metrics_that_differ_are_held(size: int) -> None:
    """Base scenarios of twelve metrics, one of which always fails: their mean is held, for other scenarios too."""
    rng = np.random.default_rng(size)
    rates = np.linspace(0.45, 1, 12) * np.r_[0, np.ones(11)]
    of_each = rng.permuted(np.tile(np.repeat(rates, size // 12), (RUNS, 1)), axis=1)
    own = Lists(rng.binomial(2, of_each).astype(float), np.full(of_each.shape, 2.0))
    missed = np.minimum(*stops(own, np.full(RUNS, rates.mean()), None)) < math.inf
    assert 1 - missed.mean() >= 0.95


@pytest.mark.parametrize("distance", [-0.02, 0.02])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_decisions_are_seldom_wrong(setting: Setting, size: int, distance: float) -> None:
    """Close to the bar, where they are hardest: at most 5% of the runs decide the wrong way."""
    own = lists(*setting, size, seed=size + 2)
    clear, miss = stops(own, np.clip(own.means + distance, 0.001, 0.999), size)
    right, wrong = (clear, miss) if distance < 0 else (miss, clear)
    assert (wrong < right).mean() <= 0.05


def taken(setting: Setting, size: int, distance: float, runs: int = RUNS) -> float:
    """Return the mean share of a list that a run takes until it has decided on a bar at this distance."""
    own = lists(*setting, size, seed=size + 3, runs=runs)
    return float(np.minimum(np.minimum(*stops(own, own.means + distance, size)), size).mean() / size)


@pytest.mark.parametrize(("size", "most"), [(36, 0.70), (72, 0.55), (216, 0.30), pytest.param(2_000, 0.04, marks=LONG)])
def test_decisions_are_early(size: int, most: float) -> None:
    """At .15 from the bar: half of the base scenarios of 72 on average, a quarter of 216; of 36 more than half."""
    bars = [((0.5, 0.3, 2), 0.15), ((0.8, 0.3, 2), -0.15), ((0.8, 0.3, 2), 0.15), ((0.95, 0.1, 2), -0.15),
            ((0.7, 0.8, 6), -0.15), ((0.7, 0.8, 6), 0.15), ((0.7, 0.01, 6), -0.15)]  # fmt: skip
    shares = [taken(setting, size, distance, runs=500) for setting, distance in bars]
    assert max(shares) <= most
    assert np.mean(shares) <= {36: 0.55, 72: 0.40}.get(size, 0.20)


@pytest.mark.parametrize("runs", [250, pytest.param(RUNS, marks=LONG)])
@pytest.mark.parametrize("width", [0.2, pytest.param(0.3, marks=LONG)])
@pytest.mark.parametrize("setting", SETTINGS)
def test_runs_that_stop_at_a_width_hold_the_figure(setting: Setting, width: float, runs: int) -> None:
    """Stopped as soon as the interval is narrow enough: at least 95% of the intervals hold what all would show."""
    size = 72
    own = lists(*setting, size, seed=9, runs=runs)
    grid = np.linspace(0.0, 1.0, 41)
    low, high = np.zeros(own.sums.shape), np.ones(own.sums.shape)
    for mean in grid[1:-1]:
        low = np.maximum(low, mean * (own.evidence(np.full(runs, mean), size) >= ENOUGH))
        high = np.minimum(high, 1 - (1 - mean) * (own.evidence(np.full(runs, mean), size, below=True) >= ENOUGH))
    narrow = high - low <= width
    at = np.where(narrow.any(1), narrow.argmax(1), size - 1)
    low, high = (np.take_along_axis(bound, at[:, None], 1)[:, 0] for bound in (low, high))
    held = (low <= own.means + 1e-9) & (own.means - 1e-9 <= high)
    assert held.mean() >= 0.95
    assert at.mean() + 1 < size


def test_an_ordinary_interval_would_not_hold() -> None:
    """Wilson's, looked at after every base scenario until it excludes the true rate: it does so in a third of runs."""
    own = lists(0.7, 0.01, 1, 216, seed=5, runs=500)
    interval = cache(wilson)
    misled = sum(
        any(not interval(int(passed), n).low <= 0.7 <= interval(int(passed), n).high for n, passed in enumerate(run, 1))
        for run in own.sums.cumsum(1)
    )
    assert 0.3 < misled / 500 < 0.6


def draws(sums: list[float], counts: list[float], missing: list[float] | None = None, most: float = 2) -> Draws:
    """Return base scenarios with these sums of scores; `missing` of the counts have none."""
    low, more = np.array(sums, dtype=float), np.array(missing or [0.0] * len(sums))
    return Draws(low, low + more, np.array(counts, dtype=float), most)


def test_a_whole_list_is_known_without_doubt_and_its_population_is_not() -> None:
    """All 4 of 4 drawn: the interval of the list is its mean; that of other scenarios stays wide."""
    found = draws([2, 1, 2, 2], [2, 2, 2, 2])
    assert (found.interval(4).low, found.interval(4).high) == (0.875, 0.875)
    assert found.interval().high - found.interval().low > 0.5


def test_what_is_missing_widens_both_bounds() -> None:
    """With a third of the verdicts missing the interval holds what they would give at their worst and at their best."""
    counts = [2.0] * 30
    whole = draws([2.0] * 30, counts)
    part = draws([1.0] * 30, counts, [1.0] * 30)
    assert part.interval().low == pytest.approx(draws([1.0] * 30, counts).interval().low)
    assert part.interval().high == whole.interval().high == 1
    assert draws([1.0] * 4, [2.0] * 4, [1.0] * 4).interval(4).high == 1.0


def test_base_scenarios_in_which_nothing_applied_say_nothing() -> None:
    """Empty ones among the others leave the interval as it is, and nothing but empty ones has none."""
    full, thin = draws([2, 1, 2, 2], [2, 2, 2, 2]), draws([2, 0, 1, 2, 0, 2], [2, 0, 2, 2, 0, 2])
    assert thin.interval() == full.interval()
    assert not draws([0, 0], [0, 0]).interval().is_known


def test_a_goal_is_reached_when_all_of_it_is() -> None:
    """A width, a bar, or both; the interval must lie on one side of the bar, which itself counts as cleared."""
    found = Interval(0.8, 0.95)
    reached = {goal: goal.is_reached(found) for goal in (
        Goal(width=0.16), Goal(width=0.1), Goal(bar=0.9), Goal(width=0.1, bar=0.8), Goal(width=0.2, bar=0.8),
    )}  # fmt: skip
    assert list(reached.values()) == [True, False, False, False, True]
    assert [Goal(bar=bar).decision(found) for bar in (0.8, 0.9, 0.95, 0.96)] == [True, None, None, False]
    assert not Goal(width=1, bar=0.8).is_reached(UNKNOWN)
