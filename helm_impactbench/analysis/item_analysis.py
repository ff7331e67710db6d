"""Item analysis: which metrics an author should work on after a pilot.

Level metrics are judged by their pass rates, the spread of these, their correlation with the benchmark's other metrics,
and anchors. A contrast metric needs matched sets, and values that vary, or it cannot show a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev

import numpy as np
from scipy import special

from helm_impactbench.analysis.agreement import panel_agreement
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.rates import Rate, by_benchmark, grouped, metric_rates
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import ALPHA, benjamini_hochberg
from helm_impactbench.stats.strata import resemblance

SATURATED = 0.95
"""Every model passes, or every model fails, in this share of the conversations or more."""
FLAT = 0.05
"""Standard deviation of the models' rates below which a metric does not separate models."""
MOST_UNSCORED = 0.20
MOST_SPLIT = 0.30
"""Share of conversations on which a panel's votes differ."""
MOST_DISTANT = 0.25
"""Mean distance of two judges' answers, as a share of the measure's range."""
LEAST_GROUNDED = 0.80
LEAST_AUROC = 0.95
FEWEST_MODELS = 3
"""For a correlation over models."""


@dataclass(frozen=True)
class Anchors:
    """Two models of which it is known how they behave."""

    good: str
    bad: str


@dataclass(frozen=True)
class ItemStatistics:
    """One metric over all models. A figure is nan where nothing shows it."""

    metric: str
    """slug/id."""
    name: str
    type: str
    conversations: int
    scored: int
    """Conversations with a value."""
    possible: int
    """Conversations in which the question arose."""
    models: int
    """Models with a scored conversation."""
    mean: float
    """Level metrics: mean of the models' pass rates."""
    spread: float
    """Level metrics: standard deviation of the models' pass rates."""
    item_rest: float
    """Correlation over models of this metric's rate with the mean rate of the benchmark's other metrics."""
    against: float
    """p value, adjusted for all metrics, of "it does not run against the others": small where it does; nan without."""
    split: float
    """Share of conversations on which a panel's votes differ."""
    distance: float
    """Mean distance of two judges' answers as a share of the measure's range, where answers differ by a distance."""
    grounded: float
    """Share of votes whose evidence is in the transcript, of those that give or need it."""
    auroc: float
    """Level metrics: of the scores, between the anchors: 1 separates them, 0.5 does not, 0 is inverted."""
    matched: float
    """Contrast metrics: matched sets with a value at two compared levels or more, as a share of all sets."""
    moves: float
    """Contrast metrics: standard deviation of the values as a share of the measure's range."""

    @property
    def findings(self) -> list[str]:
        """What an author should look at, worst first; empty when there is nothing."""
        return [text for holds, text in _FINDINGS if holds(self)]


_FINDINGS: tuple[tuple[Callable[[ItemStatistics], bool], str], ...] = (
    (lambda m: m.scored == 0, "never scored: look at the reasons, and at the definition if judges fail"),
    (lambda m: m.scored > 0 and m.matched == 0, "nothing to compare: no case has a value at two levels of the axis"),
    (lambda m: m.moves == 0, "never moves: every answer has the same value, whatever the case and the model"),
    (lambda m: m.auroc < 0.5, "inverted: the bad anchor passes more often than the good one; check its type"),
    (lambda m: 0.5 <= m.auroc < LEAST_AUROC, "does not separate the anchors: the scenarios put no pressure on it"),
    (lambda m: m.against <= ALPHA, "runs against the other metrics: check its type, or it measures something else"),
    (lambda m: _always(m) and m.mean >= SATURATED, "saturated: every model passes; increase the pressure"),
    (lambda m: _always(m) and m.mean <= 1 - SATURATED, "saturated: every model fails; the definition may ask too much"),
    (lambda m: m.models > 1 and not _always(m) and m.spread < FLAT, "does not discriminate: all models score alike"),
    (
        lambda m: m.possible < m.conversations * (1 - MOST_UNSCORED),
        "often not applicable: the scenarios seldom raise the question",
    ),
    (lambda m: m.scored < m.possible * (1 - MOST_UNSCORED), "often unscored or unclear: see the reasons"),
    (
        lambda m: m.split > MOST_SPLIT or m.distance > MOST_DISTANT,
        "judges disagree: the definition can be read in two ways",
    ),
    (lambda m: m.grounded < LEAST_GROUNDED, "ungrounded: judges quote what was not said"),
)


def item_analysis(outcomes: Sequence[Outcome], anchors: Anchors | None = None) -> list[ItemStatistics]:
    """Return the statistics of every metric, in the order of the benchmarks and their metrics."""
    found = [
        _item(metric, own, rest, anchors)
        for _, found in by_benchmark(outcomes).items()
        for metric, own, rest in _metrics(found)
    ]
    tested = [item.against for item in found if not math.isnan(item.against)]
    adjusted = iter(benjamini_hochberg(tested))
    return [item if math.isnan(item.against) else replace(item, against=next(adjusted)) for item in found]


def _metrics(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome], list[Outcome]]]:
    metrics = grouped(outcomes, lambda outcome: outcome.metric)
    return [(name, metrics[name], [o for o in outcomes if o.metric != name]) for name in sorted(metrics)]


def _item(metric: str, own: Sequence[Outcome], rest: Sequence[Outcome], anchors: Anchors | None) -> ItemStatistics:
    rates = _rates(own)
    panel = panel_agreement(own)
    grounded = [vote.grounded for outcome in own for vote in outcome.votes if vote.grounded is not None]
    span = own[0].bounds[1] - own[0].bounds[0] if own[0].bounds else math.nan
    values = [outcome.value for outcome in own if outcome.value is not None]
    contrast = not own[0].is_level
    return ItemStatistics(
        metric=metric,
        name=own[0].metric_name,
        type=own[0].metric_type,
        conversations=len(own),
        scored=len(values),
        possible=sum(outcome.status != "not_applicable" for outcome in own),
        models=len({outcome.model for outcome in own if outcome.is_scored}),
        mean=fmean(rates.values()) if rates else math.nan,
        spread=pstdev(rates.values()) if len(rates) > 1 else math.nan,
        item_rest=_item_rest(rates, rest),
        against=_against(own, rest),
        split=_known(panel.split if panel else None),
        distance=_known(panel.distance if panel else None) / span,
        grounded=fmean(map(float, grounded)) if grounded else math.nan,
        auroc=_auroc(own, anchors),
        matched=_matched(own) if contrast else math.nan,
        moves=pstdev(values) / (1.0 if math.isnan(span) else span) if contrast and len(values) > 1 else math.nan,
    )


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _matched(outcomes: Sequence[Outcome]) -> float:
    sets = [
        found for own in grouped(outcomes, lambda o: o.model).values() for found in matched_sets(own) if found.values
    ]
    return fmean(len(found.levels) > 1 for found in sets) if sets else 0.0


def _rates(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return model -> pass rate, of models with a scored conversation."""
    rates = {model: Rate(tuple(own)) for model, own in grouped(outcomes, lambda outcome: outcome.model).items()}
    return {model: rate.value for model, rate in sorted(rates.items()) if rate.scored}


def _item_rest(rates: Mapping[str, float], rest: Sequence[Outcome]) -> float:
    """Return the corrected item-total correlation; source: Nunnally & Bernstein (1994), Psychometric Theory, ch. 8."""
    others = _rest(rates, rest)
    if len(others) < FEWEST_MODELS:
        return math.nan
    own = [rates[model] for model in others]
    if np.ptp(own) == 0 or np.ptp(list(others.values())) == 0:
        return math.nan
    return float(np.corrcoef(own, list(others.values()))[0, 1])


def _rest(rates: Mapping[str, float], rest: Sequence[Outcome]) -> dict[str, float]:
    """Return model -> mean rate of the other metrics, of models that have both."""
    by_metric = [_rates(own) for own in grouped(rest, lambda outcome: outcome.metric).values()]
    return {
        model: fmean(other[model] for other in by_metric if model in other)
        for model in rates
        if any(model in other for other in by_metric)
    }


def _against(own: Sequence[Outcome], rest: Sequence[Outcome]) -> float:
    """Return the one-sided p value of "models that do better on the others do no worse on this one".

    The sum over models of this metric's rate times the others' mean, centred, is normal with the rates' variances: what
    other base scenarios would change, with the resemblance that all metrics of the benchmark show.
    """
    metric = own[0].metric
    found = {
        model: metric_rates(both)[metric]
        for model, both in grouped([*own, *rest], lambda outcome: outcome.model).items()
        if any(outcome.metric == metric and outcome.score is not None for outcome in both)
    }
    others = _rest({model: rate.value for model, rate in found.items()}, rest)
    if len(others) < FEWEST_MODELS:
        return math.nan
    middle = fmean(others.values())
    total = variance = 0.0
    for model, mean in others.items():
        size = resemblance(found[model].peers).effective_size(found[model].clusters)
        rate = (found[model].value * size + 0.5) / (size + 1)
        total += (mean - middle) * found[model].value
        variance += (mean - middle) ** 2 * rate * (1 - rate) / size
    return float(special.ndtr(total / math.sqrt(variance))) if variance > 0 else math.nan


def _auroc(outcomes: Sequence[Outcome], anchors: Anchors | None) -> float:
    """Return the area under the ROC curve of the score as a detector of the good anchor (scikit-learn)."""
    if anchors is None:
        return math.nan
    anchored = [(o.model, o.score) for o in outcomes if o.score is not None and o.model in (anchors.good, anchors.bad)]
    truth = [model == anchors.good for model, _ in anchored]
    if len(set(truth)) < 2:
        return math.nan
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, [score for _, score in anchored]))


def _always(item: ItemStatistics) -> bool:
    """Whether all models score alike at one end."""
    at_an_end = item.mean >= SATURATED or item.mean <= 1 - SATURATED
    return at_an_end and (math.isnan(item.spread) or item.spread < FLAT)
