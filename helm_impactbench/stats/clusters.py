"""Values that come in clusters: conversations of one base scenario resemble each other and are not independent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEED = 20_240_601
"""Seed of every resampling: the same results give the same figures on every machine."""
RESAMPLES = 4_000


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

    @property
    def mean(self) -> float:
        """Mean over all values. Raises ValueError when there is none."""
        if not self.size:
            raise ValueError("there is no mean of no values")
        return float(self.sums.sum() / self.counts.sum())


def clustered(pairs: Iterable[tuple[Hashable, float]]) -> Clusters:
    """Return the clusters of (key, value) pairs; their order depends on the keys alone."""
    sums: dict[Hashable, list[float]] = {}
    for key, value in pairs:
        sums.setdefault(key, []).append(float(value))
    ordered = [sums[key] for key in sorted(sums, key=repr)]
    return Clusters(np.array([sum(values) for values in ordered]), np.array([float(len(v)) for v in ordered]))


def bootstrap_means(clusters: Clusters) -> Floats:
    """Return the means of RESAMPLES resamples of whole clusters, drawn with replacement; shape (RESAMPLES,).

    Source: Davison & Hinkley (1997), Bootstrap Methods and their Application, section 3.8.
    """
    drawn = _draws(clusters.size)
    means: Floats = (drawn @ clusters.sums) / (drawn @ clusters.counts)
    return means


@lru_cache(maxsize=8)
def _draws(size: int) -> Floats:
    """Return how often each of `size` clusters is drawn in each resample; shape (RESAMPLES, size)."""
    return np.random.default_rng(SEED).multinomial(size, np.full(size, 1 / size), size=RESAMPLES).astype(np.float64)


def mean_variance(clusters: Clusters) -> float:
    """Return the variance of the mean by cluster bootstrap, nan with a single cluster.

    The factor size / (size - 1) takes away the bootstrap's downward bias with few clusters; source: Cameron & Miller
    (2015), A Practitioner's Guide to Cluster-Robust Inference, section VI.
    """
    if clusters.size < 2:
        return float("nan")
    return float(bootstrap_means(clusters).var() * clusters.size / (clusters.size - 1))


def design_effect(clusters: Clusters) -> float:
    """Return the variance of a rate over what it would be if its values were independent (Kish 1965).

    nan where that has no meaning: a single cluster, or values (0 or 1) that are all the same.
    """
    mean = clusters.mean
    independent = mean * (1 - mean) / clusters.values
    return mean_variance(clusters) / independent if independent > 0 else float("nan")
