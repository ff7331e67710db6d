"""Models against each other on the same variants: differences, groups that cannot be told apart, ranks as intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

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


class Order(ABC):
    """Models in an order of which tests tell how far it can be trusted."""

    @property
    @abstractmethod
    def models(self) -> list[str]:
        """The models that have a figure, best first."""

    @abstractmethod
    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) of models that the corrected tests tell apart."""

    @property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow."""
        return rank_intervals(self.models, self.told_apart())

    @property
    def groups(self) -> list[list[str]]:
        """The largest groups of models that cannot be told apart."""
        return indistinguishable_groups(self.models, self.told_apart())

    @property
    def letters(self) -> Mapping[str, str]:
        """Model -> letters; models that share one cannot be told apart."""
        return letters(self.groups)


@dataclass(frozen=True)
class Comparison(Order):
    """All models of some outcomes, by their mean scores."""

    scores: list[ModelScore]
    """Best first."""
    pairs: list[ModelPair]
    correction: Correction

    @property
    def models(self) -> list[str]:
        """The models with a score, best first; one without any verdict has no rank."""
        return [score.model for score in self.scores if score.groups]

    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) of models that the corrected tests tell apart."""
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
