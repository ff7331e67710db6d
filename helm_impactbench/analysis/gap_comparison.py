"""Models against each other on contrast metrics: whose widest gap is nearer to 0, on the same cases?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from helm_impactbench.analysis.comparison import Order
from helm_impactbench.analysis.contrast_metrics import LevelGap
from helm_impactbench.analysis.gap_tests import distance
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.paired import (
    CasePair,
    Difference,
    HalfPair,
    InFamily,
    MissingBySide,
    family_tests,
    paired_difference,
)
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import Correction


@dataclass(frozen=True)
class GapScore:
    """One model on the contrast metrics of a benchmark."""

    model: str
    sets: tuple[MatchedSet, ...]
    widest: LevelGap | None
    """The two levels that differ most, as widest_gap has them; None where no case has a value at two levels."""

    @property
    def distance(self) -> float:
        """How far the widest gap is from 0, the ideal in both directions; nan without one."""
        return math.nan if self.widest is None else abs(self.widest.estimate.value)

    def cases(self, levels: Sequence[str]) -> dict[tuple[object, ...], MatchedSet]:
        """Return the matched sets that the widest gap is of, by what sets of another model on the same case share."""
        if self.widest is None:
            return {}
        return {found.place(*levels): found for found in self.sets if found.metric in self.widest.estimate.groups}


@dataclass(frozen=True)
class GapPair(InFamily):
    """Two models on the cases that both met; the family is all pairs of the benchmark.

    Its difference is the distance of the second minus the distance of the first.
    """

    first: str
    """The one whose widest gap is nearer to 0."""
    second: str


@dataclass(frozen=True)
class GapComparison(Order):
    """All models on the contrast metrics of one benchmark."""

    benchmark: str
    scores: list[GapScore]
    """Nearest to 0 first; those without a gap last."""
    pairs: list[GapPair]
    correction: Correction

    @property
    def models(self) -> list[str]:
        """The models that have a gap, nearest to 0 first."""
        return [score.model for score in self.scores if score.widest is not None]

    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (nearer to 0, further) of models that the corrected tests separate."""
        return [
            (pair.first, pair.second) if pair.difference.value > 0 else (pair.second, pair.first)
            for pair in self.pairs
            if pair.difference is not None and pair.found
        ]


def compare_gaps(outcomes: Sequence[Outcome], correction: Correction = "max-t") -> list[GapComparison]:
    """Return the comparison of all models on the contrast metrics of each benchmark."""
    benchmarks = grouped((outcome for outcome in outcomes if outcome.contrast), lambda outcome: outcome.benchmark)
    return [_compared(slug, own, correction) for slug, own in sorted(benchmarks.items())]


def _compared(benchmark: str, outcomes: Sequence[Outcome], correction: Correction) -> GapComparison:
    sets = {model: tuple(matched_sets(own)) for model, own in grouped(outcomes, lambda o: o.model).items()}
    scores = sorted(
        (GapScore(model, own, widest_gap(own).gap) for model, own in sets.items()),
        key=lambda score: (score.widest is None, score.distance, score.model),
    )
    raw = [(one, other, _nearer_by(one, other)) for one, other in combinations([s for s in scores if s.widest], 2)]
    tests = iter(family_tests([difference for *_, difference in raw if difference], correction))
    pairs = []
    for near, far, difference in raw:
        test, worst = next(tests) if difference else (None, None)
        pairs.append(GapPair(near.model, far.model, difference=difference, test=test, worst_test=worst))
    return GapComparison(benchmark, scores, pairs, correction)


def _nearer_by(near: GapScore, far: GapScore) -> Difference | None:
    """Return the distance of `far` from 0 minus that of `near`, on the cases that both met."""
    assert near.widest is not None
    assert far.widest is not None
    gaps = near.widest, far.widest
    levels = sorted({level for gap in gaps for level in (gap.first, gap.second)})
    cases = near.cases(levels)
    shared = [(cases[case], found) for case, found in far.cases(levels).items() if case in cases]
    pairs, half_pairs = list[CasePair](), list[HalfPair]()
    for one, other in shared:
        least, most = distance(one, near.widest), distance(other, far.widest)
        if least is None or most is None:
            continue
        if least.is_known and most.is_known:
            pairs.append(CasePair(one.metric, one.base_id, most.low - least.low))
        else:
            half_pairs.append(HalfPair(one.metric, one.base_id, most.low - least.high, most.high - least.low))
    sides = [([pair[place] for pair in shared], gap) for place, gap in enumerate(gaps)]
    missing = MissingBySide(
        *(sum(not found.missing.isdisjoint((gap.first, gap.second)) for found in own) for own, gap in sides),
        *(sum(not found.not_applicable.isdisjoint((gap.first, gap.second)) for found in own) for own, gap in sides),
    )
    return paired_difference(pairs, 2 * max(gap.estimate.figure.high for gap in gaps), half_pairs, missing)
