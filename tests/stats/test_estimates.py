"""Estimates and means of them, nested."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from helm_impactbench.analysis.combined.combined import combine
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.estimates import NOTHING, Estimate, mean_of, of_clusters
from helm_impactbench.stats.intervals import cluster_interval, same_groups_interval
from tests.suites.external.builders import answers


def of_values(values: Sequence[float]) -> Estimate:
    """Return the estimate from independent values: each is a cluster."""
    return of_clusters(clustered(enumerate(values)))


def test_nested_means_keep_their_variance() -> None:
    """A mean of means has the interval that same_groups_interval gives; subjects within a suite weigh as one suite."""
    rng = np.random.default_rng(4)
    groups = [clustered((i, rng.random()) for i in range(20)) for _ in range(3)]
    joined = mean_of([of_clusters(group) for group in groups])
    assert joined.interval.low == pytest.approx(same_groups_interval(groups).low)
    assert joined.interval.high == pytest.approx(same_groups_interval(groups).high)
    parts = [of_values([0.0, 1.0] * 10), of_values([0.5] * 8 + [1.0] * 8)]
    nested = mean_of([mean_of(parts), of_values([1.0, 0.0, 1.0])])
    assert nested.mean == pytest.approx(((0.5 + 0.75) / 2 + 2 / 3) / 2)
    assert nested.variance == pytest.approx(
        (sum(p.variance for p in parts) / 4 + of_values([1.0, 0.0, 1.0]).variance) / 4
    )


def test_the_interval_of_a_suite_covers() -> None:
    """Rates near the end of the range, graded scores too: 95% intervals of means cover the truth in 93% or more."""
    rng = np.random.default_rng(5)
    for chances, levels in (((0.05, 0.95), (0.0, 1.0)), ((0.1, 0.2, 0.7), (0.0, 0.5, 1.0))):
        truth = float(np.dot(chances, levels))
        found = [of_values(rng.choice(levels, 60, p=chances).tolist()).interval for _ in range(800)]
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93


def test_clusters_widen_the_interval() -> None:
    """Ten answers to each of two requests are worth little more than two: the interval is that of the clusters."""
    values = [1.0] * 10 + [0.0] * 10 + [1.0, 0.0]
    groups = tuple(name for name in "abcd" for _ in range({"a": 10, "b": 10, "c": 1, "d": 1}[name]))
    alone = combine(answers("air_bench_2024", "a", *values)).overall["safety"].scores["a"]
    joined = combine(answers("air_bench_2024", "a", *values, clusters=groups)).overall["safety"].scores["a"]
    assert alone.estimate.mean == joined.estimate.mean == 0.5
    assert joined.estimate.interval == cluster_interval(clustered(zip(groups, values, strict=True)))
    assert joined.estimate.interval.low < alone.estimate.interval.low - 0.1


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    """No spread can be seen in a single answer; without any there is nothing."""
    assert of_values([1.0]).mean == 1.0
    assert not of_values([1.0]).interval.is_known
    assert of_values([]) == mean_of([]) == NOTHING
    assert math.isnan(NOTHING.mean)
