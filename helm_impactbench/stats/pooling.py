"""Partial pooling of a model's rates: each metric's is drawn to what others let expect, the more the less it rests on.

A rate from three base scenarios is mostly noise: the best and the worst of twelve such rates are the luckiest and the
unluckiest. Hierarchical model: a metric's true rate comes from a beta distribution, or with a small probability from
anywhere between 0 and 1, so that one metric that always fails neither moves the others nor is moved much by them. The
mean of that distribution is the same for all metrics, or follows how hard other models find each of them. Mean, spread,
slope and probability are unknown and are integrated over, so that intervals contain their uncertainty. Sources: Efron &
Morris (1975), Data Analysis Using Stein's Estimator, JASA 70; Gelman et al. (2013), Bayesian Data Analysis, chapter 5
(beta-binomial with unknown hyperparameters, on a grid); Tukey (1960) for the contaminated distribution; Fay & Herriot
(1979), JASA 74, for a mean that follows a covariate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.stats.strata import resemblance

FEWEST = 4
"""Metrics: fewer say next to nothing of how much metrics differ."""
CELLS = 400
"""Cells of a rate from 0 to 1, equally wide on the arcsine scale and so finest at the ends."""
MEANS = 25
"""Possible means of a model's true rates, equally likely before the data."""
FINE = 3 * MEANS
"""Means of single metrics are rounded to so many."""
SPREADS = 14
"""Possible standard deviations of true rates around their mean, equally likely before the data (Gelman 2006)."""
WIDEST = 0.9
"""The greatest of them, as a share of what rates with that mean could have at most."""
ODD = np.array([0.0, 0.05, 0.15])
"""Possible probabilities that a metric has nothing to do with the others."""
SLOPES = np.array([0.0, 0.5, 1.0])
"""By how much of what other models find a metric harder, or easier, this one may (on the logit scale)."""
SURE = 0.98
"""Rates of other models count as no higher, and as no lower than 1 less this: their logits have no end."""
LEAST_SHARE = 0.05
"""Values that hardly vary are not taken to be worth more than twenty times as many zeros and ones."""


@dataclass(frozen=True)
class Pooled:
    """A figure of one metric, with what the other metrics tell of it."""

    value: float
    """Drawn towards what they let expect."""
    interval: Interval
    """95%: holds the truth in 95% of metrics on average, less often that of a metric far from all others."""


def pooled_rates(
    strata: Sequence[Clusters], share: float = 1.0, others: Sequence[float] | None = None
) -> list[Pooled] | None:
    """Return the pooled rate of every metric of a model from its values, 0 to 1, by base scenario; one or more each.

    `share`: as of `resemblance`, 1 where all values are 0 or 1. `others`: each metric's mean rate among other models,
    nan without one. None with fewer metrics than FEWEST, or where no metric has two base scenarios, so that nothing
    tells how much the values of one resemble each other. A rate of exactly 0 or 1 keeps that end in its interval.
    """
    how = resemblance(strata, max(share, LEAST_SHARE))
    if len(strata) < FEWEST or how.freedom < 1:
        return None
    rates = np.array([one.mean for one in strata])
    likelihood = _likelihood(rates, np.array([how.effective_size(one) for one in strata]))
    masses = _posterior(likelihood, _means(np.full(len(strata), np.nan) if others is None else np.array(others)))
    low = np.where(rates <= 0, 0.0, _quantile(masses, (1 - LEVEL) / 2))
    high = np.where(rates >= 1, 1.0, _quantile(masses, (1 + LEVEL) / 2))
    values = np.einsum("mc,c->m", masses, _middles())
    return [Pooled(float(v), Interval(float(a), float(b))) for v, a, b in zip(values, low, high, strict=True)]


def _means(others: Floats) -> NDArray[np.intp]:
    """Return which of FINE each metric's mean is, by mean of the model and slope; shape (MEANS, slopes, metrics)."""
    known = ~np.isnan(others)
    harder = np.zeros(len(others))
    if known.any():
        logits = special.logit(np.clip(others[known], 1 - SURE, SURE))
        harder[known] = logits - logits.mean()
    slopes = SLOPES if harder.any() else SLOPES[:1]
    logits = special.logit((np.arange(MEANS) + 0.5) / MEANS)[:, None, None] + slopes[:, None] * harder
    return np.asarray(np.minimum((special.expit(logits) * FINE).astype(int), FINE - 1))


def _likelihood(rates: Floats, sizes: Floats) -> Floats:
    """Return how likely each rate is if the truth is in a cell, 1 at most; shape (metrics, CELLS).

    `sizes`: independent values that each is worth.
    """
    cells = _middles()
    passed, failed = (rates * sizes)[:, None], ((1 - rates) * sizes)[:, None]
    logs = special.xlogy(passed, cells) + special.xlogy(failed, 1 - cells)
    found: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    return found


def _posterior(likelihood: Floats, means: NDArray[np.intp]) -> Floats:
    """Return the probability of every cell for every metric; shape (metrics, CELLS). `means`: as from _means.

    Sums of products are einsum's and not matmul's: those of a BLAS differ in the last digits with its threads.
    """
    used = np.unique(means)
    means = np.searchsorted(used, means)
    betas, anywhere = _betas()[used], np.diff(_edges())
    metrics = np.arange(len(likelihood))
    by_beta = np.einsum("mc,bsc->mbs", likelihood, betas)[metrics, means]  # of means, slopes, metrics, spreads
    alone = np.einsum("mc,c->m", likelihood, anywhere)[:, None, None]
    evidence = by_beta[..., None] * (1 - ODD) + alone * ODD
    evidence = np.maximum(evidence, 1e-300)
    logs = np.log(evidence).sum(axis=2, keepdims=True)  # of each prior, over all metrics
    weights = np.exp(logs - logs.max()) / evidence
    mixture = np.zeros((len(metrics), *betas.shape[:2]))
    np.add.at(mixture, (metrics, means), np.einsum("...o,o->...", weights, 1 - ODD))
    odd = np.einsum("...o,o->...", weights, ODD).sum(axis=(0, 1, 3))
    masses: Floats = likelihood * (np.einsum("mbs,bsc->mc", mixture, betas) + odd[:, None] * anywhere)
    masses /= masses.sum(axis=1, keepdims=True)
    return masses


def _quantile(masses: Floats, share: float) -> Floats:
    """Return the rate below which each metric's truth is with this probability."""
    below, edges = masses.cumsum(axis=1), _edges()
    cell = np.minimum((below < share).sum(axis=1), CELLS - 1)
    rows = np.arange(len(masses))
    inside = masses[rows, cell]
    part = np.clip((share - below[rows, cell] + inside) / np.maximum(inside, 1e-300), 0, 1)
    found: Floats = edges[cell] + part * (edges[cell + 1] - edges[cell])
    return found


@lru_cache(maxsize=1)
def _edges() -> Floats:
    edges: Floats = np.sin(np.linspace(0, np.pi / 2, CELLS + 1)) ** 2
    return edges


@lru_cache(maxsize=1)
def _middles() -> Floats:
    middles: Floats = np.sin((np.arange(CELLS) + 0.5) * np.pi / 2 / CELLS) ** 2
    return middles


@lru_cache(maxsize=1)
def _betas() -> Floats:
    """Return the beta distributions that true rates may come from; shape (FINE, SPREADS, CELLS)."""
    means = ((np.arange(FINE) + 0.5) / FINE)[:, None, None]
    spreads = ((np.arange(SPREADS) + 0.5) / SPREADS * WIDEST)[:, None]
    weight = 1 / spreads**2 - 1
    found: Floats = np.diff(special.betainc(means * weight, (1 - means) * weight, _edges()), axis=2)
    return found
