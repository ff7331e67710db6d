"""A paired difference that is looked at again and again while a suite grows: tests and intervals that hold at any look.

An ordinary test holds for one look, planned beforehand. Here somebody bets on the mean difference: with every base
scenario the stake grows by a share of how far its difference is above the mean in question, and falls as it is below.
If that mean is the true one, no way of betting ever multiplies the stake by 40 in more than one of 40 suites, however
often one looks (Ville 1939). The stake is the same whatever the order of base scenarios, so that a look needs nothing
of those before it. Source: Waudby-Smith & Ramdas (2024), Estimating Means of Bounded Random Variables by Betting, JRSS
B 86; bets are on (difference + 1) / 2, which lies between 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.sequential import BETS
from helm_impactbench.stats.simultaneous import FamilyTest

_STEPS = 16
"""Halvings of the range in which a bound lies: to .00003."""
_TINY = 1e-9


@dataclass(frozen=True)
class Bets:
    """Mean differences of base scenarios, from -1 to 1, and what each counts for."""

    differences: Floats
    """Shape (..., base scenarios)."""
    weights: Floats
    """Same shape; mean 1, so that benchmarks count alike, and within them pairs."""

    def gain(self, mean: Floats | float = 0.0) -> Floats:
        """Return the logarithm of what bets that the true mean is above `mean` have made of the stake; shape (...)."""
        candidate = np.asarray(mean, dtype=float)[..., None]
        odds = (
            self.weights
            * (self.differences - candidate)
            / np.maximum(1 + candidate, _TINY)
            / self.weights.max(-1, keepdims=True)
        )
        stakes = [np.log1p(np.maximum(bet * odds, -1 + _TINY)).sum(-1) for bet in BETS]
        found: Floats = np.logaddexp.reduce(stakes) - math.log(len(BETS))
        return found

    def turned(self) -> Bets:
        """Return the differences with the other sign."""
        return Bets(-self.differences, self.weights)

    def p_values(self) -> Floats:
        """Return two-sided p values of "no difference" that hold at any look; shape (...)."""
        found: Floats = np.minimum(1.0, 2 * np.exp(-np.maximum(self.gain(), self.turned().gain())))
        return found

    def interval(self, level: float = LEVEL) -> Interval:
        """Return the interval of one mean difference that holds at any look."""
        enough = math.log(2 / (1 - level))
        return Interval(self._bound(enough), -self.turned()._bound(enough))

    def test(self, family: int) -> FamilyTest:
        """Return the test of one mean difference among so many: any false finding, at any look, in 5% (Bonferroni)."""
        ones = np.ones(self.differences.shape[-1])
        alone, best = float(self.p_values()), float(Bets(ones, ones).p_values())
        return FamilyTest(alone, min(1.0, alone * family), min(1.0, best * family))

    def _bound(self, enough: float) -> float:
        """Return the greatest mean that is ruled out for being too small; -1 without one."""
        low, high = -1.0, float((self.weights * self.differences).mean())
        if high > 0:  # first of all 0, so that interval and test agree
            low, high = (0.0, high) if float(self.gain()) >= enough else (low, 0.0)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if float(self.gain(middle)) >= enough else (low, middle)
        return low


def bets_on(groups: Sequence[Clusters]) -> Bets:
    """Return the bets on the mean over groups (benchmarks) of their mean differences."""
    size = sum(one.size for one in groups)
    weights = [one.counts / one.values * size / len(groups) for one in groups]
    return Bets(np.concatenate([one.sums / one.counts for one in groups]), np.concatenate(weights))
