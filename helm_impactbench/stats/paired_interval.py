"""Intervals of paired differences, put together from gains and losses.

A regression is typically the loss of whole scenarios: a topic breaks, and all its variants fail, while nothing is
gained. An interval of the plain difference takes its small variance for certainty, because on [-1, 1] a difference near
0 is in the middle and not at an end. Gains and losses are two shares near 0, each with bounds of its own, which allow
for what few scenarios have not shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import WORKING_CORRELATION, Floats, sum_variance
from helm_impactbench.stats.intervals import LEVEL, UNKNOWN, Interval, as_interval, pooled_freedom
from helm_impactbench.stats.scipy_modules import special

PRIOR_CLUSTERS = 2.0
"""How many base scenarios the worst case, in which all that is lost is lost by whole scenarios, counts for."""


@dataclass(frozen=True)
class PairedSums:
    """Gains and losses by base scenario, benchmark by benchmark; shape (benchmarks, base scenarios), 0 where fewer."""

    gains: Floats
    losses: Floats
    counts: Floats
    """Pairs; 0 in a place without a base scenario."""


def paired_sums(groups: Sequence[Floats]) -> PairedSums:
    """Return the sums of benchmarks, given as arrays of (gains, losses, pairs); shape (base scenarios, 3)."""
    most = max((len(own) for own in groups), default=0)
    found = np.zeros((3, len(groups), most))
    for place, own in enumerate(groups):
        found[:, place, : len(own)] = own.T
    return PairedSums(*found)


def paired_interval(sums: PairedSums, most: float = 1.0, level: float = LEVEL) -> Interval:
    """Return the interval of the mean over benchmarks of the mean difference, on [-most, most].

    Unknown where a benchmark has a single base scenario.
    """
    if not sums.counts.size or math.isinf(most) or (sums.counts > 0).sum(-1).min() < 2:
        return UNKNOWN
    low, high = paired_bounds(sums.gains / most, sums.losses / most, sums.counts, level)
    return as_interval(low * most, high * most)


def paired_bounds(gains: Floats, losses: Floats, counts: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the bounds for many data sets; shapes (..., benchmarks, base scenarios) and (...).

    Square-and-add of the bounds of gains and of losses, with their correlation. Sources: Newcombe (1998), Improved
    Confidence Intervals for the Difference Between Binomial Proportions Based on Paired Data, Statistics in Medicine
    17; Zou & Donner (2008), Construction of Confidence Limits about Effect Measures, Statistics in Medicine 27.
    """
    gain, gain_low, gain_high = _share(gains, counts, level)
    loss, loss_low, loss_high = _share(losses, counts, level)
    together = _correlation(gains, losses, counts)
    below = _added(gain - gain_low, loss_high - loss, together)
    above = _added(gain_high - gain, loss - loss_low, together)
    return np.maximum(gain - loss - below, -1.0), np.minimum(gain - loss + above, 1.0)


def _added(one: Floats, other: Floats, correlation: Floats) -> Floats:
    found: Floats = np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0.0))
    return found


def _share(sums: Floats, counts: Floats, level: float) -> tuple[Floats, Floats, Floats]:
    """Return a mean share with the bounds of Wilson's interval at its effective size.

    The variance between base scenarios is drawn towards that of the worst case, all or nothing in each of them, as far
    as few of them have any share: what a handful shows of resemblance is next to nothing.
    """
    groups, values = counts.shape[-2], counts.sum(-1)
    mean = (sums.sum(-1) / values).mean(-1)
    variance, freedom = sum_variance(sums, counts, WORKING_CORRELATION)
    own = variance / (values * groups) ** 2
    seen = (sums > 0).sum((-1, -2))
    spread = mean * (1 - mean)
    whole = (counts**2).sum((-1, -2)) / (counts.sum((-1, -2))) ** 2  # 1 over the effective number of base scenarios
    evenly = ((counts**2).sum(-1) / values**2).sum(-1) / groups**2
    worst = spread * np.maximum(whole, evenly)
    drawn = (seen * own.sum(-1) + PRIOR_CLUSTERS * worst) / (seen + PRIOR_CLUSTERS)
    quantile = special.stdtrit(np.maximum(pooled_freedom(own, freedom), 1), (1 + level) / 2) ** 2
    scaled = quantile * np.where(spread > 0, drawn / np.maximum(spread, 1e-300), evenly)
    middle = (mean + scaled / 2) / (1 + scaled)
    half = np.sqrt(scaled * spread + scaled**2 / 4) / (1 + scaled)
    low, high = np.where(mean <= 0, 0.0, middle - half), np.where(mean >= 1, 1.0, middle + half)
    return mean, np.minimum(low, mean), np.maximum(high, mean)


def _correlation(gains: Floats, losses: Floats, counts: Floats) -> Floats:
    """Return how gains and losses of base scenarios vary together, within benchmarks; 0 where one of them is nil."""
    values = counts.sum(-1, keepdims=True)
    centred = [sums - counts * sums.sum(-1, keepdims=True) / values for sums in (gains, losses)]
    weights = 1 / values**2
    cross = (centred[0] * centred[1] * weights).sum((-1, -2))
    sizes = np.sqrt([((one**2) * weights).sum((-1, -2)) for one in centred]).prod(axis=0)
    found: Floats = np.divide(cross, sizes, out=np.zeros_like(cross), where=sizes > 0)
    return np.clip(found, -1.0, 0.0)
