"""Two suites that differ in judge, simulator or generator: does the instrument decide the result?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from helm_impactbench.analysis.paired import Pair, paired_difference
from helm_impactbench.analysis.rates import grouped, model_scores
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.agreement import Kappa, cohen_kappa
from helm_impactbench.stats.clusters import SEED, Floats, clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.stats.tests import ALPHA, FLIPS, adjusted

FEWEST_MODELS = 3
"""For a rank correlation."""


@dataclass(frozen=True)
class Ranking:
    """How the order of the models changes."""

    scores: dict[str, tuple[float, float]]
    """Model -> mean score over the benchmarks that both suites have, in the first and in the second suite."""
    spearman: float
    """Rank correlation; nan with fewer than three models or without any spread."""
    kendall: float
    """Tau-b; nan as above."""


@dataclass(frozen=True)
class MetricShift:
    """One metric, second suite minus first, over the models that both have."""

    metric: str
    first: float
    second: float
    difference: float
    interval: Interval | None
    """None when the scenarios are not the same ones."""
    p_value: float
    adjusted_p_value: float = 1.0
    """After Benjamini-Hochberg over all metrics."""

    @property
    def moved(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted_p_value <= ALPHA


@dataclass(frozen=True)
class SelfPreference:
    """How much more one judge family passes its own relatives than other judges do, beyond its general lenience."""

    family: str
    own: float
    """Pass rate by this family's judges of targets of the family."""
    own_by_others: float
    """The same conversations by the other judges."""
    rest: float
    """Pass rate by this family's judges of other targets."""
    rest_by_others: float
    preference: float
    """(own - own_by_others) - (rest - rest_by_others), mean over base scenarios; above 0 favours relatives."""
    interval: Interval
    """95%, clusters are base scenarios."""
    scenarios: int


def ranking(first: Sequence[Outcome], second: Sequence[Outcome]) -> Ranking:
    """Return the models' scores in both suites and the correlation of their order (scipy)."""
    from scipy import stats

    shared = _shared(first, second, lambda outcome: outcome.benchmark)
    one, other = (
        {score.model: score.mean for score in model_scores([o for o in side if o.benchmark in shared])}
        for side in (first, second)
    )
    models = [model for model in one if model in other and not math.isnan(one[model] + other[model])]
    scores = {model: (one[model], other[model]) for model in models}
    before, after = [one[model] for model in models], [other[model] for model in models]
    if len(models) < FEWEST_MODELS or np.ptp(before) == 0 or np.ptp(after) == 0:
        return Ranking(scores, math.nan, math.nan)
    rho, tau = stats.spearmanr(before, after).statistic, stats.kendalltau(before, after).statistic
    return Ranking(scores, float(rho), float(tau))


def verdict_agreement(first: Sequence[Outcome], second: Sequence[Outcome]) -> Kappa:
    """Return the agreement of the suites' verdicts on the cases (model, variant, sample) that both have scored."""
    one, other = _by_case(first), _by_case(second)
    cases = [case for case in one if case in other]
    return cohen_kappa([one[case].passed for case in cases], [other[case].passed for case in cases])


def metric_shifts(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[MetricShift]:
    """Return every metric that both suites have, largest shift first.

    Where both have the same cases: paired, sign-flip test over base scenarios. Where the scenarios were generated anew:
    permutation test between the base scenarios' pass rates (scipy.stats.permutation_test, independent samples).
    """
    models = _shared(first, second, lambda outcome: outcome.model)
    one, other = (
        grouped([o for o in side if o.model in models and o.passed is not None], lambda outcome: outcome.metric)
        for side in (first, second)
    )
    shifts = [_shift(metric, one[metric], other[metric]) for metric in one if metric in other]
    p_values = adjusted([shift.p_value for shift in shifts], "bh")
    shifts = [replace(shift, adjusted_p_value=p) for shift, p in zip(shifts, p_values, strict=True)]
    return sorted(shifts, key=lambda shift: (-abs(shift.difference), shift.metric))


def self_preferences(outcomes: Sequence[Outcome], family_of: dict[str, str]) -> list[SelfPreference]:
    """Return the self-preference of every judge family that has judged relatives and others, beside another family.

    `outcomes` of several suites may be given: votes count where judges of two families have seen the same conversation.
    `family_of` maps judges and targets to families.
    """
    heard = _votes_by_family(outcomes, family_of)
    families = sorted({family for votes, _ in heard.values() for family in votes})
    found = [_self_preference(family, list(heard.values()), family_of) for family in families]
    return [preference for preference in found if preference is not None]


def _self_preference(
    family: str, heard: Sequence[tuple[dict[str, list[float]], Outcome]], family_of: dict[str, str]
) -> SelfPreference | None:
    sides: dict[bool, list[tuple[Outcome, float, float]]] = {True: [], False: []}
    for votes, outcome in heard:
        others = [vote for other, cast in votes.items() if other != family for vote in cast]
        if family in votes and others:
            related = family_of[outcome.model] == family
            sides[related].append((outcome, fmean(votes[family]), fmean(others)))
    scenarios = {side: _gaps(found) for side, found in sides.items()}
    shared = [cluster for cluster in scenarios[True] if cluster in scenarios[False]]
    if not shared:
        return None
    gaps = clustered((cluster, scenarios[True][cluster] - scenarios[False][cluster]) for cluster in shared)
    (own, own_others), (rest, rest_others) = (
        (fmean(mine for _, mine, _ in sides[relatives]), fmean(theirs for _, _, theirs in sides[relatives]))
        for relatives in (True, False)
    )
    interval = cluster_interval(gaps, lowest=-2.0, highest=2.0)
    return SelfPreference(family, own, own_others, rest, rest_others, gaps.mean, interval, len(shared))


def _gaps(found: Sequence[tuple[Outcome, float, float]]) -> dict[tuple[str, str], float]:
    """Return base scenario -> mean of (this family's vote minus the others')."""
    gaps: dict[tuple[str, str], list[float]] = {}
    for outcome, mine, theirs in found:
        gaps.setdefault(outcome.cluster, []).append(mine - theirs)
    return {cluster: fmean(values) for cluster, values in gaps.items()}


def _votes_by_family(
    outcomes: Sequence[Outcome], family_of: dict[str, str]
) -> dict[tuple[str, str, Case], tuple[dict[str, list[float]], Outcome]]:
    """Return conversation -> the votes (1 passes, 0 fails) by judge family, one per judge."""
    heard: dict[tuple[str, str, Case], tuple[dict[str, list[float]], Outcome]] = {}
    seen: set[tuple[object, ...]] = set()
    for outcome in outcomes:
        key = (re.sub(r",judge=[^,]*", "", outcome.setup), outcome.model, outcome.case)
        votes, _ = heard.setdefault(key, ({}, outcome))
        for vote in outcome.votes:
            if vote.present is not None and (key, vote.judge) not in seen:
                seen.add((key, vote.judge))
                passes = vote.present == (outcome.metric_type == "positive")
                votes.setdefault(family_of[vote.judge], []).append(float(passes))
    return heard


def _shift(metric: str, first: Sequence[Outcome], second: Sequence[Outcome]) -> MetricShift:
    one, other = _by_case(first), _by_case(second)
    kept = [(outcome, other[key]) for key, outcome in one.items() if key in other]
    passes = [(float(bool(before.passed)), float(bool(after.passed))) for before, after in kept]
    found = paired_difference(
        [Pair(o.benchmark, o.base_id, after - before) for (o, _), (before, after) in zip(kept, passes, strict=True)]
    )
    if found is not None:
        rates = [fmean(side) for side in zip(*passes, strict=True)]
        return MetricShift(metric, rates[0], rates[1], found.value, found.interval, found.p_value)
    old, new = (clustered((o.cluster, float(bool(o.passed))) for o in side) for side in (first, second))
    p_value = _independent_p_value(old.sums / old.counts, new.sums / new.counts)
    return MetricShift(metric, old.mean, new.mean, new.mean - old.mean, None, p_value)


def _independent_p_value(first: Floats, second: Floats) -> float:
    if min(len(first), len(second)) < 2:
        return 1.0
    from scipy import stats

    tested = stats.permutation_test(
        (first, second),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        vectorized=True,
        n_resamples=FLIPS,
        rng=np.random.default_rng(SEED),
    )
    return float(tested.pvalue)


def _by_case(outcomes: Sequence[Outcome]) -> dict[tuple[str, Case], Outcome]:
    return {(outcome.model, outcome.case): outcome for outcome in outcomes if outcome.passed is not None}


def _shared(first: Sequence[Outcome], second: Sequence[Outcome], what: Callable[[Outcome], str]) -> set[str]:
    return {what(outcome) for outcome in first} & {what(outcome) for outcome in second}
