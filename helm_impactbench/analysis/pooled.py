"""Pooled figures of metrics: pass rates and gaps shrunk towards those of the benchmark's other metrics.

A rate's expectation also follows how hard the suite's other models find the metric, as far as this model seems to.

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


def pooled_by_model(rates: Mapping[str, Mapping[str, Rate]]) -> dict[str, dict[str, Pooled]]:
    """Return model -> slug/metric -> pooled rate, from model -> slug/metric -> rate."""
    return {model: pooled_of(model, rates) for model in rates}


def pooled_of(model: str, rates: Mapping[str, Mapping[str, Rate]]) -> dict[str, Pooled]:
    """Return slug/metric -> pooled rate of a model, from all models' slug/metric -> rate; each benchmark by itself.

    Metrics without a scored conversation are left out, as are all of a benchmark with too few metrics to pool.
    """
    by_metric: dict[str, dict[str, float]] = {}
    for one, own in rates.items():
        for metric, rate in own.items():
            if rate.scored:
                by_metric.setdefault(metric, {})[one] = rate.value
    return _pooled(rates[model], _of_others(model, by_metric))


def rates_by_model(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Rate]]:
    """Return model -> slug/metric -> rate, of level metrics."""
    by_model = grouped((outcome for outcome in outcomes if outcome.is_level), lambda outcome: outcome.model)
    return {model: metric_rates(own) for model, own in by_model.items()}


def _of_others(model: str, by_metric: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return slug/metric -> mean rate of all models but one; nan where there is no other."""
    found = {metric: [rate for other, rate in own.items() if other != model] for metric, own in by_metric.items()}
    return {metric: math.fsum(own) / len(own) if own else math.nan for metric, own in found.items()}


def _pooled(rates: Mapping[str, Rate], others: Mapping[str, float]) -> dict[str, Pooled]:
    by_benchmark: dict[str, dict[str, Rate]] = {}
    for metric, rate in rates.items():
        if rate.scored:
            by_benchmark.setdefault(rate.outcomes[0].benchmark, {})[metric] = rate
    found: dict[str, Pooled] = {}
    for own in by_benchmark.values():
        clusters, share = [rate.clusters for rate in own.values()], _share(list(own.values()))
        found |= dict(zip(own, pooled_rates(clusters, share, [others[metric] for metric in own]) or (), strict=False))
    return found


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
