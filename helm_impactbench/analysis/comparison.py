"""Models against each other on the same variants: differences, groups without a significant one, ranks as intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

from helm_impactbench.analysis.case_table import CaseTable, case_table
from helm_impactbench.analysis.coverage import LEAST_SHARE, Lacking, lacking
from helm_impactbench.analysis.looks import among_at_any_look
from helm_impactbench.analysis.paired import Difference, InFamily, among
from helm_impactbench.analysis.panels import Panel, voters
from helm_impactbench.analysis.rates import ModelScore, Rate, RateOf, model_scores
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.ranking import indistinguishable_groups, letters, rank_intervals


@dataclass(frozen=True)
class ModelPair(InFamily):
    """Two models on the variants that both met; the family is all pairs."""

    first: str
    """The one with the higher mean score."""
    second: str
    judged_otherwise: bool = False
    """Whether there is no difference because a benchmark that both have was judged by other judges."""


class Order(ABC):
    """Models in order, and how far tests support that order."""

    @property
    @abstractmethod
    def models(self) -> list[str]:
        """The models that have a figure, best first."""

    @abstractmethod
    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) of models that the corrected tests separate."""

    @cached_property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow."""
        return rank_intervals(self.models, self.told_apart())

    @cached_property
    def groups(self) -> list[list[str]]:
        """The largest groups of models that do not differ significantly."""
        return indistinguishable_groups(self.models, self.told_apart())

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """Model -> letters; models that share one do not differ significantly."""
        return letters(self.groups)


@dataclass(frozen=True)
class Comparison(Order):
    """All models of some outcomes, by their mean scores."""

    scores: list[ModelScore]
    """Best first, also those that are set apart; then those that lack a benchmark, then those without a verdict."""
    pairs: list[ModelPair]
    lacking: Lacking = field(default_factory=dict)
    """What models lack of benchmarks that they have."""
    apart: Collection[str] = ()
    """Models with which people fare differently, of whom no average is a result: they have no rank."""

    @cached_property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow, among models whose mean is a result."""
        models = [model for model in self.models if model not in self.judged_otherwise]
        return rank_intervals(models, [pair for pair in self.told_apart() if not {*pair} & self.judged_otherwise])

    @cached_property
    def judged_otherwise(self) -> set[str]:
        """Models that other judges judged than another model with a rank: nothing says which of the two is better."""
        ranked = {*self.models}
        alike = [{pair.first, pair.second} for pair in self.pairs if pair.judged_otherwise]
        return {model for pair in alike if pair <= ranked for model in pair}

    @cached_property
    def models(self) -> list[str]:
        """The models whose means can be ordered, best first: they have met what any has, and treat people alike."""
        own = [score.model for score in self.scores if score.groups and not self.lacks(score)]
        return [model for model in own if model not in self.apart]

    @cached_property
    def _benchmarks(self) -> list[str]:
        return sorted({slug for score in self.scores for slug, rate in score.rates.items() if rate.scored})

    def lacks(self, score: ModelScore) -> list[str]:
        """Return the benchmarks that this model has not, or not wholly, as others have: its mean is of another kind."""
        parts = self.lacking.get(score.model, {})
        without = [slug for slug in self._benchmarks if slug not in score.rates or not score.rates[slug].scored]
        return sorted([*without, *(f"{slug} ({words})" for slug, words in parts.items() if slug not in without)])

    @cached_property
    def against_means(self) -> list[tuple[str, str]]:
        """Pairs (better, worse) in which the worse one has the higher mean: its scored cases are easier ones."""
        means = {score.model: score.mean for score in self.scores}
        return [(better, worse) for better, worse in self.told_apart() if means[worse] > means[better]]

    def told_apart(self) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) of models that the corrected tests separate."""
        ranked = set(self.models)
        return [
            (pair.first, pair.second) if pair.difference.value > 0 else (pair.second, pair.first)
            for pair in self.pairs
            if pair.difference is not None and pair.found and {pair.first, pair.second} <= ranked
        ]


def did_not_arise(scores: Iterable[ModelScore]) -> Iterator[str]:
    """Yield of which models the question did not arise far more often than of others: their means are over fewer cases.

    By 1 - LEAST_SHARE of the conversations, as a model that has so many cases less than others has no rank.
    """
    totals = {score.model: score.total for score in scores if score.total.conversations}
    shares = {model: total.not_applicable / total.conversations for model, total in totals.items()}
    for model, share in sorted(shares.items()):
        if share - min(shares.values()) > 1 - LEAST_SHARE:
            of = counted(totals[model].conversations, "conversation")
            yield (
                f"In {totals[model].not_applicable:,} of {of} of {model} the question did not arise, so its mean is "
                "over fewer cases. Differences are on the cases of both."
            )


def compare(outcomes: Sequence[Outcome], rate_of: RateOf = Rate) -> Comparison:
    """Return the comparison of all models in `outcomes`."""
    return _compared(model_scores(outcomes, rate_of), outcomes, CaseTable.difference)


def compare_at_any_look(outcomes: Sequence[Outcome]) -> Comparison:
    """Return the comparison of all models in a suite that grows: its tests and intervals hold at any look."""
    return _compared(model_scores(outcomes), outcomes, CaseTable.difference, among_at_any_look)


def allowed_ranks(outcomes: Sequence[Outcome], apart: Collection[str] = ()) -> Mapping[str, tuple[int, int]]:
    """Return the ranks of `compare` alone, in a third of the time: they do not need what missing verdicts allow.

    apart: models with which people fare differently.
    """
    return replace(_compared(model_scores(outcomes), outcomes, CaseTable.measured), apart=apart).ranks


_Differences = Callable[[CaseTable, str, str], Difference | None]


_Tested = Callable[[Sequence[Difference]], Sequence[Difference]]


def _compared(
    scores: list[ModelScore], outcomes: Sequence[Outcome], difference: _Differences, with_tests: _Tested = among
) -> Comparison:
    table = case_table(outcomes)
    ends = {score.model: _ends(score) for score in scores}
    found = [
        (
            one.model,
            other.model,
            None
            if (stopped := not ends[one.model] == ends[other.model] <= _ALIKE)
            else difference(table, one.model, other.model),
            stopped,
        )
        for one, other in combinations([score for score in scores if score.groups], 2)
    ]
    tested = iter(with_tests([each for *_, each, _ in found if each is not None]))
    judges = voters(outcomes)
    pairs = [
        ModelPair(
            one,
            other,
            stopped=stopped,
            difference=next(tested) if each else None,
            judged_otherwise=each is None and not stopped and _are_judged_otherwise(judges, one, other),
        )
        for one, other, each, stopped in found
    ]
    found_first = Comparison(scores, pairs, lacking(outcomes))
    ordered = sorted(scores, key=lambda score: bool(found_first.lacks(score)))
    return replace(found_first, scores=_as_tested(ordered, found_first.told_apart()))


def _are_judged_otherwise(judges: Mapping[str, Mapping[str, frozenset[Panel]]], one: str, other: str) -> bool:
    """Return whether no panel judged both models on a benchmark where both were judged."""
    return any(one in own and other in own and not own[one] & own[other] for own in judges.values())


def _as_tested(scores: Sequence[ModelScore], told_apart: Sequence[tuple[str, str]]) -> list[ModelScore]:
    """Return scores in an order that no test contradicts: by their means, but a better model comes before a worse one.

    A mean is over the cases in which the question arose, which can be easier ones; a test is over shared cases.
    """
    left, found = list(scores), list[ModelScore]()
    while left:
        names = {score.model for score in left}
        behind = {worse for better, worse in told_apart if better in names}
        first = next((score for score in left if score.model not in behind), left[0])
        left.remove(first)
        found.append(first)
    return found


End = Literal["all", "width", "bar"]
"""When a run ends: after all its cases, when its interval is narrow, or when it is certain on a side of a bar."""
_ALIKE: frozenset[End] = frozenset({"all", "width"})


def _ends(score: ModelScore) -> frozenset[End]:
    """Return when the runs of a model end.

    What ends a run at a bar is its result, so that a difference between two models would be found too often. Of whole
    runs, and of runs that both end at a width, it is found as often as tests say, or nearly
    (docs/decisions/evidence.md).
    """
    draws = (outcome.draw for rate in score.rates.values() for outcome in rate.outcomes)
    return frozenset("all" if draw is None else "width" if draw.bar is None else "bar" for draw in draws)


Cases = Mapping[tuple[str, Case], Outcome]
"""(set-up, case) -> outcome of a level metric."""


def by_case(outcomes: Sequence[Outcome]) -> Cases:
    """Return the outcomes of level metrics by case, with a score or without one."""
    return {(outcome.whole_setup, outcome.case): outcome for outcome in outcomes if outcome.is_level}
