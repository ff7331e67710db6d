"""Estimated means with their variance, and plain means of such means, nested to any depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Clusters, mean_variance
from helm_impactbench.stats.intervals import Interval, score_interval


@dataclass(frozen=True)
class Estimate:
    """A mean of values from 0 to 1."""

    mean: float
    """nan without a value."""
    variance: float
    """Of the mean; nan where a single value leaves none."""
    freedom: float
    """Degrees of freedom of the variance."""
    units: int
    """Independent values that it rests on."""

    @property
    def interval(self) -> Interval:
        """95%, for other values of the same kind: Wilson's with the number of values that the variance is worth."""
        return score_interval(self.mean, self.variance, self.freedom, units=self.units)


NOTHING = Estimate(math.nan, math.nan, 0, 0)


def of_clusters(clusters: Clusters) -> Estimate:
    """Return the estimate from clusters of values."""
    if not clusters.size:
        return NOTHING
    variance, freedom = mean_variance(clusters)
    return Estimate(clusters.mean, variance, 0 if clusters.size < 2 else freedom, clusters.size)


def mean_of(parts: Sequence[Estimate]) -> Estimate:
    """Return the plain mean of estimates that are independent of each other, for these very parts."""
    if not parts:
        return NOTHING
    return Estimate(
        mean=float(np.mean([part.mean for part in parts])),
        variance=sum(part.variance for part in parts) / len(parts) ** 2,
        freedom=sum(part.freedom for part in parts),
        units=sum(part.units for part in parts),
    )
