"""Paired differences added up by base scenario: all that the figures and tests of a difference are made of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.paired_interval import PairedSums, paired_sums

Cluster = tuple[str, str]
"""Benchmark (or metric) and base scenario."""


@dataclass(frozen=True)
class Totals:
    """The differences of each base scenario."""

    clusters: Sequence[Cluster]
    """In the order of `in_order`; each with a difference or more."""
    sums: Floats
    """Shape (clusters,)."""
    counts: Floats
    """Shape (clusters,)."""
    gains: Floats
    """The part of the sums that differences above 0 make; shape (clusters,)."""

    @property
    def pairs(self) -> int:
        """Number of differences."""
        return int(self.counts.sum())

    @cached_property
    def shifts(self) -> Floats:
        """The clusters' sums, weighted so that their total is the mean over benchmarks of the mean difference."""
        weighted = [own.sums / (own.values * len(self.groups)) for own in self.groups]
        return np.concatenate(weighted) if weighted else np.zeros(0)

    @property
    def moves(self) -> dict[Cluster, float]:
        """Cluster -> shift; made when it is asked for, because a comparison of 40 models keeps 780 totals."""
        return dict(zip(self.clusters, self.shifts.tolist(), strict=True))

    @cached_property
    def weights(self) -> Floats:
        """The clusters' shares in the mean over benchmarks of the mean difference; shape (clusters,)."""
        found: Floats = np.concatenate([own.counts / (own.values * len(self.groups)) for own in self.groups])
        return found

    @cached_property
    def groups(self) -> list[Clusters]:
        """The differences by base scenario, benchmark by benchmark."""
        return [Clusters(self.sums[own], self.counts[own]) for own in self._benchmarks()]

    @cached_property
    def paired(self) -> PairedSums:
        """Gains and losses by base scenario, benchmark by benchmark."""
        columns = np.stack([self.gains, np.maximum(self.gains - self.sums, 0.0), self.counts], axis=1)
        return paired_sums([columns[own] for own in self._benchmarks()])

    @property
    def pooled(self) -> PairedSums:
        """Gains and losses by base scenario as one group, each by its share in the mean over benchmarks."""
        counts = self.weights * self.pairs
        own = np.stack([self.gains, np.maximum(self.gains - self.sums, 0.0), self.counts], axis=1)
        return paired_sums([own * (counts / self.counts)[:, None]])

    def _benchmarks(self) -> Iterator[slice]:
        start = 0
        for _, own in groupby(self.clusters, lambda cluster: cluster[0]):
            end = start + sum(1 for _ in own)
            yield slice(start, end)
            start = end


def in_order(clusters: Iterable[Cluster]) -> list[Cluster]:
    """Return clusters in an order that depends on nothing but their names."""
    return sorted(clusters, key=lambda cluster: (cluster[0], repr(cluster[1])))


def totals(differences: Iterable[tuple[str, str, float]]) -> Totals:
    """Return the totals of (benchmark, base scenario, difference)."""
    sums, gains, counts = defaultdict[Cluster, float](float), defaultdict[Cluster, float](float), Counter[Cluster]()
    for benchmark, base_id, difference in differences:
        sums[benchmark, base_id] += difference
        gains[benchmark, base_id] += max(difference, 0.0)
        counts[benchmark, base_id] += 1
    clusters = in_order(sums)
    return Totals(clusters, *(np.array([own[one] for one in clusters], float) for own in (sums, counts, gains)))
