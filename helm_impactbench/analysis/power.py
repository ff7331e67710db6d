"""How many base scenarios and samples it takes to find a difference: simulated with the test that will be used.

A pilot gives the differences of base scenarios as they were seen. They are weighted so that their mean is the
difference that should be found (exponential tilting), base scenarios are drawn from them, and the sign-flip test of
`compare` and `contrasts` is applied, with its correction for the number of models.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import optimize, special, stats

from helm_impactbench.analysis.comparison import by_case
from helm_impactbench.analysis.level_contrasts import axis_sides
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.simultaneous import ALPHA, TIE

POWER = 0.80
FEWEST_BASES = 2
MOST_SCENARIOS = 1_000_000
SIMULATIONS = 1_000
MOST_SIMULATED = 400
"""Base scenarios; with more the statistic is as good as normal, and a formula takes over."""
MOST_FLIPPED = 60
"""Differences that are not 0, up to which signs are flipped; with more the statistic is as good as normal."""


@dataclass(frozen=True)
class Pilot:
    """Paired differences that were seen, by base scenario."""

    differences: Floats
    """Mean difference of each base scenario, first minus second; shape (base scenarios,)."""
    conversations: float
    """Pairs per base scenario, mean."""
    samples: int = 1
    """Samples per variant, at most."""
    within: float = math.nan
    """The part of the variance that more samples would average out, with one sample; nan with one per variant."""

    @property
    def scenarios(self) -> int:
        """Base scenarios."""
        return len(self.differences)

    @property
    def difference(self) -> float:
        """The mean difference over base scenarios."""
        return float(self.differences.mean())

    @property
    def is_flat(self) -> bool:
        """Whether all base scenarios have the same difference, so that the pilot tells nothing of how others vary."""
        return float(np.ptp(self.differences)) <= TIE

    @cached_property
    def variance(self) -> float:
        """Of the mean difference of one base scenario."""
        return float(self.differences.var(ddof=1))

    def with_samples(self, samples: int) -> Pilot | None:
        """Return what the pilot would have been with so many samples per variant; None where that cannot be told."""
        if samples == self.samples:
            return self
        if math.isnan(self.within):
            return None
        wanted = max(0.0, self.variance - self.within / self.samples) + self.within / samples
        scale = math.sqrt(wanted / self.variance) if self.variance > 0 else 1.0
        return Pilot(
            self.difference + (self.differences - self.difference) * scale,
            self.conversations / self.samples * samples,
            samples,
            self.within,
        )


def model_pilot(outcomes: Sequence[Outcome], first: str, second: str) -> Pilot | None:
    """Return the pilot of a comparison of two models; None when they share fewer than two base scenarios."""
    cases = {model: by_case(own) for model, own in grouped(outcomes, lambda o: o.model).items()}
    one, other = cases.get(first, {}), cases.get(second, {})
    return _pilot((outcome, other[case]) for case, outcome in one.items() if case in other)


def level_pilot(outcomes: Sequence[Outcome], model: str, axis: str, first: str, second: str) -> Pilot | None:
    """Return the pilot of a contrast of two levels of an axis; None with fewer than two base scenarios at both."""
    own = [outcome for outcome in outcomes if outcome.model == model and outcome.is_level]
    return _pilot(axis_sides(own, axis, first, second))


def _pilot(pairs: Iterable[tuple[Outcome, Outcome]]) -> Pilot | None:
    scored = [(a, a.score - b.score) for a, b in pairs if a.score is not None and b.score is not None]
    bases = grouped([one for one, _ in scored], lambda outcome: outcome.cluster)
    if len(bases) < FEWEST_BASES:
        return None
    differences: dict[tuple[str, str], list[float]] = {}
    variants: dict[tuple[str, str, str, object], list[float]] = {}
    for outcome, difference in scored:
        differences.setdefault(outcome.cluster, []).append(difference)
        variants.setdefault((outcome.setup, *outcome.cluster, outcome.variant_id), []).append(difference)
    samples = max(outcome.sample for outcome, _ in scored) + 1
    per_base = len(scored) / len(bases)
    return Pilot(
        np.array([np.mean(differences[key]) for key in sorted(differences)]),
        per_base,
        samples,
        _within(list(variants.values()), per_base / samples) if samples > 1 else math.nan,
    )


def _within(variants: Sequence[Sequence[float]], per_base: float) -> float:
    """Return the variance between samples of a variant, divided by the variants per base scenario."""
    repeated = [np.array(values) for values in variants if len(values) > 1]
    if not repeated:
        return math.nan
    squares = math.fsum(float(((values - values.mean()) ** 2).sum()) for values in repeated)
    return squares / sum(len(values) - 1 for values in repeated) / per_base


def level_per_test(models: int) -> float:
    """Return the level at which each pair of so many models is tested, so that any false finding has 5%.

    Max-T over all pairs of models that do not differ is the range of their means: Tukey's studentised range.
    """
    if models <= 2:
        return ALPHA
    return 2 * float(special.ndtr(-stats.studentized_range.ppf(1 - ALPHA, models, math.inf) / math.sqrt(2)))


def power(pilot: Pilot, difference: float, scenarios: int, *, models: int = 2) -> float:
    """Return the probability that a true difference is found with so many base scenarios.

    To a flat pilot two base scenarios are added, one at each end of the range, as the intervals do.
    """
    values, shares = _planned(pilot, abs(difference))
    level = level_per_test(models)
    if scenarios > MOST_SIMULATED:
        return _normal_power(values, shares, scenarios, level)
    found = _p_values(_draws(values, shares, scenarios), level) <= level
    return float(found.mean())


def _planned(pilot: Pilot, difference: float) -> tuple[Floats, Floats]:
    """Return values and their shares, with the pilot's support and the wanted mean."""
    values = pilot.differences if pilot.difference >= 0 else -pilot.differences
    if pilot.is_flat:
        values = np.append(values, [-1.0, 1.0])
    equal = np.full(len(values), 1 / len(values))
    if not values.min() + TIE < difference < values.max() - TIE:  # out of reach of any weights: moved there
        return values - values.mean() + difference, equal

    def excess(slope: float) -> float:
        return float(_tilted(values, slope) @ values) - difference

    most = 700 / float(np.abs(values).max())
    if excess(-most) >= 0 or excess(most) <= 0:
        return values - values.mean() + difference, equal
    return values, _tilted(values, float(optimize.brentq(excess, -most, most)))


def _tilted(values: Floats, slope: float) -> Floats:
    """Return shares that grow exponentially with the values. Source: Efron (1981), Canadian Journal of Statistics 9."""
    exponents = slope * values
    weights = np.exp(exponents - exponents.max())
    shares: Floats = weights / weights.sum()
    return shares


def _draws(values: Floats, shares: Floats, scenarios: int) -> Floats:
    """Return data sets of base scenarios; shape (SIMULATIONS, scenarios)."""
    places = np.searchsorted(np.cumsum(shares), _uniform(scenarios), side="right")
    drawn: Floats = values[np.minimum(places, len(values) - 1)]
    return drawn


@lru_cache(maxsize=64)
def _uniform(scenarios: int) -> Floats:
    return np.random.default_rng([SEED, scenarios]).random((SIMULATIONS, scenarios))


def _p_values(data: Floats, level: float) -> Floats:
    """Return the p values of sign-flip tests, one per row; shape (rows,). They need to be right near `level` only."""
    sums, norms = np.abs(data.sum(axis=1)), np.sqrt((data**2).sum(axis=1))
    if np.median((data != 0).sum(axis=1)) > MOST_FLIPPED:
        statistics = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
        normal: Floats = 2 * special.ndtr(-statistics)
        return normal
    signs = _signs(data.shape[1], 999 if level > 0.01 else 9_999)
    reached = np.abs(data @ signs) >= sums[:, None] * (1 - TIE)
    counted: Floats = np.where(norms > 0, reached.mean(axis=1), 1.0)
    return counted


@lru_cache(maxsize=4)
def _signs(scenarios: int, flips: int) -> Floats:
    """Return patterns of signs: all where there are few, else the observed one and random ones; shape (n, patterns)."""
    if 2 ** min(scenarios, 64) <= flips:
        bits = (np.arange(2**scenarios)[None, :] >> np.arange(scenarios)[:, None]) & 1
        return (1 - 2 * bits).astype(np.float64)
    drawn = np.random.default_rng(SEED).integers(0, 2, size=(scenarios, flips), dtype=np.int8)
    return np.concatenate([np.ones((scenarios, 1)), 2.0 * drawn - 1.0], axis=1)


def _normal_power(values: Floats, shares: Floats, scenarios: int, level: float) -> float:
    mean = float(shares @ values)
    spread = math.sqrt(max(0.0, float(shares @ values**2) - mean**2))
    if spread <= TIE:
        return 1.0
    critical = -float(special.ndtri(level / 2))
    return float(special.ndtr((math.sqrt(scenarios) * mean - critical * math.hypot(spread, mean)) / spread))


def detectable_difference(pilot: Pilot, scenarios: int, *, models: int = 2) -> float:
    """Return the smallest true difference that is found with a probability of POWER; nan where there is none."""
    if power(pilot, 1.0, scenarios, models=models) < POWER:
        return math.nan
    low, high = 0.0, 1.0
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if power(pilot, middle, scenarios, models=models) >= POWER else (middle, high)
    return high


def scenarios_needed(pilot: Pilot, difference: float, *, models: int = 2) -> float:
    """Return the base scenarios it takes to find this true difference with a probability of POWER.

    Infinite beyond MOST_SCENARIOS.
    """
    high = FEWEST_BASES
    while power(pilot, difference, high, models=models) < POWER:
        high *= 2
        if high > MOST_SCENARIOS:
            return math.inf
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if power(pilot, difference, middle, models=models) >= POWER else (middle, high)
    return high
