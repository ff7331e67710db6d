"""Whether planning from a pilot keeps its promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import scenarios_needed
from helm_impactbench.stats.sign_flip_tails import sign_flip_p_values
from helm_impactbench.stats.simultaneous import ALPHA


def unequal(random: np.random.Generator, size: int) -> Floats:
    """Return differences of base scenarios of 1 to 40 conversations on each side, .06 on average."""
    counts, rates = random.integers(1, 41, size), random.beta(7, 3, size)
    better, worse = random.binomial(counts, rates), random.binomial(counts, np.clip(rates - 0.06, 0, 1))
    found: Floats = (better - worse) / counts
    return found


Draw = Callable[[np.random.Generator, int], Floats]
PILOTS: dict[str, Draw] = {
    "smooth": lambda random, size: np.round(6 * np.clip(random.normal(0.05, 0.25, size), -1, 1)) / 6,
    "whole scenarios lost": lambda random, size: np.where(
        random.random(size) < 0.06, 1.0, (random.binomial(6, 0.03, size) - random.binomial(6, 0.03, size)) / 6
    ),
    "1 to 40 conversations each": unequal,
}
"""Differences of base scenarios."""


def pilot_lines(pilots: int) -> Iterator[str]:
    """Yield the true power of plans that were made from pilots for the true difference, as a table."""
    yield "| differences | pilot | base scenarios needed, median | true power, mean | in the worst tenth of pilots |"
    yield "|---" * 5 + "|"
    for name, draw in PILOTS.items():
        truth = draw(np.random.default_rng(9), 200_000)
        for size in (30, 72, 144):
            needed, powers = np.array([planned_power(draw, truth, size, seed) for seed in range(pilots)]).T
            cells = f"{np.median(needed):.0f} | {powers.mean():.2f} | {np.quantile(powers, 0.1):.2f}"
            yield f"| {name} | {size} | {cells} |"


def planned_power(draw: Draw, truth: Floats, size: int, seed: int) -> tuple[float, float]:
    """Return the base scenarios that a pilot of this size names, and how often they find the true difference."""
    random = np.random.default_rng(seed)
    needed = scenarios_needed(Pilot(draw(random, size), 6.0), float(truth.mean()))
    data = random.choice(truth, (2_000, int(min(needed, 10_000))))
    return needed, float((sign_flip_p_values(data) <= ALPHA).mean())
