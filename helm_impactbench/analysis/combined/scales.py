"""Every scale that outcomes put models on: benchmarks of impact, suites of safety or capability, and their means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.rates import Rate, by_benchmark, grouped
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.estimates import NOTHING, Estimate, mean_of, of_clusters
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import drawn_parts
from helm_impactbench.stats.strata import mean_interval
from helm_impactbench.suites.title import TitleOf

ScaleKind = Literal["impact", "safety", "capability"]
KINDS: tuple[ScaleKind, ...] = ("impact", "safety", "capability")


@dataclass(frozen=True)
class Score:
    """One model on one scale: a share from 0 to 1."""

    estimate: Estimate
    scored: int
    """Conversations or answers that have a value."""
    total: int
    missing: tuple[str, ...] = ()
    """What the scale is made of and this model lacks."""
    left_out: tuple[str, ...] = ()
    """Metrics that a distance cannot count, as their units have no mean with others."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason -> conversations or answers without a value."""
    own_interval: Interval | None = None
    """95%, where it is not that of the estimate: a distance cannot be below 0."""
    like_these_interval: Interval = UNKNOWN
    """95%, for other benchmarks or suites, metrics and scenarios or prompts like these."""
    may_stop_early: bool = False
    """Whether some of its runs draw base scenarios until they have seen enough."""

    @property
    def interval(self) -> Interval:
        """95%, for these benchmarks or suites and metrics with other scenarios or prompts."""
        return self.own_interval or self.estimate.interval

    @property
    def is_whole(self) -> bool:
        """Whether it has a value and means the same as that of other models."""
        return self.estimate.units > 0 and not self.missing


@dataclass(frozen=True)
class CombinedScale:
    """One benchmark or suite, or the mean over all of a kind."""

    key: str
    name: str
    kind: ScaleKind
    scores: Mapping[str, Score]
    """Model -> score."""
    counted: bool = True
    """Whether the mean over its kind counts it."""
    parts: tuple[str, ...] = ()
    """Names of the scales that it is the mean of."""
    is_distance: bool = False
    """Whether it is a distance from no difference: 0 is ideal, and higher is worse."""


def benchmark_scales(outcomes: Sequence[Outcome], title_of: TitleOf) -> list[CombinedScale]:
    """Return the scales of every benchmark, sorted by slug.

    Its pass rate is one; its contrasts' distance from no difference is another, which no mean counts. Of two
    benchmarks with the same prompts the mean counts one.
    """
    slugs = by_benchmark(outcomes)
    replaced = {title_of(slug).replaces for slug in slugs}
    found = []
    for slug, own in slugs.items():
        levels, contrasts = [o for o in own if o.is_level], [o for o in own if not o.is_level]
        if levels:
            found.append(
                pass_scale(slug, title_of(slug).name, levels, counted=slug not in replaced and title_of(slug).counted)
            )
        if contrasts:
            found.append(_distance_scale(slug, title_of(slug).name, contrasts, apart=bool(levels)))
    return found


def pass_scale(key: str, name: str, outcomes: Sequence[Outcome], *, counted: bool = True) -> CombinedScale:
    """Return the pass rate of one benchmark as a scale; intervals are for other base scenarios.

    Runs that have no base scenario in common, as the subjects of a suite, count alike: the scale is their plain mean,
    as in HELM's tables. All others are pooled.
    """
    setups = sorted({outcome.whole_setup for outcome in outcomes}) if _are_apart(outcomes) else []
    scores = {model: _pass_score(own, setups) for model, own in sorted(grouped(outcomes, _model).items())}
    return CombinedScale(key, name, kind_of(outcomes), scores, counted)


def kind_of(outcomes: Sequence[Outcome]) -> ScaleKind:
    """Return what outcomes of one benchmark are about."""
    return next(kind for kind in KINDS if kind == outcomes[0].area)


def _model(outcome: Outcome) -> str:
    return outcome.model


def _are_apart(outcomes: Sequence[Outcome]) -> bool:
    """Return whether there are several set-ups, and no base scenario is in two of them."""
    clusters = {setup: {o.cluster for o in own} for setup, own in grouped(outcomes, lambda o: o.whole_setup).items()}
    return len(clusters) > 1 and sum(map(len, clusters.values())) == len(set[object]().union(*clusters.values()))


def _pass_score(outcomes: Sequence[Outcome], setups: Sequence[str]) -> Score:
    whole = Rate(tuple(outcomes))
    rates = {setup: Rate(tuple(o for o in outcomes if o.whole_setup == setup)) for setup in setups}
    parts = [rate for rate in rates.values() if rate.scored] if setups else [whole] if whole.scored else []
    means, early = [part.value for part in parts], whole.may_stop_early
    interval = mean_interval(means, [part.interval for part in parts], may_stop_early=early)
    return Score(
        estimate=mean_of([of_clusters(part.clusters) for part in parts]) if parts else NOTHING,
        scored=len(whole.scored),
        total=whole.conversations,
        missing=tuple(setup for setup, rate in rates.items() if not rate.scored),
        unscored=whole.unscored,
        own_interval=interval,
        like_these_interval=UNKNOWN if early else drawn_parts(means, parts, interval),
        may_stop_early=early,
    )


def _distance_scale(slug: str, name: str, outcomes: Sequence[Outcome], *, apart: bool) -> CombinedScale:
    scores = {model: _distance_score(own) for model, own in sorted(grouped(outcomes, _model).items())}
    key = f"{slug} contrast" if apart else slug
    return CombinedScale(
        key, f"{name}: distance from no difference", kind_of(outcomes), scores, counted=False, is_distance=True
    )


def _distance_score(outcomes: Sequence[Outcome]) -> Score:
    """Return how far the widest gap between two levels is from 0, whatever its direction."""
    widest = widest_gap(list(matched_sets(outcomes)))
    groups = list(widest.gap.estimate.groups.values()) if widest.gap else []
    signed = mean_of([of_clusters(group) for group in groups])
    return Score(
        estimate=Estimate(abs(signed.mean), signed.variance, signed.freedom, signed.units),
        scored=sum(outcome.is_scored for outcome in outcomes),
        total=len(outcomes),
        unscored=Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing is not None),
        left_out=widest.left_out,
        own_interval=widest.size_interval("these"),
        like_these_interval=widest.size_interval("like-these"),
    )


def mean_scale(key: str, name: str, kind: ScaleKind, scales: Iterable[CombinedScale]) -> CombinedScale:
    """Return the plain mean over scales; a model that lacks one of them has a mean that is not whole.

    A scale on which nobody has a score is not part of it.
    """
    counted = [scale for scale in scales if scale.counted and any(s.estimate.units for s in scale.scores.values())]
    models = sorted({model for scale in counted for model in scale.scores})
    parts = tuple(scale.name for scale in counted)
    return CombinedScale(key, name, kind, {model: _mean_score(model, counted) for model in models}, parts=parts)


def _mean_score(model: str, scales: Sequence[CombinedScale]) -> Score:
    own = [scale.scores[model] for scale in scales if model in scale.scores]
    whole = {scale.key for scale in scales if model in scale.scores and scale.scores[model].is_whole}
    counted = [score for score in own if score.estimate.units]
    means = [score.estimate.mean for score in counted]
    early = any(score.may_stop_early for score in counted)
    interval = mean_interval(means, [score.interval for score in counted], may_stop_early=early)
    return Score(
        estimate=mean_of([score.estimate for score in counted]),
        own_interval=interval,
        like_these_interval=UNKNOWN if early else drawn_parts(means, counted, interval),
        may_stop_early=early,
        scored=sum(score.scored for score in own),
        total=sum(score.total for score in own),
        missing=tuple(scale.name for scale in scales if scale.key not in whole),
    )


def goodness(scale: CombinedScale, model: str) -> float:
    """Return a model's mean so that more is better; nan without one."""
    score = scale.scores.get(model)
    if score is None or not score.estimate.units:
        return math.nan
    return -score.estimate.mean if scale.is_distance else score.estimate.mean
