"""A pilot from stated assumptions, where there is none from a suite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.scipy_modules import special, stats

BASES = 20_000
"""Base scenarios that are simulated."""
NONE, ALL = 1e-6, 1 - 1e-6
"""Correlations beyond which there is none, or nothing else."""


@dataclass(frozen=True)
class Assumed:
    """How scores of 0 and 1 come about, on two sides that are compared."""

    rate: float
    """Mean pass rate of the two sides."""
    icc: float = 0.3
    """Correlation of two conversations on different variants of one base scenario, on one side."""
    repeat: float | None = None
    """Correlation of two samples of one variant; None where it is that of two variants."""
    alike: float = 0.5
    """How far base scenarios that are hard for one side are so for the other: 0 not at all, 1 the same order."""
    variants: int = 1
    samples: int = 1

    @property
    def same_case(self) -> float:
        """Correlation of two samples of one variant."""
        return self.icc if self.repeat is None else self.repeat


def assumed_pilot(assumed: Assumed, difference: float, samples: int | None = None) -> Pilot:
    """Return the differences of BASES simulated base scenarios, first side minus second, with this expected mean.

    Rates of base scenarios are Beta distributed (Griffiths 1973, Biometrics 29) and correlated between the sides by a
    normal copula; rates of variants are Beta distributed around them, independently. `samples` replaces the assumed
    number. Raises ValueError where a side's rate would be outside 0 to 1, or a correlation is impossible.
    """
    sides = assumed.rate + difference / 2, assumed.rate - difference / 2
    if not 0 <= min(sides) <= max(sides) <= 1:
        raise ValueError(f"rates of {sides[0]:.3f} and {sides[1]:.3f}; allowed: from 0 to 1")
    if not 0 <= assumed.icc <= assumed.same_case <= 1:
        raise ValueError(f"icc {assumed.icc:g} and repeat {assumed.same_case:g}; allowed: 0 <= icc <= repeat <= 1")
    rng = np.random.default_rng(SEED)
    normal = rng.standard_normal((2, BASES))
    normal[1] = assumed.alike * normal[0] + np.sqrt(max(0.0, 1 - assumed.alike**2)) * normal[1]
    count = assumed.samples if samples is None else samples
    means = [
        _passed(rng, _rates(special.ndtr(place), rate, assumed.icc), assumed, count)
        for place, rate in zip(normal, sides, strict=True)
    ]
    return Pilot(means[0] - means[1], float(assumed.variants * count), count, is_sample=False)


def _rates(places: Floats, mean: float, correlation: float) -> Floats:
    """Return the rates of base scenarios from their places between 0 and 1."""
    if correlation <= NONE or not 0 < mean < 1:
        return np.full(len(places), mean)
    if correlation >= ALL:
        return (places > 1 - mean).astype(np.float64)
    weight = 1 / correlation - 1
    rates = stats.beta.ppf(places, mean * weight, (1 - mean) * weight)
    found: Floats = np.where(np.isnan(rates), places > 1 - mean, rates)
    return found


def _passed(rng: np.random.Generator, rates: Floats, assumed: Assumed, samples: int) -> Floats:
    """Return the share of conversations that pass, by base scenario; shape (BASES,)."""
    own = (assumed.same_case - assumed.icc) / (1 - assumed.icc) if assumed.icc < ALL else 0.0
    by_variant = np.broadcast_to(rates, (assumed.variants, len(rates)))
    if own >= ALL:
        by_variant = (rng.random(by_variant.shape) < by_variant).astype(np.float64)
    elif own > NONE:
        weight = 1 / own - 1
        inside = np.clip(by_variant, 1e-9, 1 - 1e-9)
        by_variant = rng.beta(np.maximum(inside * weight, 1e-9), np.maximum((1 - inside) * weight, 1e-9))
        by_variant = np.nan_to_num(by_variant, nan=0.0)
    shares: Floats = rng.binomial(samples, np.clip(by_variant, 0.0, 1.0)).mean(axis=0) / samples
    return shares
