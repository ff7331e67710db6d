"""Item analysis: which metrics and scenarios an author should work on after a pilot.

Level metrics are judged by their pass rates, how far models differ, their correlation with the benchmark's others, and
anchors. A contrast metric needs matched sets, and values that vary, or it cannot show a difference.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev
from typing import Literal

import numpy as np

from helm_impactbench.analysis.difficulty import difficulty_of
from helm_impactbench.analysis.item_findings import FEWEST_MODELS, with_findings
from helm_impactbench.analysis.item_statistics import ItemStatistics
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.rates import by_benchmark, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, Floats, clustered
from helm_impactbench.stats.correlation import rho_interval
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.items import NO_AREA, NO_SPREAD, Area, Spread, area_of, spread_of_models
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.stats.strata import Resemblance, alike_interval, own_resemblances, resemblance

DISCRIMINATES = 0.05
"""Standard deviation of the models' true rates below which an item does not separate models."""

REHEARSAL_ANCHORS = ("rehearsal/supportive", "rehearsal/harmful")
"""Scripted targets that behave as well and as badly as can be."""
Unit = Literal["metric", "scenario"]
Key = tuple[str, str]
"""Metric as slug/id, and id of the base scenario, which is empty for a metric."""


@dataclass(frozen=True)
class KnownPair:
    """Two models of which it is known how they behave."""

    good: str
    bad: str
    scripted: bool = False
    """Whether they are scripts, which leave nothing to chance."""


@dataclass(frozen=True)
class _Item:
    """The conversations of one item."""

    key: Key
    outcomes: Sequence[Outcome]

    def repeat(self, outcome: Outcome) -> Hashable:
        """Return what the item is repeated over: base scenarios of a metric, variants and samples of a scenario."""
        return (outcome.variant_id, outcome.sample) if self.key[1] else outcome.cluster

    def clusters(self, outcomes: Sequence[Outcome]) -> Clusters:
        return clustered((self.repeat(o), o.score) for o in outcomes if o.score is not None)


@dataclass(frozen=True)
class _Rest:
    """An item's rates beside those of the benchmark's other items; shape (models,), those that have both."""

    own: Floats
    others: Floats
    own_variances: Floats
    """What other repeats would change in the item's rates."""
    others_variances: Floats
    """And in the means of the others."""


def item_analysis(
    outcomes: Sequence[Outcome], anchors: KnownPair | None = None, unit: Unit = "metric"
) -> list[ItemStatistics]:
    """Return the statistics of every metric or base scenario, in the order of benchmarks, metrics and scenarios."""
    found = []
    for _, own in by_benchmark(outcomes).items():
        groups = grouped(own, lambda o: (o.metric, o.base_id if unit == "scenario" else ""))
        items = [_Item(key, groups[key]) for key in sorted(groups)]
        scored = [(item, clusters) for item in items if (clusters := item.clusters(item.outcomes)).size]
        alike = own_resemblances([clusters for _, clusters in scored]) if scored else []
        by_item = {item.key: one for (item, _), one in zip(scored, alike, strict=True)}
        rests = _rests(items)
        found += [
            _statistics(item, by_item.get(item.key), rest, anchors) for item, rest in zip(items, rests, strict=True)
        ]
    return with_findings(found)


def _statistics(item: _Item, alike: Resemblance | None, rest: _Rest, anchors: KnownPair | None) -> ItemStatistics:
    own = item.outcomes
    scores = _scores(own)
    values = [outcome.value for outcome in own if outcome.value is not None]
    contrast = not own[0].is_level
    span = own[0].bounds[1] - own[0].bounds[0] if own[0].bounds else math.nan
    split, distance, voted = _disagreement(own, span)
    grounded = [fmean(marks) for o in own if (marks := [v.grounded for v in o.votes if v.grounded is not None])]
    correlation, interval = _item_rest(rest)
    difficulty, among_models = difficulty_of(own if item.key[1] else ())
    return ItemStatistics(
        metric=item.key[0],
        scenario=item.key[1],
        name=own[0].metric_name,
        type=own[0].metric_type,
        conversations=len(own),
        scored=len(values),
        possible=sum(outcome.status != "not_applicable" for outcome in own),
        passed=math.fsum(score for found in scores.values() for score in found),
        models=len({outcome.model for outcome in own if outcome.is_scored}),
        repeats=len({item.repeat(outcome) for outcome in own}),
        mean=fmean(map(fmean, scores.values())) if scores else math.nan,
        mean_interval=alike_interval(item.clusters(own), alike) if alike else UNKNOWN,
        spread=_spread(item),
        item_rest=correlation,
        item_rest_interval=interval,
        against=_against(rest),
        split=split,
        distance=distance,
        voted_twice=voted,
        refused=sum(outcome.refused for outcome in own),
        grounded=fmean(grounded) if grounded else math.nan,
        quoted=len(grounded),
        auroc=_area(item, anchors),
        scripted=anchors is not None and anchors.scripted,
        matched=_matched(own) if contrast else math.nan,
        moves=pstdev(values) / (1.0 if math.isnan(span) else span) if contrast and len(values) > 1 else math.nan,
        bar=DISCRIMINATES,
        difficulty=difficulty,
        difficulty_interval=among_models,
    )


def _scores(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Return model -> its scores, of models that have one, sorted by name."""
    found: dict[str, list[float]] = {}
    for outcome in outcomes:
        if outcome.score is not None:
            found.setdefault(outcome.model, []).append(outcome.score)
    return dict(sorted(found.items()))


def _disagreement(outcomes: Sequence[Outcome], span: float) -> tuple[float, float, int]:
    """Return the share of split votes, or the mean distance as a share of the range, and of how many conversations."""
    panels = [o for o in outcomes if o.cascade is None]  # in a cascade the second judge sees only doubtful cases
    voted = [votes for o in panels if len(votes := [v.value for v in o.votes if v.value is not None]) > 1]
    if not voted:
        return math.nan, math.nan, 0
    if outcomes[0].scale == "nominal":
        return fmean(len(set(votes)) > 1 for votes in voted), math.nan, len(voted)
    far = fmean(fmean(abs(a - b) for a, b in combinations(votes, 2)) for votes in voted)
    return math.nan, far / span, len(voted)


def _matched(outcomes: Sequence[Outcome]) -> float:
    sets = [found for own in grouped(outcomes, lambda o: o.model).values() for found in matched_sets(own)]
    return fmean(len(found.levels) > 1 for found in sets) if sets else 0.0


def _spread(item: _Item) -> Spread:
    """Return how far models differ, over the repeats for which all of them have a score."""
    cells: dict[Hashable, dict[str, list[float]]] = {}
    for outcome in item.outcomes:
        if outcome.score is not None:
            cells.setdefault(item.repeat(outcome), {}).setdefault(outcome.model, []).append(outcome.score)
    models = sorted({model for own in cells.values() for model in own})
    whole = [own for own in cells.values() if len(own) == len(models)]
    if len(models) < 2 or len(whole) < 2:
        return NO_SPREAD
    table = np.array([[fmean(own[model]) for own in whole] for model in models])
    return spread_of_models(table, fmean(len(own[model]) for own in whole for model in models), DISCRIMINATES)


def _rests(items: Sequence[_Item]) -> list[_Rest]:
    models = sorted({outcome.model for item in items for outcome in item.outcomes})
    rates, sizes = (np.full((len(items), len(models)), math.nan) for _ in range(2))
    by_model = [grouped(item.outcomes, lambda outcome: outcome.model) for item in items]
    for column, model in enumerate(models):
        own = [_by_base(found.get(model, [])) for found in by_model]
        how = resemblance(_by_metric(items, own))
        for row, clusters in enumerate(own):
            if clusters.size:
                rates[row, column], sizes[row, column] = clusters.mean, how.effective_size(clusters)
    known = ~np.isnan(rates)
    variances = _variances(rates, sizes)
    total, count, doubt = np.where(known, rates, 0.0).sum(axis=0), known.sum(axis=0), variances.sum(axis=0)
    found = []
    for rate, variance, has in zip(rates, variances, known, strict=True):
        both = has & (count > 1)
        others = count[both] - 1
        rest, rest_variance = (total[both] - rate[both]) / others, (doubt[both] - variance[both]) / others**2
        found.append(_Rest(rate[both], rest, variance[both], rest_variance))
    return found


def _variances(rates: Floats, sizes: Floats) -> Floats:
    """Return the variance of each rate, shape (items, models), 0 where there is none.

    It is that of the item's rate over all models: the rate of a single one, of two conversations, is often 0 or 1 and
    would seem certain.
    """
    own = np.where(np.isnan(rates), 0.0, sizes)
    passed = np.where(np.isnan(rates), 0.0, rates * sizes).sum(axis=1)
    whole = (passed + 0.5) / (own.sum(axis=1) + 1)
    found: Floats = np.where(own > 0, (whole * (1 - whole))[:, None] / np.where(own > 0, own, 1.0), 0.0)
    return found


def _by_base(outcomes: Sequence[Outcome]) -> Clusters:
    """Return the scores by base scenario: one cluster, where the item is one. What it does to a model is luck too."""
    return clustered((outcome.cluster, outcome.score) for outcome in outcomes if outcome.score is not None)


def _by_metric(items: Sequence[_Item], clusters: Sequence[Clusters]) -> list[Clusters]:
    """Return the clusters of the items of each metric together."""
    found: dict[str, list[Clusters]] = {}
    for item, own in zip(items, clusters, strict=True):
        if own.size:
            found.setdefault(item.key[0], []).append(own)
    return [
        Clusters(np.concatenate([one.sums for one in own]), np.concatenate([one.counts for one in own]))
        for own in found.values()
    ]


def _item_rest(rest: _Rest) -> tuple[float, Interval]:
    """Return the corrected item-total correlation; source: Nunnally & Bernstein (1994), Psychometric Theory, ch. 8."""
    if len(rest.own) < FEWEST_MODELS or np.ptp(rest.own) == 0 or np.ptp(rest.others) == 0:
        return math.nan, UNKNOWN
    value = float(np.corrcoef(rest.own, rest.others)[0, 1])
    return value, rho_interval(value, len(rest.own)) if len(rest.own) > FEWEST_MODELS else UNKNOWN


def _against(rest: _Rest) -> float:
    """Return the one-sided p value of "models that do better on the others do no worse on this one".

    The sum over models of this item's rate times the others' mean, both centred, is normal with the variance that other
    repeats would give it, those of this item and those of the others, with the resemblance that all items of the
    benchmark show: a product of two estimates (Goodman 1960, Journal of the American Statistical Association 55).
    Where models differ on this item alone, it is the others' noise that decides.
    """
    if len(rest.own) < FEWEST_MODELS:
        return math.nan
    own, others = rest.own - rest.own.mean(), rest.others - rest.others.mean()
    variance = float((others**2 * rest.own_variances).sum() + (own**2 * rest.others_variances).sum())
    return float(special.ndtr(float(others @ own) / math.sqrt(variance))) if variance > 0 else math.nan


def _area(item: _Item, anchors: KnownPair | None) -> Area:
    """Return the area under the ROC curve of the score as a detector of the good anchor."""
    if anchors is None:
        return NO_AREA
    anchored = [o for o in item.outcomes if o.score is not None and o.model in (anchors.good, anchors.bad)]
    places = _places(item.repeat(outcome) for outcome in anchored)
    scores = _places(sorted({outcome.score for outcome in anchored if outcome.score is not None}))
    tables = np.zeros((len(places), 2, len(scores)))
    for o in anchored:
        tables[places[item.repeat(o)], int(o.model == anchors.good), scores[o.score]] += 1
    return area_of(tables) if len({outcome.model for outcome in anchored}) == 2 else NO_AREA


def _places(keys: Iterable[Hashable]) -> Mapping[Hashable, int]:
    return {key: place for place, key in enumerate(dict.fromkeys(keys))}
