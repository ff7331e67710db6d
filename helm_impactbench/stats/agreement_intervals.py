"""95% intervals of agreement over clusters, for other clusters like these: jackknife for coefficients, else a mean's.

Each item adds its part to sums from which the coefficient follows, so that a cluster is left out by a subtraction.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from helm_impactbench.stats.agreement import Item, Rating
from helm_impactbench.stats.clusters import Floats, clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval, wilson
from helm_impactbench.stats.jackknife import jackknife_interval, summed


def alpha_interval(items: Sequence[Item], clusters: Sequence[Hashable], *, nominal: bool) -> Interval:
    """Return the interval of Krippendorff's alpha, nominal or interval; unknown where alpha is undefined."""
    rated = _rated(items, clusters)
    if not rated:
        return UNKNOWN
    keys = [cluster for _, cluster in rated]
    if not nominal:
        sums = summed(np.array([_spread(votes) for votes, _ in rated]), keys)
        return jackknife_interval(sums, _interval_alpha, _agreed(sums[:, 3]))
    categories = sorted({vote for votes, _ in rated for vote in votes})
    sums = summed(np.array([_paired(votes, categories) for votes, _ in rated]), keys)
    return jackknife_interval(sums, _nominal_alpha, _beyond_chance(sums[:, 0], sums[:, 1:]))


def fleiss_interval(items: Sequence[Item], clusters: Sequence[Hashable]) -> Interval:
    """Return the interval of Fleiss' kappa over the items that every rater has rated; unknown where it is undefined."""
    rated = [(v, c) for item, (v, c) in zip(items, _voted(items, clusters), strict=True) if len(item) == len(v) >= 2]
    categories = sorted({vote for votes, _ in rated for vote in votes})
    if len(categories) < 2:
        return UNKNOWN
    parts = np.array([[1.0, *_paired(votes, categories)] for votes, _ in rated])
    sums = summed(parts, [cluster for _, cluster in rated])
    return jackknife_interval(sums, _fleiss, _beyond_chance(sums[:, 1], sums[:, 2:]))


def split_interval(items: Sequence[Item], clusters: Sequence[Hashable]) -> Interval:
    """Return the interval of the share of items on which votes differ; unknown without two clusters."""
    rated = _rated(items, clusters)
    return cluster_interval(clustered((c, float(len(set(votes)) > 1)) for votes, c in rated)) if rated else UNKNOWN


def distance_interval(items: Sequence[Item], clusters: Sequence[Hashable], span: float = math.inf) -> Interval:
    """Return the interval of the mean distance of two ratings; `span` is the greatest that there can be."""
    rated = _rated(items, clusters)
    far = [(c, float(np.mean([abs(a - b) for a, b in combinations(votes, 2)]))) for votes, c in rated]
    return cluster_interval(clustered(far), 0.0, span) if rated else UNKNOWN


def _voted(items: Sequence[Item], clusters: Sequence[Hashable]) -> list[tuple[list[float], Hashable]]:
    return [([float(v) for v in item if v is not None], c) for item, c in zip(items, clusters, strict=True)]


def _rated(items: Sequence[Sequence[Rating]], clusters: Sequence[Hashable]) -> list[tuple[list[float], Hashable]]:
    return [(votes, cluster) for votes, cluster in _voted(items, clusters) if len(votes) >= 2]


def _paired(votes: Sequence[float], categories: Sequence[float]) -> list[float]:
    """Return the share of pairs that differ, weighted by the votes, and how many votes each category has."""
    counts = [votes.count(category) for category in categories]
    size = len(votes)
    return [(size**2 - sum(count**2 for count in counts)) / (size - 1), *map(float, counts)]


def _spread(votes: Sequence[float]) -> list[float]:
    """Return the number of votes, their sum and sum of squares, and the squared distances of pairs, weighted."""
    values = np.array(votes)
    size, total, squares = len(values), float(values.sum()), float((values**2).sum())
    return [float(size), total, squares, 2 * (size * squares - total**2) / (size - 1)]


def _nominal_alpha(sums: Floats) -> Floats:
    observed, counts = sums[..., 0], sums[..., 1:]
    size = counts.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1 - observed * (size - 1) / (size**2 - (counts**2).sum(axis=-1))
    return found


def _interval_alpha(sums: Floats) -> Floats:
    size, total, squares, observed = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1 - observed * (size - 1) / (2 * (size * squares - total**2))
    return found


def _fleiss(sums: Floats) -> Floats:
    observed, counts = sums[..., 1], sums[..., 2:]
    size = counts.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1 - observed * size / (size**2 - (counts**2).sum(axis=-1))
    return found


def _agreed(differing: Floats) -> float:
    """Return the least share of clusters without a difference that none among these leaves open; nan with one."""
    return math.nan if differing.any() else wilson(len(differing), len(differing)).low


def _beyond_chance(differing: Floats, counts: Floats) -> float:
    shares = counts.sum(axis=0) / counts.sum()
    expected = float((shares**2).sum())
    return (_agreed(differing) - expected) / (1 - expected) if expected < 1 else math.nan
