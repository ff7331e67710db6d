"""Does the same case end differently for another person? Matched contrasts of pass rates along every axis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from operator import itemgetter
from statistics import fmean
from typing import Literal

from helm_impactbench.analysis.paired import Difference, InFamily, among, matched
from helm_impactbench.analysis.pooled import pooled_in_families
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.pooling import Pooled

Level = Literal["overall", "benchmark", "metric"]
LEVELS: tuple[Level, ...] = ("overall", "benchmark", "metric")


@dataclass(frozen=True)
class LevelContrast(InFamily):
    """Two values of one axis, the same base scenarios, everything else equal.

    The family is all contrasts of a level: of all models, scopes, axes and pairs of values.
    """

    level: Level
    model: str
    scope: str
    """An area, a benchmark's slug, or slug/metric."""
    axis: str
    first: str
    second: str
    first_rate: float
    """Pass rate of the matched conversations with the first value, mean over benchmarks."""
    second_rate: float
    difference: Difference = field(kw_only=True)
    """First minus second."""
    pooled: Pooled | None = field(default=None, kw_only=True)
    """Of one metric: the difference shrunk towards those of the benchmark's other metrics; None with too few."""


def level_contrasts(
    outcomes: Sequence[Outcome],
    levels: Iterable[Level] = LEVELS,
    without: Collection[str] = (),
    alone: Collection[Level] = (),
) -> list[LevelContrast]:
    """Return every contrast of every model, at each level corrected for the number of its contrasts.

    without: axes that are left out. alone: levels at which each model is corrected by itself.
    """
    found: list[LevelContrast] = []
    matched_cases = _matched_cases(outcomes, without)
    for level in levels:
        raw = list(_raw(matched_cases, level))
        raw = _with_pooled(raw) if level == "metric" else raw
        for own in grouped(raw, lambda one: one.model).values() if level in alone else [raw]:
            tested = among([contrast.difference for contrast in own])
            found += [replace(one, difference=difference) for one, difference in zip(own, tested, strict=True)]
    return found


def unmatched(
    outcomes: Sequence[Outcome], found: Sequence[LevelContrast], level: Level
) -> list[tuple[str, str, str, str, str]]:
    """Return model, scope, axis and both values of what a level has no contrast of, as no case has verdicts on both."""
    have = {(one.model, one.scope, one.axis, one.first, one.second) for one in found if one.level == level}
    return [
        names for names, own in _candidates(outcomes, level, ()) if names not in have and axis_sides(own, *names[2:])
    ]


def _with_pooled(contrasts: Sequence[LevelContrast]) -> list[LevelContrast]:
    pooled = pooled_in_families(
        (place, (one.model, one.scope.split("/")[0], one.axis, one.first, one.second), one.difference.groups[0])
        for place, one in enumerate(contrasts)
    )
    return [replace(one, pooled=pooled.get(place)) for place, one in enumerate(contrasts)]


Sides = Sequence[tuple[Outcome, Outcome]]


def _matched_cases(
    outcomes: Sequence[Outcome], without: Collection[str]
) -> list[tuple[tuple[str, str, str, str], Sides]]:
    """Return model, axis and every two of its values, with the cases that differ in these alone.

    They are matched once for all levels: both sides have the same metric, and so the same scope at each.
    """
    rated = [outcome for outcome in outcomes if outcome.is_level]
    return [
        ((model, axis, first, second), axis_sides(own, axis, first, second))
        for model, own in sorted(grouped(rated, lambda outcome: outcome.model).items())
        for axis, first, second in _pairs(own, without)
    ]


def _pairs(outcomes: Sequence[Outcome], without: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield every axis with every two of its values, sorted."""
    there = sorted({item for outcome in outcomes for item in outcome.axes})
    for axis, own in groupby((item for item in there if item[0] not in without), key=itemgetter(0)):
        for first, second in combinations([value for _, value in own], 2):
            yield axis, first, second


def _raw(matched_cases: Iterable[tuple[tuple[str, str, str, str], Sides]], level: Level) -> Iterator[LevelContrast]:
    scopes = [
        ((model, scope, axis, first, second), own)
        for (model, axis, first, second), sides in matched_cases
        for scope, own in grouped(sides, lambda pair: _scope(pair[0], level)).items()
    ]
    for names, sides in sorted(scopes, key=itemgetter(0)):
        difference = matched(sides).difference()
        if difference is not None:
            yield LevelContrast(level, *names, *_rates(sides), difference=difference)


def _candidates(
    outcomes: Sequence[Outcome], level: Level, without: Collection[str]
) -> Iterator[tuple[tuple[str, str, str, str, str], list[Outcome]]]:
    """Yield model, scope, axis and every two of its values, with the outcomes of the model in the scope."""
    rated = (outcome for outcome in outcomes if outcome.is_level)
    scopes = grouped(rated, lambda outcome: (outcome.model, _scope(outcome, level)))
    for (model, scope), own in sorted(scopes.items()):
        for axis, first, second in _pairs(own, without):
            yield (model, scope, axis, first, second), own


def _rates(sides: Sides) -> tuple[float, float]:
    """Return the pass rates of both sides, each the mean over benchmarks, so that they differ by the difference."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for a, b in sides:
        if a.score is not None and b.score is not None:
            scores.setdefault(a.benchmark, []).append((a.score, b.score))
    one, other = (fmean(fmean(pair[side] for pair in own) for own in scores.values()) for side in (0, 1))
    return one, other


def _scope(outcome: Outcome, level: Level) -> str:
    return {"overall": outcome.area, "benchmark": outcome.benchmark, "metric": outcome.metric}[level]


def axis_sides(outcomes: Sequence[Outcome], axis: str, first: str, second: str) -> list[tuple[Outcome, Outcome]]:
    """Return the cases that differ in this axis alone: same set-up, metric, base scenario, sample and other axes."""
    cases: dict[tuple[object, ...], dict[str, Outcome]] = {}
    parts = {axes: _without_axis(axes, axis) for axes in {outcome.axes for outcome in outcomes}}
    for outcome in outcomes:
        value, rest = parts[outcome.axes]
        if value in (first, second):
            case = (outcome.whole_setup, outcome.area, outcome.metric, outcome.base_id, outcome.sample, rest)
            cases.setdefault(case, {})[value] = outcome
    return [(sides[first], sides[second]) for sides in cases.values() if len(sides) == 2]


def _without_axis(axes: tuple[tuple[str, str], ...], axis: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the value of an axis, empty without one, and the other axes with theirs."""
    return dict(axes).get(axis, ""), tuple(item for item in axes if item[0] != axis)
