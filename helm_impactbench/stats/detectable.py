"""How large an effect has to be for a paired test to find it, given how much values differ without any effect."""

from __future__ import annotations

import math

from helm_impactbench.stats.power import POWER, level_of_tests
from helm_impactbench.stats.scipy_modules import special

STEPS = 40


def detectable_shift(noise: float, values: int, tests: int) -> float:
    """Return the least mean shift that one of so many two-sided tests finds with probability POWER; nan if unknown.

    noise: variance of the mean shift where there is no effect. An effect d moves a share d of the values by 1 and not
    all of them a little, so it adds d to the variance of one. The statistic is the sum of the moves over the root of
    their squares; with s, the share of the variance that the effect has, its own variance is 1 - 3/4 s**2 (delta
    method, numbers of moves up and down taken as Poisson's). So d is the solution of
    sqrt(values) * d / sqrt(values * noise + d) = z(level) + z(POWER) * sqrt(1 - 3/4 s**2).
    """
    if math.isnan(noise) or values < 1:
        return math.nan
    level, power = float(special.ndtri(1 - level_of_tests(tests) / 2)), float(special.ndtri(POWER))

    def lacks(shift: float) -> bool:
        whole = values * noise + shift
        return math.sqrt(values) * shift / math.sqrt(whole) < level + power * math.sqrt(1 - 0.75 * (shift / whole) ** 2)

    if lacks(1.0):
        return math.nan
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if lacks(middle) else (low, middle)
    return high
