"""What is known of the differences of base scenarios before a suite is run, and how to plan from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.scipy_modules import optimize

DIGITS = 9
"""After the point: differences that are closer are equal except for rounding."""
FLAT = 1e-9
FINEST = 240
"""Steps between 0 and 1, at most, of values that are taken for a lattice."""
RESAMPLED = 40
"""Pilots that could have been."""
END = 0.1
"""Scenarios of which it is assumed that they were at each end of the range, beside those of the pilot."""


@dataclass(frozen=True)
class Pilot:
    """Paired differences, by base scenario."""

    differences: Floats
    """Mean difference of each base scenario, first minus second; shape (base scenarios,)."""
    conversations: float
    """Pairs per base scenario, mean."""
    samples: int = 1
    """Samples per variant, at most."""
    within: float = math.nan
    """The part of the variance that more samples would average out, with one sample; nan with one per variant."""
    usable: float = 1.0
    """Share of the base scenarios that were asked that have a difference: the others lack a verdict on one side."""
    is_sample: bool = True
    """Whether other base scenarios could have been drawn; False for what is assumed."""

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
        return float(np.ptp(self.differences)) <= FLAT

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
            self.usable,
            self.is_sample,
        )

    def planned(self, difference: float) -> tuple[Shares, ...]:
        """Return how differences may be distributed if their mean were `difference`, which is positive or 0.

        Equally probable distributions: the values that the pilot has seen, and both ends of the range, with shares as
        other pilots could have had them (Bayesian bootstrap; Rubin 1981, Annals of Statistics 9), each END scenarios'
        worth of evidence for all or nothing, which a pilot seldom shows though a loss is often of whole scenarios. With
        one distribution the pilot is taken for the truth, which is right for assumptions.
        """
        if not self.is_sample:
            return (self._with_mean(self.differences, np.ones(self.scenarios), difference),)
        seen = np.concatenate([self.differences if self.difference >= 0 else -self.differences, [-1.0, 1.0]])
        evidence = np.append(np.ones(self.scenarios), [1.0, 1.0] if self.is_flat else [END, END])
        drawn = np.random.default_rng(SEED).gamma(evidence, size=(RESAMPLED, len(evidence)))
        return tuple(self._with_mean(seen, weights, difference) for weights in drawn)

    @staticmethod
    def _with_mean(seen: Floats, weights: Floats, difference: float) -> Shares:
        """Return a distribution with another mean: the same values with shares that grow or fall exponentially with
        them; where no shares have that mean, values are moved."""
        values, places = np.unique(np.round(seen, DIGITS), return_inverse=True)
        counts = np.bincount(places, weights)
        equal = counts / counts.sum()
        moved = Shares(values - float(equal @ values) + difference, equal)
        if not values[0] + FLAT < difference < values[-1] - FLAT:
            return moved

        def excess(slope: float) -> float:
            return float(_tilted(values, equal, slope) @ values) - difference

        most = 700 / float(np.abs(values).max())
        if excess(-most) >= 0 or excess(most) <= 0:
            return moved
        return Shares(values, _tilted(values, equal, float(optimize.brentq(excess, -most, most))))


@dataclass(frozen=True)
class Shares:
    """A distribution of differences."""

    values: Floats
    """Different ones, ascending; shape (values,)."""
    shares: Floats
    """Of the base scenarios; sum 1."""

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.shares @ self.values)

    @property
    def spread(self) -> float:
        """Standard deviation."""
        return math.sqrt(max(0.0, float(self.shares @ self.values**2) - self.mean**2))

    @property
    def moving(self) -> float:
        """Share of the base scenarios whose difference is not 0."""
        return float(self.shares[np.abs(self.values) > FLAT].sum())

    @cached_property
    def step(self) -> float:
        """The greatest number that all values are multiples of; 0 where there is none worth the name."""
        parts = np.arange(1, FINEST + 1)
        scaled = self.values[:, None] * parts
        whole = np.round(scaled)
        fits = np.flatnonzero(np.abs(whole - scaled).max(axis=0) < 1e-6)
        if not len(fits):
            return 0.0
        coarsest = fits[0]
        return float(np.gcd.reduce(np.abs(whole[:, coarsest]).astype(np.int64)) / parts[coarsest])


def _tilted(values: Floats, shares: Floats, slope: float) -> Floats:
    """Return shares times exp(slope x value). Source: Efron (1981), Canadian Journal of Statistics 9."""
    exponents = slope * values
    weights = shares * np.exp(exponents - exponents.max())
    tilted: Floats = weights / weights.sum()
    return tilted
