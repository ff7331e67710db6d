"""Pooled figures of metrics: pass rates and gaps drawn towards those of the benchmark's other metrics.

A pooled figure is for picking out metrics, such as a model's strengths and failures, and for what to expect of a metric
with other base scenarios. What was measured is the rate, or the gap, itself.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from helm_impactbench.analysis.rates import Rate, grouped, metric_rates
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.gap_pooling import pooled_gaps
from helm_impactbench.stats.pooling import Pooled, pooled_rates

Key = TypeVar("Key", bound=Hashable)


def pooled_by_metric(rates: Mapping[str, Rate]) -> dict[str, Pooled]:
    """Return slug/metric -> pooled rate, from the rates of one model's metrics; each benchmark by itself.

    Metrics without a scored conversation are left out, as are all of a benchmark with too few metrics to pool.
    """
    by_benchmark: dict[str, dict[str, Rate]] = {}
    for metric, rate in rates.items():
        if rate.scored:
            by_benchmark.setdefault(rate.outcomes[0].benchmark, {})[metric] = rate
    found: dict[str, Pooled] = {}
    for own in by_benchmark.values():
        pooled = pooled_rates([rate.clusters for rate in own.values()], _share(list(own.values())))
        found |= dict(zip(own, pooled or (), strict=False))
    return found


def pooled_by_model(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], Pooled]:
    """Return (model, slug/metric) -> pooled rate."""
    by_model = grouped((outcome for outcome in outcomes if outcome.is_level), lambda outcome: outcome.model)
    return {
        (model, metric): pooled
        for model, own in by_model.items()
        for metric, pooled in pooled_by_metric(metric_rates(own)).items()
    }


def pooled_in_families(gaps: Iterable[tuple[Key, Hashable, Clusters]]) -> dict[Key, Pooled]:
    """Return the pooled gaps of (key, family, gaps by base scenario); those of a family are drawn together."""
    families: dict[Hashable, dict[Key, Clusters]] = {}
    for key, family, clusters in gaps:
        families.setdefault(family, {})[key] = clusters
    found: dict[Key, Pooled] = {}
    for own in families.values():
        found |= dict(zip(own, pooled_gaps(list(own.values())) or (), strict=False))
    return found


def _share(rates: Sequence[Rate]) -> float:
    """Return how much scores vary around their metric's rate, as a share of passes and fails would."""
    seen = math.fsum((o.score - rate.value) ** 2 for rate in rates for o in rate.scored if o.score is not None)
    most = math.fsum(len(rate.scored) * rate.value * (1 - rate.value) for rate in rates)
    return min(1.0, seen / most) if most > 0 else 1.0
