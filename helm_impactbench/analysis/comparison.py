"""Models against each other on the same variants: differences, groups that cannot be told apart, ranks as intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from helm_impactbench.analysis.contrast_metrics import Estimate, MatchedSet, compared_gaps, matched_sets
from helm_impactbench.analysis.paired import Difference, Pair, paired_difference
from helm_impactbench.analysis.rates import ModelScore, grouped, model_scores
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.ranking import indistinguishable_groups, letters, rank_intervals
from helm_impactbench.stats.tests import ALPHA, Correction, adjusted


@dataclass(frozen=True)
class ModelPair:
    """Two models on the variants that both have a verdict for."""

    first: str
    """The one with the higher mean score."""
    second: str
    difference: Difference | None
    """First minus second; None when they share no variant."""
    adjusted_p_value: float
    """After the correction for all pairs; 1.0 without shared variants."""

    @property
    def told_apart(self) -> bool:
        """Whether the corrected test finds a difference."""
        return self.difference is not None and self.adjusted_p_value <= ALPHA


@dataclass(frozen=True)
class Comparison:
    """All models of some outcomes."""

    scores: list[ModelScore]
    """Best first."""
    pairs: list[ModelPair]
    correction: Correction

    @property
    def models(self) -> list[str]:
        """The models with a score, best first; one without any verdict has no rank."""
        return [score.model for score in self.scores if score.groups]

    @property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow."""
        return rank_intervals(self.models, self._told_apart())

    @property
    def groups(self) -> list[list[str]]:
        """The largest groups of models that cannot be told apart."""
        return indistinguishable_groups(self.models, self._told_apart())

    @property
    def letters(self) -> Mapping[str, str]:
        """Model -> letters; models that share one cannot be told apart."""
        return letters(self.groups)

    def _told_apart(self) -> list[tuple[str, str]]:
        return [
            (pair.first, pair.second) if pair.difference.value > 0 else (pair.second, pair.first)
            for pair in self.pairs
            if pair.difference is not None and pair.told_apart
        ]


def compare(outcomes: Sequence[Outcome], correction: Correction = "holm") -> Comparison:
    """Return the comparison of all models in `outcomes`."""
    scores = model_scores(outcomes)
    verdicts = {model: verdicts_by_case(own) for model, own in grouped(outcomes, lambda o: o.model).items()}
    differences = [
        (one.model, other.model, paired_difference(model_pairs(verdicts[one.model], verdicts[other.model])))
        for one, other in combinations([score for score in scores if score.groups], 2)
    ]
    tested = iter(adjusted([found.p_value for *_, found in differences if found is not None], correction))
    pairs = [ModelPair(one, other, found, next(tested) if found else 1.0) for one, other, found in differences]
    return Comparison(scores, pairs, correction)


Verdicts = Mapping[tuple[str, Case], Outcome]
"""(set-up, case) -> scored outcome."""


def verdicts_by_case(outcomes: Sequence[Outcome]) -> Verdicts:
    """Return the scored outcomes by case."""
    return {(outcome.setup, outcome.case): outcome for outcome in outcomes if outcome.score is not None}


def model_pairs(first: Verdicts, second: Verdicts) -> list[Pair]:
    """Return the cases that both have a verdict for, with the difference of the verdicts."""
    return [
        Pair(outcome.benchmark, outcome.base_id, _score(outcome) - _score(second[case]))
        for case, outcome in first.items()
        if case in second
    ]


def _score(outcome: Outcome) -> float:
    assert outcome.score is not None  # verdicts_by_case keeps scored outcomes alone
    return outcome.score


@dataclass(frozen=True)
class GapPair:
    """Two models' gaps between the same two levels of a benchmark's contrast metrics."""

    benchmark: str
    levels: tuple[str, str]
    first: str
    """The model whose gap is nearer to 0, the ideal."""
    second: str
    first_gap: Estimate
    second_gap: Estimate
    difference: Difference | None
    """First gap minus second, paired over cases; None when they share none."""
    adjusted_p_value: float
    """After the correction for all pairs of models and levels of the benchmark."""

    @property
    def told_apart(self) -> bool:
        """Whether the corrected test finds that the gaps differ."""
        return self.difference is not None and self.adjusted_p_value <= ALPHA


def compare_gaps(outcomes: Sequence[Outcome], correction: Correction = "holm") -> list[GapPair]:
    """Return every two models' gaps on the contrast metrics of each benchmark, nearest to 0 first."""
    found: list[GapPair] = []
    for benchmark, own in sorted(grouped((o for o in outcomes if o.contrast), lambda o: o.benchmark).items()):
        sets = {model: list(matched_sets(each)) for model, each in grouped(own, lambda o: o.model).items()}
        raw = [pair for one, other in combinations(sorted(sets), 2) for pair in _gap_pairs(benchmark, sets, one, other)]
        tested = iter(adjusted([pair.difference.p_value for pair in raw if pair.difference], correction))
        found += [replace(pair, adjusted_p_value=next(tested) if pair.difference else 1.0) for pair in raw]
    return found


def _gap_pairs(benchmark: str, sets: Mapping[str, Sequence[MatchedSet]], one: str, other: str) -> list[GapPair]:
    gaps = {
        model: {(gap.first, gap.second): gap.estimate for gap in compared_gaps(sets[model])} for model in (one, other)
    }
    pairs = []
    for levels in sorted(gaps[one].keys() & gaps[other].keys()):
        near, far = sorted((one, other), key=lambda model: abs(gaps[model][levels].value))
        counted = [found for found in sets[near] if found.metric in gaps[near][levels].groups]
        most = 2 * gaps[near][levels].figure.high
        difference = paired_difference(_gap_differences(counted, sets[far], levels), most=most)
        pairs.append(GapPair(benchmark, levels, near, far, gaps[near][levels], gaps[far][levels], difference, 1.0))
    return pairs


def _gap_differences(first: Sequence[MatchedSet], second: Sequence[MatchedSet], levels: tuple[str, str]) -> list[Pair]:
    other = {found.place(*levels): gap for found in second if (gap := found.gap(*levels)) is not None}
    return [
        Pair(found.metric, found.base_id, gap - other[found.place(*levels)])
        for found in first
        if (gap := found.gap(*levels)) is not None and found.place(*levels) in other
    ]
