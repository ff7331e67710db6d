"""Models against each other on contrast metrics: whose typical gap is nearer to 0, on the same cases?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from helm_impactbench.analysis.comparison import Order
from helm_impactbench.analysis.contrast_metrics import LevelGap
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import FamilyTest
from helm_impactbench.stats.typical_gap import GapsOfTwo, LevelValues, gap_tests_of_two, on_shared


@dataclass(frozen=True)
class GapScore:
    """One model on the contrast metrics of a benchmark."""

    model: str
    sets: tuple[MatchedSet, ...]
    """Its matched sets that are compared: without placebos, and without units that have no mean with others."""
    levels: tuple[str, ...]
    widest: LevelGap | None
    """The two levels that differ most, as widest_gap has them; None where no case has a value at two levels."""

    @cached_property
    def values(self) -> LevelValues:
        """Its values by base scenario and level: means over samples, as shares of the measure's range."""
        cases: dict[tuple[str, object], list[MatchedSet]] = {}
        for found in self.sets:
            cases.setdefault((found.metric, _base(found)), []).append(found)
        rows = [[_mean(own, level) for level in self.levels] for own in cases.values()]
        return LevelValues(tuple(cases), np.array(rows, dtype=np.float64).reshape(len(cases), len(self.levels)))

    @cached_property
    def gap(self) -> float:
        """Its typical gap: 0 is ideal; nan where no case has a value at two levels."""
        return self.values.gap

    @property
    def missing(self) -> int:
        """Matched sets that lack a value that they could have."""
        return sum(bool(found.missing.intersection(self.levels)) for found in self.sets)


@dataclass(frozen=True)
class GapPair:
    """Two models on the cases that both met; the family is all pairs of the benchmark."""

    first: str
    """The one whose typical gap is nearer to 0."""
    second: str
    shared: GapsOfTwo | None
    """Both on the base scenarios and levels at which both have a value; None without any."""
    test: FamilyTest | None
    missing: tuple[int, int]
    """Matched sets of each that lack a value."""

    @property
    def nearer_by(self) -> float | None:
        """How much nearer to 0 the first is, on the shared cases."""
        return self.shared.far.gap - self.shared.near.gap if self.shared else None

    @property
    def found(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.test is not None and self.test.found

    @property
    def can_be_found(self) -> bool:
        """Whether so few base scenarios could show a difference."""
        return self.test is not None and self.test.can_be_found


@dataclass(frozen=True)
class GapComparison(Order):
    """All models on the contrast metrics of one benchmark."""

    benchmark: str
    scores: list[GapScore]
    """Nearest to 0 first; those without a gap last."""
    pairs: list[GapPair]

    @property
    def models(self) -> list[str]:
        """The models that have a gap, nearest to 0 first."""
        return [score.model for score in self.scores if not math.isnan(score.gap)]

    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (nearer to 0, further) of models that the corrected tests separate."""
        return [
            (pair.first, pair.second) if (pair.nearer_by or 0.0) > 0 else (pair.second, pair.first)
            for pair in self.pairs
            if pair.found
        ]


def compare_gaps(outcomes: Sequence[Outcome]) -> list[GapComparison]:
    """Return the comparison of all models on the contrast metrics of each benchmark."""
    benchmarks = grouped((outcome for outcome in outcomes if outcome.contrast), lambda outcome: outcome.benchmark)
    return [_compared(slug, gap_scores(own)) for slug, own in sorted(benchmarks.items())]


def gap_scores(outcomes: Sequence[Outcome]) -> list[GapScore]:
    """Return the models on the contrast metrics of one benchmark, nearest to 0 first; those without a gap last."""
    sets = {model: tuple(matched_sets(own)) for model, own in grouped(outcomes, lambda o: o.model).items()}
    every = [found for own in sets.values() for found in own]
    metrics = _compared_metrics(every)
    levels = tuple(dict.fromkeys(level for found in every if found.metric in metrics for level in found.compared))
    scores = [
        GapScore(model, tuple(found for found in own if found.metric in metrics), levels, widest_gap(own).gap)
        for model, own in sets.items()
    ]
    return sorted(scores, key=lambda score: (math.isnan(score.gap), score.gap, score.model))


def _compared(benchmark: str, scores: list[GapScore]) -> GapComparison:
    two = [(*both, on_shared(both[0].values, both[1].values)) for both in combinations(scores, 2)]
    two = [(near, far, shared) for near, far, shared in two if not (math.isnan(near.gap) or math.isnan(far.gap))]
    tests = iter(gap_tests_of_two([shared for *_, shared in two if shared]))
    pairs = [
        GapPair(near.model, far.model, shared, next(tests) if shared else None, (near.missing, far.missing))
        for near, far, shared in two
    ]
    return GapComparison(benchmark, scores, pairs)


def _compared_metrics(sets: Sequence[MatchedSet]) -> set[str]:
    """Return the metrics that a gap is of: no placebo, and no units of their own beside others."""
    placebos = {found.metric for found in sets if found.contrast.placebo}
    own = {found.metric for found in sets if found.values} - placebos or placebos
    apart = {found.metric for found in sets if found.bounds is None} if len(own) > 1 else set()
    return own - apart


def _base(found: MatchedSet) -> tuple[object, ...]:
    """Return what is equal for the samples of a base scenario that met the same cases."""
    contents = tuple(sorted(found.contents.items()))
    return found.base_id, found.rest, found.setup, contents


def _mean(samples: Sequence[MatchedSet], level: str) -> float:
    shares = [found.contrast.sign * found.values[level] / found.span for found in samples if level in found.values]
    if len(shares) == 1:  # by far the most often, and an array for it takes longer than all the rest
        return shares[0]
    return float(np.mean(shares)) if shares else math.nan
