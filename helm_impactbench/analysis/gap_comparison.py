"""Models against each other on contrast metrics: whose widest gap is nearer to 0, on the same cases?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from helm_impactbench.analysis.comparison import Order
from helm_impactbench.analysis.contrast_metrics import LevelGap, widest_gap
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.paired import Difference, Pair, family_tests, paired_difference
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import Correction, FamilyTest


@dataclass(frozen=True)
class GapScore:
    """One model on the contrast metrics of a benchmark."""

    model: str
    sets: tuple[MatchedSet, ...]
    widest: LevelGap | None
    """The two levels that differ most; None where no case has a value at two levels."""

    @property
    def distance(self) -> float:
        """How far the widest gap is from 0, the ideal in both directions; nan without one."""
        return math.nan if self.widest is None else abs(self.widest.estimate.value)

    def distances(self, levels: Sequence[str]) -> dict[tuple[object, ...], tuple[str, str, float]]:
        """Return case -> metric, base scenario and how far the case is from 0 in the direction of the widest gap."""
        if self.widest is None:
            return {}
        sign = math.copysign(1.0, self.widest.estimate.value)
        counted = [found for found in self.sets if found.metric in self.widest.estimate.groups]
        gaps = [(found, found.gap(self.widest.first, self.widest.second)) for found in counted]
        return {
            found.place(*levels): (found.metric, found.base_id, sign * gap) for found, gap in gaps if gap is not None
        }


@dataclass(frozen=True)
class GapPair:
    """Two models on the cases that both have values for."""

    first: str
    """The one whose widest gap is nearer to 0."""
    second: str
    nearer_by: Difference | None
    """Distance of the second minus distance of the first; None when they share no case."""
    test: FamilyTest | None = None
    """Of "equally near", corrected for all pairs of the benchmark; None without shared cases."""

    @property
    def adjusted_p_value(self) -> float:
        """After the correction for all pairs of the benchmark; 1.0 without shared cases."""
        return self.test.adjusted if self.test else 1.0

    @property
    def told_apart(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.test is not None and self.test.found


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
        return [score.model for score in self.scores if score.widest is not None]

    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (nearer to 0, further) of models that the corrected tests separate."""
        return [
            (pair.first, pair.second) if pair.nearer_by.value > 0 else (pair.second, pair.first)
            for pair in self.pairs
            if pair.nearer_by is not None and pair.told_apart
        ]


def compare_gaps(outcomes: Sequence[Outcome], correction: Correction = "max-t") -> list[GapComparison]:
    """Return the comparison of all models on the contrast metrics of each benchmark."""
    benchmarks = grouped((outcome for outcome in outcomes if outcome.contrast), lambda outcome: outcome.benchmark)
    return [_compared(slug, own, correction) for slug, own in sorted(benchmarks.items())]


def _compared(benchmark: str, outcomes: Sequence[Outcome], correction: Correction) -> GapComparison:
    sets = {model: tuple(matched_sets(own)) for model, own in grouped(outcomes, lambda o: o.model).items()}
    scores = sorted(
        (GapScore(model, own, widest_gap(own)) for model, own in sets.items()),
        key=lambda score: (score.widest is None, score.distance, score.model),
    )
    raw = [_pair(one, other) for one, other in combinations([score for score in scores if score.widest], 2)]
    tests = iter(family_tests([pair.nearer_by for pair in raw if pair.nearer_by], correction))
    pairs = [replace(pair, test=next(tests)[0]) if pair.nearer_by else pair for pair in raw]
    return GapComparison(benchmark, scores, pairs)


def _pair(near: GapScore, far: GapScore) -> GapPair:
    gaps = [score.widest for score in (near, far) if score.widest is not None]
    levels = sorted({level for gap in gaps for level in (gap.first, gap.second)})
    one: Mapping[tuple[object, ...], tuple[str, str, float]] = near.distances(levels)
    pairs = [
        Pair(metric, base, distance - one[case][2])
        for case, (metric, base, distance) in far.distances(levels).items()
        if case in one
    ]
    most = 2 * max(gap.estimate.figure.high for gap in gaps)
    return GapPair(near.model, far.model, paired_difference(pairs, most))
