"""Two suites that differ in judge, simulator or generator: does the instrument decide the result?

Level metrics are compared by their scores; contrast metrics, which have none, by the gap between two levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.paired import CasePair, Difference, among, matched, paired_difference
from helm_impactbench.analysis.rates import by_area, grouped, model_scores
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.agreement import Kappa, cohen_kappa, krippendorff_alpha_of_numbers, mean_distance
from helm_impactbench.stats.agreement_intervals import alpha_interval, distance_interval
from helm_impactbench.stats.clusters import SEED, Clusters, clustered
from helm_impactbench.stats.correlation import FEWEST, rho_interval
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.simultaneous import ALPHA, FLIPS, benjamini_hochberg


@dataclass(frozen=True)
class Ranking:
    """How the order of the models changes."""

    scope: str
    """An area of level metrics, or a benchmark of contrast metrics."""
    figure: str
    """What is compared: "mean score", or "distance from 0", of which less is better."""
    scores: dict[str, tuple[float, float]]
    """Model -> its figure over the benchmarks that both suites have, in the first and in the second suite."""
    spearman: float
    """Rank correlation; nan with fewer than FEWEST models, which can show nothing, or without any spread."""
    kendall: float
    """Tau-b; nan as above."""
    spearman_interval: Interval = UNKNOWN
    """95%, for other models like these; unknown with fewer than FEWEST."""
    left_out: tuple[str, ...] = ()
    """Contrast metrics in units of their own, which have no mean with the others."""
    changes: dict[str, Difference] = field(default_factory=dict)
    """Model -> second suite minus first on the cases that both have scored, tested among all models; of mean scores."""


@dataclass(frozen=True)
class MetricShift:
    """One metric, second suite minus first, over the models that both have."""

    metric: str
    figure: str
    """What has shifted: "score", or the gap between the two levels that differ most in both suites together."""
    first: float
    second: float
    difference: float
    interval: Interval | None
    """None when the scenarios are not the same ones."""
    p_value: float
    adjusted_p_value: float = 1.0
    """After Benjamini-Hochberg over all metrics."""
    can_be_found: bool = True
    """Whether any shift could have been found with so few base scenarios."""

    @property
    def moved(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted_p_value <= ALPHA


@dataclass(frozen=True)
class Agreement:
    """How far two suites' values of one measure agree on the cases (model, variant, sample) that both have scored."""

    measure: str
    scale: str
    cases: int
    same: float
    """Share of the cases with the same value; nan without a case."""
    kappa: Kappa | None
    """Nominal: Cohen's."""
    alpha: float | None
    """Interval: Krippendorff's; None where it is undefined."""
    distance: float | None
    """Interval: mean distance of the two values, in the units of the measure."""
    alpha_interval: Interval = UNKNOWN
    """This and the next: 95%, for other base scenarios like these."""
    distance_interval: Interval = UNKNOWN


Cases = Mapping[tuple[str, Case], Outcome]


def rankings(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[Ranking]:
    """Return the models' figures in both suites: mean scores by area, and distances from 0 by contrast benchmark.

    Distances are over the metrics that both suites have.
    """
    shared = _shared(first, second, lambda outcome: outcome.benchmark)
    sides = [[outcome for outcome in side if outcome.benchmark in shared] for side in (first, second)]
    areas = [by_area(side) for side in sides]
    found = [
        _ranking(
            area, "mean score", *({score.model: score.mean for score in model_scores(side[area])} for side in areas)
        )
        for area in areas[0]
        if area in areas[1]
    ]
    found = _with_changes(found, *areas)
    metrics = _shared(first, second, lambda outcome: outcome.metric)  # dollars are not set against shares of a range
    found += [
        _distances(slug, *([o for o in side if o.benchmark == slug and o.metric in metrics] for side in sides))
        for slug in sorted(shared)
    ]
    return [ranking for ranking in found if ranking.scores]


def _with_changes(
    orders: Sequence[Ranking], first: Mapping[str, Sequence[Outcome]], second: Mapping[str, Sequence[Outcome]]
) -> list[Ranking]:
    """Return orders of mean scores with what changed of each model; first, second: outcomes by area."""
    changes = dict[tuple[str, str], Difference]()
    for scope in (order.scope for order in orders):
        again = {(o.model, o.case): o for o in second[scope] if o.is_level}
        sides = [(again[o.model, o.case], o) for o in first[scope] if o.is_level and (o.model, o.case) in again]
        for model, own in grouped(sides, lambda pair: pair[0].model).items():
            if (difference := matched(own).difference()) is not None:
                changes[scope, model] = difference
    tested = dict(zip(changes, among(list(changes.values())), strict=True))
    return [
        replace(order, changes={model: one for (scope, model), one in tested.items() if scope == order.scope})
        for order in orders
    ]


def _distances(benchmark: str, first: Sequence[Outcome], second: Sequence[Outcome]) -> Ranking:
    one, other = (
        {model: widest_gap(list(matched_sets(own))) for model, own in grouped(side, lambda o: o.model).items()}
        for side in (first, second)
    )
    sizes = ({model: widest.size for model, widest in side.items()} for side in (one, other))
    apart = {metric for widest in (*one.values(), *other.values()) for metric in widest.left_out}
    return replace(_ranking(benchmark, "distance from 0", *sizes), left_out=tuple(sorted(apart)))


def _ranking(scope: str, figure: str, one: Mapping[str, float], other: Mapping[str, float]) -> Ranking:
    from scipy import stats

    models = [model for model in one if model in other and not math.isnan(one[model] + other[model])]
    scores = {model: (one[model], other[model]) for model in models}
    before, after = [one[model] for model in models], [other[model] for model in models]
    if len(models) < FEWEST or np.ptp(before) == 0 or np.ptp(after) == 0:
        return Ranking(scope, figure, scores, math.nan, math.nan)
    rho, tau = stats.spearmanr(before, after).statistic, stats.kendalltau(before, after).statistic
    return Ranking(scope, figure, scores, float(rho), float(tau), rho_interval(float(rho), len(models)))


def verdict_agreements(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[Agreement]:
    """Return the agreement of the suites' values on the cases that both have scored, by measure."""
    one, other = _by_case(first), _by_case(second)
    cases = grouped([one[case] for case in one if case in other], lambda outcome: outcome.measure)
    return [
        _agreement(measure, [(o, other[o.model, o.case]) for o in found]) for measure, found in sorted(cases.items())
    ]


def _agreement(measure: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> Agreement:
    nominal = pairs[0][0].scale == "nominal"
    values = [[before.value, after.value] for before, after in pairs]
    sides = [[value == 1 for value in side] for side in zip(*values, strict=True)]
    clusters = [before.cluster for before, _ in pairs]
    bounds = pairs[0][0].bounds
    return Agreement(
        measure=measure,
        scale=pairs[0][0].scale,
        cases=len(pairs),
        same=fmean(before == after for before, after in values),
        kappa=cohen_kappa(sides[0], sides[1], clusters) if nominal else None,
        alpha=None if nominal else krippendorff_alpha_of_numbers(values),
        distance=None if nominal else mean_distance(values),
        alpha_interval=UNKNOWN if nominal else alpha_interval(values, clusters, nominal=False),
        distance_interval=(
            UNKNOWN if nominal else distance_interval(values, clusters, bounds[1] - bounds[0] if bounds else math.inf)
        ),
    )


def metric_shifts(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[MetricShift]:
    """Return every metric that both suites have, largest shift first.

    Where both have the same cases: paired, sign-flip test over base scenarios. Where the scenarios were generated anew:
    permutation test between the base scenarios' means (scipy.stats.permutation_test, independent samples).
    """
    return _shifts(first, second, lambda outcome: outcome.metric)


def benchmark_shifts(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[MetricShift]:
    """Return the same for the mean score of every benchmark over its level metrics: far more base scenarios."""
    before, after = ([outcome for outcome in side if outcome.is_level] for side in (first, second))
    return _shifts(before, after, lambda outcome: outcome.benchmark)


def _shifts(first: Sequence[Outcome], second: Sequence[Outcome], scope: Callable[[Outcome], str]) -> list[MetricShift]:
    models = _shared(first, second, lambda outcome: outcome.model)
    one, other = (grouped([o for o in side if o.model in models], scope) for side in (first, second))
    found = [_shift(name, one[name], other[name]) for name in one if name in other]
    shifts = [shift for shift in found if shift is not None]
    p_values = benjamini_hochberg([shift.p_value for shift in shifts])
    shifts = [replace(shift, adjusted_p_value=p) for shift, p in zip(shifts, p_values, strict=True)]
    return sorted(shifts, key=lambda shift: (-abs(shift.difference), shift.metric))


Figures = Mapping[object, tuple[tuple[str, str], float]]
"""Case -> its cluster and its figure."""


def _shift(metric: str, first: Sequence[Outcome], second: Sequence[Outcome]) -> MetricShift | None:
    if first[0].is_level:
        return _shifted(metric, "score", _scores(first), _scores(second), 1.0)
    sets = [
        [(model, found) for model, own in grouped(side, lambda o: o.model).items() for found in matched_sets(own)]
        for side in (first, second)
    ]
    # Chosen from both suites: that of the first alone would be wide by chance too, and less so in the second.
    one, other, both = (
        {(gap.first, gap.second): gap for gap in widest_gap([found for _, found in own]).tried}
        for own in (*sets, [*sets[0], *sets[1]])
    )
    widest = max((both[pair] for pair in one if pair in other), key=lambda gap: abs(gap.estimate.value), default=None)
    if widest is None:
        return None
    levels = widest.first, widest.second
    limit = 2.0 if first[0].bounds else math.inf
    figure = f"gap, {levels[0]} minus {levels[1]}"
    return _shifted(metric, figure, _gaps(sets[0], *levels), _gaps(sets[1], *levels), limit)


def _scores(outcomes: Sequence[Outcome]) -> Figures:
    return {(o.model, o.case): (o.cluster, o.score) for o in outcomes if o.score is not None}


def _gaps(sets: Sequence[tuple[str, MatchedSet]], first: str, second: str) -> Figures:
    return {
        (model, found.place(first, second, setup=False)): ((found.metric, found.base_id), gap)
        for model, found in sets
        if (gap := found.gap(first, second)) is not None
    }


def _shifted(metric: str, figure: str, one: Figures, other: Figures, most: float) -> MetricShift | None:
    if not one or not other:
        return None
    kept = [(cluster, before, other[case][1]) for case, (cluster, before) in one.items() if case in other]
    found = paired_difference(
        [CasePair(cluster[0], cluster[1], after - before) for cluster, before, after in kept], most
    )
    if found is not None:
        first, second = fmean(before for _, before, _ in kept), fmean(after for *_, after in kept)
        return MetricShift(
            metric,
            figure,
            first,
            second,
            found.value,
            found.interval,
            found.p_value,
            can_be_found=found.alone.can_be_found,
        )
    old, new = clustered(one.values()), clustered(other.values())
    p_value = _independent_p_value(old, new)
    return MetricShift(metric, figure, old.mean, new.mean, new.mean - old.mean, None, p_value)


def _independent_p_value(first: Clusters, second: Clusters) -> float:
    if min(first.size, second.size) < 2:
        return 1.0
    from scipy import stats

    tested = stats.permutation_test(
        (first.sums / first.counts, second.sums / second.counts),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        vectorized=True,
        n_resamples=FLIPS,
        rng=np.random.default_rng(SEED),
    )
    return float(tested.pvalue)


def _by_case(outcomes: Sequence[Outcome]) -> Cases:
    return {(outcome.model, outcome.case): outcome for outcome in outcomes if outcome.value is not None}


def _shared(first: Sequence[Outcome], second: Sequence[Outcome], what: Callable[[Outcome], str]) -> set[str]:
    return {what(outcome) for outcome in first} & {what(outcome) for outcome in second}
