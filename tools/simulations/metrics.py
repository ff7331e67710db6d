"""How often metrics' intervals hold where resemblance within base scenarios differs between metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.strata import Strata, stratum_bounds


class Unlike(NamedTuple):
    """Metrics of one benchmark."""

    words: str
    rates: tuple[float, ...]
    correlations: tuple[float, ...]
    bases: int = 6
    size: int = 6


UNLIKE = (
    Unlike("half all or none, half independent, rate .5", (0.5,) * 12, (1.0,) * 6 + (0.0,) * 6),
    Unlike("nine independent, three at .9, rate .8", (0.8,) * 12, (0.0,) * 9 + (0.9,) * 3),
    Unlike("fourteen at .99, one at .6 that resembles at .9", (0.99,) * 14 + (0.6,), (0.0,) * 14 + (0.9,)),
    Unlike("half all or none, half independent, rate .7; 3 of 6", (0.7,) * 12, (1.0,) * 6 + (0.0,) * 6, 3),
    Unlike("half at .8, half at .1, rate .7; 6 of 2", (0.7,) * 12, (0.8,) * 6 + (0.1,) * 6, 6, 2),
    Unlike("all at .3, rate .75; 3 of 6", (0.75,) * 12, (0.3,) * 12, 3),
)


def metric_lines(sets: int) -> Iterator[str]:
    """Yield a table of the coverage of the worst metric and of all."""
    yield "| metrics | worst metric | all |"
    yield "|---|---|---|"
    for one in UNLIKE:
        held = metrics_held(one, sets)
        yield f"| {one.words} | {held.min():.1%} | {held.mean():.1%} |"


def metrics_held(given: Unlike, sets: int, seed: int = 1) -> Floats:
    """Return how often each metric's interval holds its true rate; shape (metrics,)."""
    random, rates = np.random.default_rng(seed), np.array(given.rates)
    chances = np.stack(
        [_chances(random, *one, (sets, given.bases)) for one in zip(given.rates, given.correlations, strict=True)]
    )
    sums = random.binomial(given.size, chances).astype(float).transpose(1, 0, 2)
    low, high = stratum_bounds(Strata(sums, np.full_like(sums, given.size)))
    held: Floats = ((low - 1e-9 <= rates) & (rates <= high + 1e-9)).mean(axis=0)
    return held


def _chances(random: np.random.Generator, rate: float, correlation: float, shape: tuple[int, int]) -> Floats:
    if correlation in (0.0, 1.0):
        return np.where(random.random(shape) < rate, 1.0, 0.0) if correlation else np.full(shape, rate)
    weight = (1 - correlation) / correlation
    found: Floats = random.beta(rate * weight, (1 - rate) * weight, shape)
    return found
