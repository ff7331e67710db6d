"""Intervals that hold at every moment of a run, and so at whatever moment it stops: confidence sequences.

An ordinary 95% interval holds if the number of scenarios was fixed beforehand. Looked at after every scenario until it
says what one hopes for, it misses far more often. A confidence sequence may be looked at all the time.

Base scenarios are drawn in random order, and somebody bets on the next one. If the mean were m, no way of betting would
multiply the stake by 40 in more than one of 40 runs; a mean against which a bet has done so is ruled out, on each side.
Source: Waudby-Smith & Ramdas (2024), Estimating Means of Bounded Random Variables by Betting, JRSS B 86 (sections 4.2
and 5: capital of several constant bets, averaged; sampling without replacement).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import LEVEL, UNKNOWN, Interval

BETS = 0.99 * ((np.arange(10) + 0.5) / 10) ** 0.7
"""Shares of what one has that are put on the next base scenario; a tenth of the stake goes to each way of betting.

In simulations of 36 to 600 base scenarios these decided sooner than evenly spaced ones, than bets that follow the data
(predictable plug-in, GRAPA) wherever base scenarios vary, and than empirical Bernstein bounds by half.
"""
ENOUGH = math.log(2 / (1 - LEVEL))
"""Logarithm of the gain that rules a mean out on one side."""
_STEPS = 24
"""Halvings of the range in which a bound lies."""
_TINY = 1e-9


@dataclass(frozen=True)
class Draws:
    """What was found in the base scenarios that were drawn, in the order in which they were drawn.

    The mean in question is that over all values, as in a pass rate: unequal base scenarios count by their values, and
    one in which nothing applied (a count of 0) says nothing of it.
    """

    lows: Floats
    """Shape (drawn,); sum of the values of each, what is missing taken as 0."""
    highs: Floats
    """Shape (drawn,); the same, what is missing taken as 1."""
    counts: Floats
    """Shape (drawn,); number of values, what is missing included."""
    most: float
    """The most values that any base scenario of the list can have, fixed before the first draw."""

    @property
    def size(self) -> int:
        """Number of base scenarios drawn."""
        return len(self.counts)

    def interval(self, of: int | None = None) -> Interval:
        """Return the 95% interval that holds at all moments of the run at once.

        `of`: the size of the list, for the mean that the whole list would have (drawn without replacement); None for
        the mean of the population that the list comes from. Where values are missing it holds whatever they are.
        """
        total = float(self.counts.sum())
        if not total:
            return UNKNOWN
        low, high = float(self.lows.sum()) / total, float(self.highs.sum()) / total
        if of is not None and self.size >= of:
            return Interval(low, high)
        seen = self.counts > 0 if of is None else slice(None)  # what is empty moves no bet, unless a list runs out
        counts = self.counts[seen]
        below = _bound(self.lows[seen], counts, low, self.most, of)
        above = _bound(counts - self.highs[seen], counts, 1 - high, self.most, of)
        return Interval(below, 1 - above)


@dataclass(frozen=True)
class Goal:
    """When a run has seen enough: as soon as all that is set here is reached."""

    width: float | None = None
    """The interval is at most this wide."""
    bar: float | None = None
    """The interval lies wholly below this value, or at or above it."""
    other_scenarios: bool = False
    """Whether the interval is that for other scenarios, or for what the whole list would show."""

    @property
    def stored(self) -> dict[str, object]:
        """What run_spec.json holds of it: what is set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def is_reached(self, found: Interval) -> bool:
        """Return whether an interval is all that is wanted."""
        narrow = self.width is None or found.high - found.low <= self.width
        return found.is_known and narrow and (self.bar is None or self.decision(found) is not None)

    def decision(self, found: Interval) -> bool | None:
        """Return whether the value is at or above the bar; None if that is open, or if there is no bar."""
        if self.bar is None or not found.is_known:
            return None
        return True if found.low >= self.bar else False if found.high < self.bar else None


def evidence(sums: Floats, counts: Floats, mean: Floats | float, most: float, of: int | None = None) -> Floats:
    """Return the logarithm of the greatest gain so far of bets that values are above `mean`, after each draw.

    sums, counts: shape (..., drawn). mean: shape (...). of: size of the list that is drawn without replacement.
    Among lists whose mean is `mean` or less, the gain ever reaches g in at most one of g.
    """
    candidate = np.asarray(mean, dtype=float)[..., None]
    excess = (sums - candidate * counts) / most
    left = candidate  # the mean of what has not been drawn yet, if the candidate is right
    if of is not None:
        before = np.cumsum(excess, axis=-1) - excess
        left = candidate - before / (of - np.arange(sums.shape[-1]))
    impossible = np.logical_or.accumulate(left < -_TINY, axis=-1)
    odds = (candidate + excess) / np.maximum(left, _TINY) - 1
    gain = np.full(np.shape(odds), -np.inf)
    for bet in BETS:  # the stake is shared out among them
        gain = np.logaddexp(gain, np.cumsum(np.log1p(np.maximum(bet * odds, -1 + _TINY)), axis=-1))
    gain -= math.log(len(BETS))
    return np.maximum.accumulate(np.where(impossible, np.inf, gain), axis=-1)


def _bound(sums: Floats, counts: Floats, mean: float, most: float, of: int | None) -> float:
    """Return the greatest value up to the mean found that is ruled out for being too small; 0 without one."""
    ruled_out, open_ = 0.0, mean
    for _ in range(_STEPS):
        middle = (ruled_out + open_) / 2
        if middle > 0 and evidence(sums, counts, middle, most, of)[-1] >= ENOUGH:
            ruled_out = middle
        else:
            open_ = middle
    return ruled_out
