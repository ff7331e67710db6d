"""Paired differences: the same case under two conditions, in clusters of base scenarios, in groups of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import Interval, mean_of_means, same_groups_interval
from helm_impactbench.stats.tests import sign_flip_p_value, smallest_p_value


@dataclass(frozen=True)
class Pair:
    """One case under both conditions."""

    benchmark: str
    base_id: str
    difference: float
    """First minus second, of scores from 0 to 1 or of gaps from -1 to 1."""


@dataclass(frozen=True)
class Difference:
    """What pairs say together."""

    value: float
    """Mean over benchmarks of the mean difference."""
    interval: Interval
    """95%, for these benchmarks with other base scenarios."""
    p_value: float
    """Of "no difference": sign-flip test over base scenarios, two-sided, not adjusted."""
    pairs: int
    scenarios: int
    """Base scenarios: the clusters."""

    @property
    def smallest_p_value(self) -> float:
        """The smallest p value that this number of base scenarios can give."""
        return smallest_p_value(self.scenarios)


def paired_difference(pairs: Sequence[Pair], most: float = 1.0) -> Difference | None:
    """Return the difference over pairs, each of which lies between -`most` and `most`; None without any."""
    if not pairs:
        return None
    groups = _groups(pairs)
    # Cluster sums, weighted so that their total is the mean over benchmarks: what a flip of a cluster's sign changes.
    moves = np.concatenate([group.sums / (group.values * len(groups)) for group in groups])
    return Difference(
        value=mean_of_means(groups),
        interval=same_groups_interval(groups, lowest=-most, highest=most),
        p_value=sign_flip_p_value(moves),
        pairs=len(pairs),
        scenarios=sum(group.size for group in groups),
    )


def _groups(pairs: Sequence[Pair]) -> list[Clusters]:
    by_benchmark: dict[str, list[tuple[str, float]]] = {}
    for pair in pairs:
        by_benchmark.setdefault(pair.benchmark, []).append((pair.base_id, pair.difference))
    return [clustered(by_benchmark[slug]) for slug in sorted(by_benchmark)]
