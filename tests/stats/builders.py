"""Clusters of values in a line."""

from __future__ import annotations

from helm_impactbench.stats.clusters import Clusters, clustered


def clusters(*values: list[float]) -> Clusters:
    """Return clusters of these values."""
    return clustered((index, value) for index, own in enumerate(values) for value in own)
