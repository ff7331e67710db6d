"""Where the variance of a model's values comes from, as far as a suite can tell."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.rates import by_area, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.variance_components import Design, design

Levels = Mapping[str, Hashable]
"""Factor -> its level at one value."""
Value = tuple[float, Levels]
_JUDGED = re.compile(r"(?<=[:,])(?:judge|checks|swap)=[^,]*,?")
FINEST = "; it is a part of the last component"
"""Ends the reason why a factor is unknown that no figure lacks."""
WHY_UNKNOWN = {
    "benchmark": "",
    "metric": "there is one metric",
    "scenario": "there is one base scenario",
    "variant": "there is one variant",
    "sample": "there is one conversation",
    "simulated user": "there is one simulated user, or none",
    "simulated user x metric": "",
    "judge": "there is one judge",
    "judge x metric": "",
    "judge x conversation": f"there is one judge{FINEST}",
    "judge repeat": f"no judge was asked twice, or each said the same again, as from the cache{FINEST}",
}
"""Factor, from the coarsest -> why nothing is said of it; empty where it goes without saying."""
WHY_NOT_OF_GAPS = {
    **dict.fromkeys(("simulated user", "judge"), f"gaps are taken from the verdicts of one set-up at a time{FINEST}"),
    **dict.fromkeys(("judge x conversation", "judge repeat"), ""),
}
CHANCE = 1.645
"""Standard errors above 0 below which a component cannot be told from none: a one-sided test at about 5%."""


@dataclass(frozen=True)
class Component:
    """A part of the variance of single values."""

    names: tuple[str, ...]
    """Its factor; several that the suite cannot tell from each other."""
    estimate: float
    """As estimated, mean over models; by chance it can be negative."""
    error: float
    """Standard error of the estimate from one model: the mean over several is no less certain."""
    levels: float
    """How many levels it was estimated from, mean over models."""
    weight: float
    """What it is multiplied by in the variance of a model's mean: 1 / levels where all have as many values."""

    @property
    def name(self) -> str:
        """The names together."""
        return " + ".join(self.names)

    @property
    def variance(self) -> float:
        """At least 0."""
        return max(0.0, self.estimate)

    @property
    def is_told(self) -> bool:
        """Whether it can be told from none."""
        return self.estimate > CHANCE * self.error


@dataclass(frozen=True)
class Components:
    """What a suite tells about one kind of figure."""

    figure: str
    """score, of conversations or of single votes; or gap, of contrast metrics."""
    found: tuple[Component, ...]
    unknown: Mapping[str, str]
    """Factor -> why nothing is said of it. These are not 0: they are not in any figure."""
    models: int
    values: float
    """Of a model, mean."""
    conversations: float
    """Of a model, mean."""

    @property
    def total(self) -> float:
        """Variance of a single value."""
        return sum(component.variance for component in self.found)


@dataclass(frozen=True)
class _Model:
    design: Design
    estimates: Sequence[float]
    values: int
    conversations: int


def score_components(outcomes: Iterable[Outcome]) -> Components | None:
    """Return the components of scores from 0 to 1, of single votes where conversations have several judges.

    They are means over the models from which the same factors can be told; None where there is none.
    """
    by_model = grouped((outcome for outcome in outcomes if outcome.is_level), lambda outcome: outcome.model)
    return _components("score", ((list(_votes(own)), _conversations(own)) for own in by_model.values()))


def gap_components(outcomes: Iterable[Outcome]) -> Components | None:
    """Return the components of gaps, in shares of the range, of contrast metrics that compare two levels."""
    by_model = grouped((o for o in outcomes if o.contrast and o.bounds), lambda outcome: outcome.model)
    return _components("gap", ((list(_gaps(own)), _conversations(own)) for own in by_model.values()))


def _components(figure: str, models: Iterable[tuple[Sequence[Value], int]]) -> Components | None:
    """Return the components over models, given with their values and how many conversations they had."""
    kinds: dict[object, list[_Model]] = {}
    for values, conversations in models:
        model = _model(values, conversations)
        if model is not None:
            names = tuple(factor.names for factor in model.design.factors)
            kinds.setdefault(names, []).append(model)
    if not kinds:
        return None
    own = max(kinds.values(), key=len)
    parts, means = [model.design.factors for model in own], np.mean([model.estimates for model in own], axis=0)
    found = tuple(
        Component(
            factors[0].names,
            estimate=float(estimate),
            error=float(error),
            levels=float(np.mean([factor.levels for factor in factors])),
            weight=float(np.mean([factor.weight for factor in factors])),
        )
        for factors, estimate, error in zip(zip(*parts, strict=True), means, own[0].design.errors(means), strict=True)
    )
    known = {name for component in found for name in component.names}
    reasons = WHY_UNKNOWN if figure == "score" else {**WHY_UNKNOWN, **WHY_NOT_OF_GAPS}
    unknown = {name: why for name, why in reasons.items() if name not in known and why}
    size, talks = (float(np.mean(counts)) for counts in zip(*((m.values, m.conversations) for m in own), strict=True))
    return Components(figure, found, unknown, len(own), size, talks)


def _model(values: Sequence[Value], conversations: int) -> _Model | None:
    """Return the components of one model; None where they cannot be told."""
    values = _without_copies(values)
    if len(values) < 2:
        return None
    names = [name for name in WHY_UNKNOWN if name in values[0][1]]
    factors = {name: [levels[name] for _, levels in values] for name in names}
    for facet in ("simulated user", "judge"):
        if len(set(factors.get(facet, ()))) <= 1:
            factors = {name: levels for name, levels in factors.items() if not name.startswith(facet)}
        elif len(set(factors["metric"])) == 1:
            factors.pop(f"{facet} x metric", None)
    found = design(factors, rest="judge repeat")
    if not found.is_told:
        return None
    estimates = found.components(np.array([number for number, _ in values]))
    return _Model(found, list(map(float, estimates)), len(values), conversations)


def _without_copies(values: Sequence[Value]) -> Sequence[Value]:
    """Return values without a judge's repeats, if each of them is the same: an answer from the cache is no repeat."""
    asked: dict[Hashable, Value] = {}
    for number, levels in values:
        first, _ = asked.setdefault(levels.get("judge x conversation", len(asked)), (number, levels))
        if first != number:
            return values
    return list(asked.values())


def _votes(outcomes: Iterable[Outcome]) -> Iterator[Value]:
    """Yield the score of every vote; of the verdict, where there is one judge."""
    for outcome in outcomes:
        conversation = _conversation(outcome)
        levels = {
            "benchmark": outcome.benchmark,
            "metric": outcome.metric,
            "scenario": outcome.cluster,
            "variant": (outcome.cluster, outcome.variant_id),
            "simulated user": outcome.user,
            "simulated user x metric": (outcome.user, outcome.metric),
            "sample": conversation,
        }
        for vote in outcome.votes if outcome.cascade is None else outcome.votes[-1:]:  # the one that decided
            if vote.value is not None and outcome.bounds is not None:
                judged = {
                    "judge": vote.judge,
                    "judge x metric": (vote.judge, outcome.metric),
                    "judge x conversation": (vote.judge, conversation),
                }
                yield _score(outcome, vote.value), {**levels, **judged}


def _conversation(outcome: Outcome) -> Hashable:
    """Return what is equal for outcomes of one conversation, whoever judged it."""
    return _JUDGED.sub("", outcome.setup).rstrip(","), outcome.case


def _conversations(outcomes: Iterable[Outcome]) -> int:
    return len(set(map(_conversation, outcomes)))


def _score(outcome: Outcome, value: float) -> float:
    """Return how good a judge's answer is, from 0 to 1, as its metric counts it."""
    assert outcome.bounds is not None
    low, high = outcome.bounds
    credit = (value - low) / (high - low)
    return credit if outcome.metric_type == "positive" else 1 - credit


def _gaps(outcomes: Sequence[Outcome]) -> Iterator[Value]:
    for found in matched_sets(outcomes):
        gap = found.gap(*found.compared) if len(found.compared) == 2 else None
        if gap is not None:
            scenario = (found.metric, found.base_id)
            yield (
                gap,
                {
                    "benchmark": found.metric.split("/")[0],
                    "metric": found.metric,
                    "scenario": scenario,
                    "variant": (scenario, found.rest),
                    "sample": (scenario, found.rest, found.setup, found.sample),
                },
            )


def area_components(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, Components]]:
    """Yield the area and its components, of scores and of gaps, where any can be told."""
    for area, own in by_area(outcomes).items():
        for found in (score_components(own), gap_components(own)):
            if found is not None:
                yield area, found


NO_RANGE = "the measure has no range that a gap could be a share of"
MORE_LEVELS = "more than two levels are compared, so there is no single gap"
"""Why the gaps of a contrast metric have no components."""


def without_components(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the area, the contrast metrics whose gaps have no components whatever their number, and the reason."""
    for area, own in by_area(outcomes).items():
        reasons: dict[str, list[str]] = {}
        for metric, found in sorted(grouped((o for o in own if o.contrast), lambda outcome: outcome.metric).items()):
            if found[0].bounds is None:
                reasons.setdefault(NO_RANGE, []).append(metric)
            elif any(len(one.compared) > 2 for one in matched_sets(found)):
                reasons.setdefault(MORE_LEVELS, []).append(metric)
        for why, metrics in reasons.items():
            yield area, why, metrics
