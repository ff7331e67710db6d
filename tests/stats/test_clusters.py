"""Values in clusters: the variance of their mean, and the design effect."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import clustered, mean_variance
from tests.stats.builders import clusters


def test_cluster_variance_is_that_of_cluster_means() -> None:
    """For clusters of equal size the variance is the textbook's, s^2 / n, with n - 1 degrees of freedom."""
    values = np.random.default_rng(1).random((40, 3))
    expected = values.mean(axis=1).var(ddof=1) / 40
    assert mean_variance(clusters(*values.tolist())) == pytest.approx((expected, 39))


def test_cluster_variance_does_not_depend_on_order_or_names() -> None:
    """Law 5: the same results give the same figure."""
    pairs = [(f"s{index:03d}", float(index % 3 == 0)) for index in range(30)]
    assert mean_variance(clustered(pairs)) == mean_variance(clustered(reversed(pairs)))
