"""The power of the sign-flip test over base scenarios, simulated: how many of them it takes to find a difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.pilot import FLAT, Pilot, Shares
from helm_impactbench.stats.scipy_modules import special, stats
from helm_impactbench.stats.sign_flip_tails import sign_flip_p_values
from helm_impactbench.stats.simultaneous import ALPHA

POWER = 0.80
FEWEST_BASES = 2
MOST_SCENARIOS = 1_000_000
SIMULATIONS = 4_000
MOST_SIMULATED = 400
"""Differences that are not 0; with more the statistic is as good as normal, and a formula takes over."""
COLUMNS = 512
"""As many differences as one data set may hold: MOST_SIMULATED and what chance adds."""


@cache
def level_of_pairs(models: int) -> float:
    """Return the level at which each pair of so many models is tested, so that any false finding has 5%.

    Max-T over all pairs of models that do not differ is the range of their means: Tukey's studentised range.
    """
    if models <= 2:
        return ALPHA
    return 2 * float(special.ndtr(-stats.studentized_range.ppf(1 - ALPHA, models, math.inf) / math.sqrt(2)))


def level_of_tests(tests: int) -> float:
    """Return the level of each of so many tests on different conversations. Source: Sidak (1967), JASA 62."""
    return -math.expm1(math.log1p(-ALPHA) / max(1, tests))


@dataclass(frozen=True)
class Planned:
    """A true difference and the distributions that it may have, for one test."""

    distributions: tuple[Shares, ...]
    """Equally probable ones."""
    level: float = ALPHA
    """Of the test."""
    _known: dict[int, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, pilot: Pilot, difference: float, level: float = ALPHA) -> Planned:
        """Return what a pilot lets expect of a true difference."""
        return cls(pilot.planned(abs(difference)), level)

    def powers(self, scenarios: int) -> Floats:
        """Return the probability that the difference is found, under each distribution; shape (distributions,)."""
        if scenarios not in self._known:
            size = SIMULATIONS // len(self.distributions)
            self._known[scenarios] = np.array(
                [
                    _power(one, scenarios, self.level, slice(place * size, (place + 1) * size))
                    for place, one in enumerate(self.distributions)
                ]
            )
        return self._known[scenarios]

    def power(self, scenarios: int) -> float:
        """Return the probability that the difference is found, over all that the pilot leaves open (assurance).

        Source: O'Hagan, Stevens & Campbell (2005), Pharmaceutical Statistics 4.
        """
        return float(self.powers(scenarios).mean())

    def needed(self, share: float | None = None) -> float:
        """Return the base scenarios with which the power is POWER; infinite beyond MOST_SCENARIOS.

        share: under so large a share of the distributions; without it, on average.
        """

        def is_enough(scenarios: int) -> bool:
            powers = self.powers(scenarios)
            return float(powers.mean() if share is None else np.quantile(powers, 1 - share)) >= POWER

        high = FEWEST_BASES
        while not is_enough(high):
            high *= 2
            if high > MOST_SCENARIOS:
                return math.inf
        low = high // 2
        while high - low > max(1, high // 200):
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high


def _power(planned: Shares, scenarios: int, level: float, rows: slice) -> float:
    if scenarios * planned.moving > MOST_SIMULATED:
        return _normal_power(planned, scenarios, level)
    return float((sign_flip_p_values(_drawn(planned, scenarios, rows), planned.step) <= level).mean())


def _drawn(planned: Shares, scenarios: int, rows: slice) -> Floats:
    """Return data sets of base scenarios without those whose difference is 0; shape (data sets, at most)."""
    uniform = _uniform()[rows]
    moving = np.abs(planned.values) > FLAT
    if not moving.any():
        return np.zeros((len(uniform), 1))
    counts = np.minimum(stats.binom.ppf(uniform[:, -1], scenarios, min(1.0, planned.moving)), COLUMNS - 1)
    most = max(1, int(counts.max()))
    values, shares = planned.values[moving], np.cumsum(planned.shares[moving]) / planned.moving
    places = np.searchsorted(shares, uniform[:, :most], side="right")
    drawn: Floats = values[np.minimum(places, len(values) - 1)]
    return np.where(np.arange(most)[None, :] < counts[:, None], drawn, 0.0)


@lru_cache(maxsize=1)
def _uniform() -> Floats:
    """Return the same numbers for every plan, so that more base scenarios never find less by chance."""
    return np.random.default_rng(SEED).random((SIMULATIONS, COLUMNS))


def _normal_power(planned: Shares, scenarios: int, level: float) -> float:
    mean, spread = planned.mean, planned.spread
    if spread <= FLAT:
        return 1.0 if mean > FLAT else 0.0
    critical = -float(special.ndtri(level / 2))
    return float(special.ndtr((math.sqrt(scenarios) * mean - critical * math.hypot(spread, mean)) / spread))


def detectable_difference(pilot: Pilot, scenarios: int, *, level: float = ALPHA) -> float:
    """Return the smallest true difference that is found with a probability of POWER; nan where there is none."""

    def is_found(difference: float) -> bool:
        return Planned.of(pilot, difference, level).power(scenarios) >= POWER

    if not is_found(1.0):
        return math.nan
    low, high = 0.0, 1.0
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def scenarios_needed(pilot: Pilot, difference: float, *, level: float = ALPHA) -> float:
    """Return the base scenarios it takes to find this true difference with a probability of POWER.

    Infinite beyond MOST_SCENARIOS.
    """
    return Planned.of(pilot, difference, level).needed()
