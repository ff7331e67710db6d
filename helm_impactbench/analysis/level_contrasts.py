"""Does the same case end differently for another person? Matched contrasts of pass rates along every axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Literal

from helm_impactbench.analysis.paired import Difference, Pair, paired_difference
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.tests import ALPHA, adjusted

Level = Literal["overall", "benchmark", "metric"]
LEVELS: tuple[Level, ...] = ("overall", "benchmark", "metric")


@dataclass(frozen=True)
class LevelContrast:
    """Two values of one axis, the same base scenarios, everything else equal."""

    level: Level
    model: str
    scope: str
    """An area, a benchmark's slug, or slug/metric."""
    axis: str
    first: str
    second: str
    first_rate: float
    """Pass rate of the matched conversations with the first value."""
    second_rate: float
    difference: Difference
    """First minus second."""
    adjusted_p_value: float = 1.0
    """After Benjamini-Hochberg over all contrasts of this level: of all models, scopes, axes and pairs of values."""

    @property
    def found(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.adjusted_p_value <= ALPHA

    @property
    def can_be_found(self) -> bool:
        """Whether there are enough base scenarios for a p value below 5% at all, before any correction."""
        return self.difference.smallest_p_value <= ALPHA


def level_contrasts(outcomes: Sequence[Outcome], levels: Iterable[Level] = LEVELS) -> list[LevelContrast]:
    """Return every contrast of every model, at each level corrected for the number of its contrasts."""
    found: list[LevelContrast] = []
    for level in levels:
        raw = list(_raw(outcomes, level))
        p_values = adjusted([contrast.difference.p_value for contrast in raw], "bh")
        found += [replace(contrast, adjusted_p_value=p) for contrast, p in zip(raw, p_values, strict=True)]
    return found


def _raw(outcomes: Sequence[Outcome], level: Level) -> Iterator[LevelContrast]:
    rated = (outcome for outcome in outcomes if outcome.is_level)
    scopes = grouped(rated, lambda outcome: (outcome.model, _scope(outcome, level)))
    for (model, scope), own in sorted(scopes.items()):
        for axis in sorted({axis for outcome in own for axis, _ in outcome.axes}):
            values = sorted({value for outcome in own for a, value in outcome.axes if a == axis})
            for first, second in combinations(values, 2):
                matched = _matched(own, axis, first, second)
                difference = paired_difference([pair for pair, _, _ in matched])
                if difference is not None:
                    one, other = (fmean(sides) for sides in zip(*((a, b) for _, a, b in matched), strict=True))
                    yield LevelContrast(level, model, scope, axis, first, second, one, other, difference)


def _scope(outcome: Outcome, level: Level) -> str:
    return {"overall": outcome.area, "benchmark": outcome.benchmark, "metric": outcome.metric}[level]


def _matched(outcomes: Sequence[Outcome], axis: str, first: str, second: str) -> list[tuple[Pair, float, float]]:
    """Return the pairs that differ in this axis alone: same set-up, base scenario, sample and other axes."""
    cases: dict[tuple[object, ...], dict[str, Outcome]] = {}
    for outcome in outcomes:
        value = dict(outcome.axes).get(axis)
        if outcome.score is not None and value in (first, second):
            rest = tuple(item for item in outcome.axes if item[0] != axis)
            case = (outcome.setup, outcome.benchmark, outcome.base_id, outcome.sample, rest)
            cases.setdefault(case, {})[value] = outcome
    return [_pair(sides[first], sides[second]) for sides in cases.values() if len(sides) == 2]


def _pair(first: Outcome, second: Outcome) -> tuple[Pair, float, float]:
    one, other = first.score or 0.0, second.score or 0.0
    return Pair(first.benchmark, first.base_id, one - other), one, other
