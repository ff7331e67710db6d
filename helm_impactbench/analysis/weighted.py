"""Scores by what matters to somebody: areas, levels of an axis, and harm against benefit, each off, normal or double.

Within a benchmark the conversations count with their weights; benchmarks count with theirs. With equal weights this is
`rates.model_scores`. The report's page "Describe your use" carries the rates of this module for every choice within a
benchmark, and only adds them up over benchmarks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from helm_impactbench.analysis.rates import Rate, by_benchmark, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.strata import mean_interval, strata_intervals

OFF, NORMAL, DOUBLE = 0, 1, 2
NOT_STATED = ""
"""The level of a conversation that has none on an axis."""


@dataclass(frozen=True)
class Emphasis:
    """How much each conversation of a benchmark counts: the weight of its level times that of its metric's type."""

    axis: str
    levels: Mapping[str, int]
    """Level of the axis, NOT_STATED among them -> weight; a level that is not named counts as normal."""
    types: Mapping[str, int]
    """Type of metric, negative or positive -> weight; likewise."""


@dataclass(frozen=True)
class Weighted:
    """A weighted rate."""

    value: float
    """nan where nothing that counts has a score."""
    interval: Interval
    """95%, over scenarios."""
    may_stop_early: bool = False
    """Whether some of its runs draw base scenarios until they have seen enough."""


NOTHING = Weighted(math.nan, UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class WeightedScore(Weighted):
    """One model over several benchmarks."""

    model: str
    lacks: tuple[str, ...]
    """Benchmarks that count, and that other models have a rate on: with one of these the model has no rank."""


class Cells:
    """The scores of one model in one benchmark, by metric, level and base scenario."""

    def __init__(self, outcomes: Sequence[Outcome], axis: str) -> None:
        self._rate = Rate(tuple(outcomes))
        self._level = [dict(outcome.axes).get(axis, NOT_STATED) for outcome in outcomes]
        self.levels = sorted(set(self._level))

    @property
    def may_stop_early(self) -> bool:
        """Whether some of its runs draw base scenarios until they have seen enough."""
        return self._rate.may_stop_early

    @cached_property
    def _metrics(self) -> list[tuple[str, Floats, Floats]]:
        """(type, sums, counts) of each metric; shape (levels, base scenarios) each."""
        found: dict[str, list[tuple[int, Outcome]]] = {}
        for level, outcome in zip(self._level, self._rate.outcomes, strict=True):
            if outcome.score is not None:
                found.setdefault(outcome.metric, []).append((self.levels.index(level), outcome))
        return [self._summed(found[metric]) for metric in sorted(found)]

    def _summed(self, scored: Sequence[tuple[int, Outcome]]) -> tuple[str, Floats, Floats]:
        bases = sorted({outcome.cluster for _, outcome in scored}, key=repr)
        places = {base: place for place, base in enumerate(bases)}
        sums, counts = np.zeros((len(self.levels), len(bases))), np.zeros((len(self.levels), len(bases)))
        for level, outcome in scored:
            sums[level, places[outcome.cluster]] += outcome.score or 0.0
            counts[level, places[outcome.cluster]] += 1
        return scored[0][1].metric_type, sums, counts

    def rate(self, emphasis: Emphasis) -> Weighted:
        """Return the weighted rate."""
        return self.rates([emphasis])[0]

    def rates(self, emphases: Sequence[Emphasis]) -> list[Weighted]:
        """Return the rate for each of many weights, in the time of a few.

        Weights are scaled so that their sum is Kish's effective number of values, (sum of w)^2 / sum of w^2: with
        equal weights each conversation counts as one, and one with double weight is not two. The interval is then
        strata_interval's, with weighted sums over base scenarios. Source: Kish (1965), Survey Sampling, section 11.7.
        """
        strata = self._weighted(emphases)
        if self.may_stop_early:
            return [self._stopped(e) if own else NOTHING for e, own in zip(emphases, strata, strict=True)]
        intervals = iter(strata_intervals([own for own in strata if own]))
        return [Weighted(_mean(own), next(intervals)) if own else NOTHING for own in strata]

    def _weighted(self, emphases: Sequence[Emphasis]) -> list[list[Clusters]]:
        """Return for each emphasis the weighted scores of each metric by base scenario, of metrics that count."""
        by_level = np.array([[each.levels.get(level, NORMAL) for level in self.levels] for each in emphases], float)
        whole, squares = np.zeros(len(emphases)), np.zeros(len(emphases))
        added: list[tuple[Floats, Floats]] = []
        for kind, sums, counts in self._metrics:
            weights = by_level * np.array([[each.types.get(kind, NORMAL)] for each in emphases], float)
            whole += np.einsum("el,lb->e", weights, counts)
            squares += np.einsum("el,lb->e", weights**2, counts)
            added.append((np.einsum("el,lb->eb", weights, sums), np.einsum("el,lb->eb", weights, counts)))
        return [
            [
                _kept(sums[place] * whole[place] / squares[place], counts[place] * whole[place] / squares[place])
                for sums, counts in added
                if counts[place].any()
            ]
            for place in range(len(emphases))
        ]

    def _stopped(self, emphasis: Emphasis) -> Weighted:
        """Return the same of a run that may stop early, whose interval is known with equal weights alone."""
        weights = [
            emphasis.levels.get(level, NORMAL) * emphasis.types.get(outcome.metric_type, NORMAL)
            for level, outcome in zip(self._level, self._rate.outcomes, strict=True)
        ]
        if len({weight for weight in weights if weight}) == 1:
            kept = Rate(tuple(o for o, weight in zip(self._rate.outcomes, weights, strict=True) if weight))
            return Weighted(kept.value, kept.interval, may_stop_early=True)
        scored = [
            (weight, o.score) for weight, o in zip(weights, self._rate.outcomes, strict=True) if o.score is not None
        ]
        whole = math.fsum(weight for weight, _ in scored)
        return Weighted(math.fsum(weight * score for weight, score in scored) / whole, UNKNOWN, may_stop_early=True)


def _mean(strata: Sequence[Clusters]) -> float:
    total = math.fsum(float(one.counts.sum()) for one in strata)
    return math.fsum(float(one.sums.sum()) for one in strata) / total


def _kept(sums: Floats, counts: Floats) -> Clusters:
    return Clusters(sums[counts > 0], counts[counts > 0])


def cells_of(outcomes: Iterable[Outcome], axis: str) -> dict[str, dict[str, Cells]]:
    """Return benchmark -> model -> its scores, of level metrics."""
    level = [outcome for outcome in outcomes if outcome.is_level]
    return {
        slug: {model: Cells(part, axis) for model, part in sorted(grouped(own, lambda o: o.model).items())}
        for slug, own in by_benchmark(level).items()
    }


def weighted_scores(
    outcomes: Iterable[Outcome], emphasis: Emphasis, benchmarks: Mapping[str, int]
) -> list[WeightedScore]:
    """Return the score of every model, best first, then by name those without a rank.

    `benchmarks`: slug -> weight; one that is not named counts as normal. One in which no model has a rate is left out.
    """
    found = {
        slug: {model: cells.rate(emphasis) for model, cells in own.items()}
        for slug, own in cells_of(outcomes, emphasis.axis).items()
        if benchmarks.get(slug, NORMAL)
    }
    rates = {slug: {model: rate for model, rate in own.items() if rate != NOTHING} for slug, own in found.items()}
    counted = {slug: own for slug, own in rates.items() if own}
    scores = [
        _score(model, counted, benchmarks) for model in sorted({model for own in found.values() for model in own})
    ]
    return sorted(scores, key=lambda score: (bool(score.lacks), 0.0 if score.lacks else -score.value, score.model))


def _score(model: str, rates: Mapping[str, Mapping[str, Weighted]], benchmarks: Mapping[str, int]) -> WeightedScore:
    own = {slug: found[model] for slug, found in rates.items() if model in found}
    lacks = tuple(slug for slug in rates if slug not in own)
    if not own:
        return WeightedScore(value=math.nan, interval=UNKNOWN, model=model, lacks=lacks)
    weights = [float(benchmarks.get(slug, NORMAL)) for slug in own]
    values, intervals = [rate.value for rate in own.values()], [rate.interval for rate in own.values()]
    mean = math.fsum(weight * value for weight, value in zip(weights, values, strict=True)) / math.fsum(weights)
    early = any(rate.may_stop_early for rate in own.values())
    interval = mean_interval(values, intervals, weights, may_stop_early=early)
    return WeightedScore(value=mean, interval=interval, model=model, lacks=lacks, may_stop_early=early)


def weight_of(areas: Iterable[str], weights: Mapping[str, int]) -> int:
    """Return the weight of a benchmark of several areas: the largest of theirs; `weights`: area -> weight."""
    return max((weights.get(area, NORMAL) for area in areas), default=NORMAL)


def choices(parts: int) -> list[tuple[int, ...]]:
    """Return the weights that so many parts can have, but for their scale: all double is all normal."""
    every = product((OFF, NORMAL, DOUBLE), repeat=parts)
    return sorted({tuple(weight // math.gcd(*weights) for weight in weights) for weights in every if any(weights)})
