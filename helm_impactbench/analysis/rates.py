"""Pass rates with their counts, what is missing, and intervals.

Of level metrics, positive and negative. A contrast has no pass rate: see contrast_metrics.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from helm_impactbench.analysis.sequential import draws_of
from helm_impactbench.results.outcome import Outcome, without_marked, without_ungrounded
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, mean_of_means
from helm_impactbench.stats.population import drawn_parts, drawn_rate_interval
from helm_impactbench.stats.strata import (
    Resemblance,
    alike_interval,
    mean_interval,
    own_resemblances,
    resemblance,
    strata_interval,
    stratum_interval,
)

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Rate:
    """The pass rate of some conversations of one model."""

    outcomes: tuple[Outcome, ...]
    alike: Resemblance | None = field(default=None, repr=False)
    """Of a single metric: how much the values of a base scenario resemble each other, beside the other metrics of its
    benchmark; None if those are not known, and its own alone count."""

    @property
    def conversations(self) -> int:
        """All conversations, scored or not."""
        return len(self.outcomes)

    @cached_property
    def scored(self) -> tuple[Outcome, ...]:
        """Conversations with a score: the denominator."""
        return tuple(outcome for outcome in self.outcomes if outcome.score is not None)

    @cached_property
    def passed(self) -> float:
        """Sum of the scores: the number of conversations that pass, where each passes or fails."""
        return math.fsum(outcome.score for outcome in self.scored if outcome.score is not None)

    @cached_property
    def unscored(self) -> Mapping[str, int]:
        """Conversations without a score by reason; "unclear" and "not_applicable" are two of them."""
        return Counter(outcome.why_missing for outcome in self.outcomes if outcome.why_missing is not None)

    @cached_property
    def missing(self) -> int:
        """Conversations that could have a score and have none; what is not applicable is not missing."""
        return sum(outcome.is_missing for outcome in self.outcomes)

    @property
    def not_applicable(self) -> int:
        """Conversations in which the question did not arise."""
        return self.unscored.get("not_applicable", 0)

    @property
    def value(self) -> float:
        """Mean of the scores of scored conversations, the share that passes; nan when none is scored."""
        return self.passed / len(self.scored) if self.scored else math.nan

    @cached_property
    def not_engaged(self) -> int:
        """Conversations in which the assistant did not take up the request; they are scored, and fail."""
        return sum(not outcome.engaged for outcome in self.scored)

    @cached_property
    def engaged_value(self) -> float:
        """The rate of conversations in which the assistant engaged; nan when there is none."""
        return Rate(tuple(outcome for outcome in self.outcomes if outcome.engaged)).value

    @cached_property
    def ungrounded(self) -> int:
        """Conversations with a vote whose quotes are not in the transcript."""
        return sum(outcome.withheld is not None for outcome in self.outcomes)

    @cached_property
    def grounded_value(self) -> float:
        """The rate if ungrounded votes are withheld; nan when no score is left."""
        return Rate(tuple(without_ungrounded(self.outcomes))).value

    @cached_property
    def marked(self) -> int:
        """Conversations whose simulated user has a fault."""
        return sum(outcome.marked for outcome in self.outcomes)

    @cached_property
    def refused(self) -> int:
        """Conversations whose simulated user's model would not play the person, once or for good."""
        return sum(outcome.refused for outcome in self.outcomes)

    @cached_property
    def unmarked_value(self) -> float:
        """The rate if marked conversations are withheld; nan when no score is left."""
        return Rate(tuple(without_marked(self.outcomes))).value if self.marked else self.value

    @property
    def worst_case(self) -> float:
        """The rate if every missing conversation failed; nan when none could have a score."""
        possible = len(self.scored) + self.missing
        return self.passed / possible if possible else math.nan

    @property
    def best_case(self) -> float:
        """The rate if every missing conversation passed; nan when none could have a score."""
        possible = len(self.scored) + self.missing
        return (self.passed + self.missing) / possible if possible else math.nan

    @property
    def may_stop_early(self) -> bool:
        """Whether some of its runs draw base scenarios until they have seen enough."""
        return any(outcome.draw is not None for outcome in self.outcomes)

    @cached_property
    def clusters(self) -> Clusters:
        """The scores by base scenario."""
        return _clusters(self.scored)

    @cached_property
    def strata(self) -> list[Clusters]:
        """The scores by base scenario, metric by metric."""
        by_metric = grouped(self.scored, lambda outcome: outcome.metric)
        return [_clusters(by_metric[metric]) for metric in sorted(by_metric)]

    @cached_property
    def resemblance(self) -> Resemblance | None:
        """How much the values of a base scenario resemble each other in its metrics; None without a score."""
        return resemblance(self.strata) if self.strata else None

    @cached_property
    def interval(self) -> Interval:
        """95%, for these metrics with other scenarios. Of a run that may stop early it holds whenever that is."""
        if not self.scored:
            return UNKNOWN
        if self.may_stop_early:
            runs = [Rate(tuple(run)) for run in grouped(self.outcomes, lambda outcome: outcome.run).values()]
            if len(runs) > 1:
                return _mean_of_runs([run for run in runs if run.scored])
            return draws_of(self.outcomes).interval()
        if len(self.strata) > 1:
            return strata_interval(self.strata)
        return alike_interval(self.clusters, self.alike) if self.alike else stratum_interval(self.clusters)

    @cached_property
    def like_these_interval(self) -> Interval:
        """95%, for other metrics like these with other scenarios; that of a single metric is `interval`.

        Unknown for a run that may stop early: none is known that holds whenever that is.
        """
        strata = self.strata
        if self.may_stop_early:
            return UNKNOWN
        return drawn_rate_interval([one.mean for one in strata], self.interval, [one.values for one in strata])


@dataclass(frozen=True)
class ModelScore:
    """One model over several benchmarks."""

    model: str
    rates: Mapping[str, Rate]
    """Benchmark's slug -> rate."""

    @property
    def worst_case(self) -> float:
        """The mean if every missing conversation failed; nan when none could have a score."""
        return _mean(rate.worst_case for rate in self.rates.values())

    @property
    def best_case(self) -> float:
        """The mean if every missing conversation passed; nan when none could have a score."""
        return _mean(rate.best_case for rate in self.rates.values())

    @property
    def engaged_mean(self) -> float:
        """The mean over conversations in which the assistant engaged; nan when there is none."""
        return _mean(rate.engaged_value for rate in self.rates.values())

    @property
    def grounded_mean(self) -> float:
        """The mean if ungrounded votes are withheld; nan when no score is left."""
        return _mean(rate.grounded_value for rate in self.rates.values())

    @property
    def unmarked_mean(self) -> float:
        """The mean if marked conversations are withheld; nan when no score is left."""
        return _mean(rate.unmarked_value for rate in self.rates.values())

    @property
    def groups(self) -> list[Clusters]:
        """The clusters of every benchmark that has a scored conversation."""
        return [rate.clusters for rate in self.rates.values() if rate.scored]

    @property
    def mean(self) -> float:
        """Plain mean over benchmarks, as HELM's "Mean score"; nan when nothing is scored."""
        return mean_of_means(self.groups)

    @cached_property
    def interval(self) -> Interval:
        """95%, over scenarios."""
        means, intervals = [rate.value for rate in self._scored], [rate.interval for rate in self._scored]
        return mean_interval(means, intervals, may_stop_early=self.may_stop_early)

    @cached_property
    def like_these_interval(self) -> Interval:
        """95%, for other benchmarks, metrics and scenarios like these; of one benchmark, other metrics are drawn.

        Unknown if a run may stop early: its mean leans, and so would the spread of the means.
        """
        if self.may_stop_early:
            return UNKNOWN
        return drawn_parts([rate.value for rate in self._scored], self._scored, self.interval)

    @property
    def may_stop_early(self) -> bool:
        """Whether some of its runs draw base scenarios until they have seen enough."""
        return any(rate.may_stop_early for rate in self.rates.values())

    @property
    def _scored(self) -> list[Rate]:
        return [rate for rate in self.rates.values() if rate.scored]

    @property
    def total(self) -> Rate:
        """All its conversations, of whatever benchmark."""
        return Rate(tuple(outcome for rate in self.rates.values() for outcome in rate.outcomes))


def metric_rates(outcomes: Iterable[Outcome]) -> dict[str, Rate]:
    """Return the rate of every metric in the outcomes of one model, each beside the others of its benchmark."""
    found: dict[str, Rate] = {}
    for own in by_benchmark(outcomes).values():
        parts = {metric: tuple(part) for metric, part in grouped(own, lambda outcome: outcome.metric).items()}
        strata = {metric: rate.clusters for metric, part in parts.items() if (rate := Rate(part)).scored}
        alike = dict(zip(strata, own_resemblances(list(strata.values())), strict=True)) if strata else {}
        found |= {metric: Rate(part, alike.get(metric)) for metric, part in parts.items()}
    return dict(sorted(found.items()))


def _mean_of_runs(runs: Sequence[Rate]) -> Interval:
    """Return the interval over several runs, some of which may stop early, each by its number of values."""
    sizes = [len(run.scored) for run in runs]
    return mean_interval([run.value for run in runs], [run.interval for run in runs], sizes, may_stop_early=True)


def _clusters(outcomes: Iterable[Outcome]) -> Clusters:
    return clustered((outcome.cluster, outcome.score) for outcome in outcomes if outcome.score is not None)


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


RateOf = Callable[[tuple[Outcome, ...]], Rate]
"""Makes the rate of conversations of one model, such as SharedRates.of."""


def model_scores(outcomes: Iterable[Outcome], rate_of: RateOf = Rate) -> list[ModelScore]:
    """Return the score of every model over its level metrics, best first; equal ones by name, those without last."""
    by_model = grouped((outcome for outcome in outcomes if outcome.is_level), lambda outcome: outcome.model)
    scores = [
        ModelScore(model, {slug: rate_of(tuple(own)) for slug, own in by_benchmark(found).items()})
        for model, found in by_model.items()
    ]
    return sorted(scores, key=lambda score: (-score.mean if score.groups else math.inf, score.model))


def by_area(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each area, sorted. Figures of different areas are never averaged."""
    return dict(sorted(grouped(outcomes, lambda outcome: outcome.area).items()))


def by_benchmark(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each benchmark, sorted by slug."""
    return dict(sorted(grouped(outcomes, lambda outcome: outcome.benchmark).items()))


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return items, such as outcomes, by key, in order of first occurrence."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def models_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the models that occur, sorted."""
    return sorted({outcome.model for outcome in outcomes})
