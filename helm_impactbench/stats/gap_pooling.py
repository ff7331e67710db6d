"""Partial pooling of differences between two levels: the gap of each metric is shrunk towards the mean gap of all.

Hierarchical normal model. Three base scenarios tell next to nothing about how much gaps vary from one to the next, so
this is taken from all metrics together. The mean gap is unknown and has a flat prior, as has the spread of the metrics'
true gaps; both are integrated over. Source: Gelman et al. (2013), Bayesian Data Analysis, section 5.4 (Rubin's eight
schools); Morris (1983), Parametric Empirical Bayes Inference, JASA 78, for what intervals lack that take them as known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.intervals import LEVEL, TINY, Interval
from helm_impactbench.stats.pooling import FEWEST, Pooled
from helm_impactbench.stats.scipy_modules import special

SPREADS = 40
"""Possible standard deviations of the metrics' true gaps, equally likely before the data."""
WIDEST = 0.7
"""The greatest of them."""


def pooled_gaps(groups: Sequence[Clusters]) -> list[Pooled] | None:
    """Return the pooled gap of every metric from its gaps, -1 to 1, by base scenario; at least one each.

    None with fewer metrics than FEWEST, or where no metric has two base scenarios, so that nothing tells how much they
    differ. If none differs from the others of its metric, one is taken to, by 1.
    """
    freedom = sum(one.size - 1 for one in groups)
    if len(groups) < FEWEST or freedom < 1:
        return None
    variances = _unit_variance(groups, freedom) * np.array([float((o.counts**2).sum()) / o.values**2 for o in groups])
    values, spread = _posterior(np.array([one.mean for one in groups]), variances)
    half = float(special.stdtrit(freedom, (1 + LEVEL) / 2)) * spread
    return [
        Pooled(float(value), Interval(max(-1.0, float(value - own)), min(1.0, float(value + own))))
        for value, own in zip(values, half, strict=True)
    ]


def _unit_variance(groups: Sequence[Clusters], freedom: int) -> float:
    """Return the variance of base scenarios' gaps within metrics, over all of them."""
    squares = math.fsum(float(((one.sums / one.counts - one.mean) ** 2).sum()) for one in groups)
    return (squares if squares > TINY else 1.0) / freedom


def _posterior(gaps: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each true gap, given what is seen and its variance; shapes (metrics,)."""
    spreads = (np.arange(SPREADS) + 0.5) / SPREADS * WIDEST
    seen, noise = gaps[:, None], variances[:, None]
    precision = 1 / (noise + spreads**2)
    total = precision.sum(axis=0)
    middle = (precision * seen).sum(axis=0) / total
    logs = (np.log(precision) - precision * (seen - middle) ** 2).sum(axis=0) / 2 - np.log(total) / 2
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    drawn = noise * precision  # how far each goes to the middle, by spread
    means = seen + drawn * (middle - seen)
    within = noise * (1 - drawn) + drawn**2 / total
    values: Floats = np.einsum("ms,s->m", means, weights)  # not matmul: a BLAS sums differently with its threads
    return values, np.sqrt(((within + (means - values[:, None]) ** 2) * weights).sum(axis=1))
