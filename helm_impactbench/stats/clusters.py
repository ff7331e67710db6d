"""Values that come in clusters: conversations of one base scenario resemble each other and are not independent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEED = 20_240_601
"""Seed of every resampling: the same results give the same figures on every machine."""
WORKING_CORRELATION = 0.5
"""Of values of one cluster, where their sums alone are known: what is assumed for unequal clusters."""


@dataclass(frozen=True)
class Clusters:
    """Sums and counts of values by cluster, in the order of the clusters' keys."""

    sums: Floats
    """Shape (clusters,)."""
    counts: Floats
    """Shape (clusters,); values per cluster, at least 1."""

    @property
    def size(self) -> int:
        """Number of clusters."""
        return len(self.sums)

    @property
    def values(self) -> int:
        """Number of values in all clusters."""
        return int(self.counts.sum())

    @cached_property
    def mean(self) -> float:
        """Mean over all values. Raises ValueError when there is none."""
        if not self.size:
            raise ValueError("no values, so no mean")
        return float(self.sums.sum() / self.counts.sum())


def clustered(pairs: Iterable[tuple[Hashable, float]]) -> Clusters:
    """Return the clusters of (key, value) pairs; their order depends on the keys alone."""
    sums, counts = defaultdict[Hashable, float](float), defaultdict[Hashable, int](int)
    for key, value in pairs:
        sums[key] += value
        counts[key] += 1
    ordered = sorted(sums, key=repr)
    return Clusters(np.array([sums[key] for key in ordered], float), np.array([counts[key] for key in ordered], float))


def padded(groups: Sequence[Clusters]) -> tuple[Floats, Floats]:
    """Return sums and counts of several groups of clusters, shape (groups, clusters); 0 where a group has fewer."""
    most = max((one.size for one in groups), default=0)
    sums, counts = np.zeros((len(groups), most)), np.zeros((len(groups), most))
    for place, one in enumerate(groups):
        sums[place, : one.size], counts[place, : one.size] = one.sums, one.counts
    return sums, counts


def sum_variance(sums: Floats, counts: Floats, correlation: Floats | float) -> tuple[Floats, Floats]:
    """Return the variance of the sum of all values around their mean, and its degrees of freedom.

    Shapes: sums and counts (..., clusters), correlation (...), results (...); a cluster without values changes nothing,
    a single one leaves nan. Unbiased, with Satterthwaite's degrees of freedom, if values of a cluster have this
    correlation; so clusters of unequal size count for what they can tell. With equal clusters the correlation is of no
    importance: the variance is the usual one, with clusters - 1. Source: Bell & McCaffrey (2002), Bias Reduction in
    Standard Errors for Linear Regression with Multi-stage Samples, Survey Methodology 28 (BRL, for a single mean).
    """
    values = counts.sum(-1, keepdims=True)
    residuals = sums - counts * sums.sum(-1, keepdims=True) / values
    model = counts * (1 + np.maximum(counts - 1, 0) * np.asarray(correlation)[..., None])  # variance of a cluster's sum
    share = counts / values
    whole, squares, cross = model.sum(-1), (share**2).sum(-1), (share * model).sum(-1)
    trace = whole - 2 * cross + whole * squares  # of the covariance of the residuals under the model
    spread = (
        (model**2).sum(-1)
        - 4 * (share * model**2).sum(-1)
        + 2 * whole * (share**2 * model).sum(-1)
        + 2 * cross**2
        + 2 * squares * (model**2).sum(-1)
        + whole**2 * squares**2
        - 4 * whole * cross * squares
    )  # of its square
    several = (counts > 0).sum(-1) > 1
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(several, whole / trace * (residuals**2).sum(-1), np.nan)
        freedom = np.where(several, trace**2 / spread, np.nan)
    return variance, freedom


def mean_variance(clusters: Clusters) -> tuple[float, float]:
    """Return the variance of the mean and its degrees of freedom; nan with a single cluster."""
    variance, freedom = sum_variance(clusters.sums, clusters.counts, WORKING_CORRELATION)
    return float(variance) / clusters.values**2, float(freedom)
