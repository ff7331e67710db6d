"""Pass rates with everything that makes them readable: how many, what is missing, how sure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered, design_effect
from helm_impactbench.stats.intervals import (
    UNKNOWN,
    Interval,
    cluster_interval,
    mean_of_means,
    same_groups_interval,
    two_level_interval,
    wilson,
)

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Rate:
    """The pass rate of some conversations of one model."""

    outcomes: tuple[Outcome, ...]

    @property
    def conversations(self) -> int:
        """All conversations, scored or not."""
        return len(self.outcomes)

    @cached_property
    def scored(self) -> tuple[Outcome, ...]:
        """Conversations with a verdict: the denominator."""
        return tuple(outcome for outcome in self.outcomes if outcome.passed is not None)

    @cached_property
    def passed(self) -> int:
        """Conversations that pass."""
        return sum(bool(outcome.passed) for outcome in self.scored)

    @cached_property
    def unscored(self) -> Mapping[str, int]:
        """Conversations without a verdict by reason."""
        return Counter(outcome.unscored for outcome in self.outcomes if outcome.unscored is not None)

    @property
    def value(self) -> float:
        """Share of scored conversations that pass; nan when none is scored."""
        return self.passed / len(self.scored) if self.scored else math.nan

    @property
    def worst_case(self) -> float:
        """The rate if every unscored conversation failed; nan without any conversation."""
        return self.passed / self.conversations if self.outcomes else math.nan

    @property
    def best_case(self) -> float:
        """The rate if every unscored conversation passed; nan without any conversation."""
        return (self.passed + self.conversations - len(self.scored)) / self.conversations if self.outcomes else math.nan

    @cached_property
    def clusters(self) -> Clusters:
        """The verdicts (1 passed, 0 failed) by base scenario."""
        return clustered((outcome.cluster, float(bool(outcome.passed))) for outcome in self.scored)

    @cached_property
    def interval(self) -> Interval:
        """95% interval: Wilson's for a single metric, otherwise from the cluster bootstrap over base scenarios."""
        if len({outcome.metric for outcome in self.scored}) == 1:
            return wilson(self.passed, len(self.scored))
        return cluster_interval(self.clusters) if self.scored else UNKNOWN

    @property
    def design_effect(self) -> float:
        """Variance over that of independent conversations; nan where it cannot be told."""
        return design_effect(self.clusters) if self.scored else math.nan


@dataclass(frozen=True)
class ModelScore:
    """One model over several benchmarks."""

    model: str
    rates: Mapping[str, Rate]
    """Benchmark's slug -> rate."""

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
        """95% interval for benchmarks like these: two levels, benchmark and base scenario."""
        return two_level_interval(self.groups)

    @cached_property
    def same_benchmarks_interval(self) -> Interval:
        """95% interval for these very benchmarks with other base scenarios."""
        return same_groups_interval(self.groups)

    @property
    def total(self) -> Rate:
        """All its conversations, of whatever benchmark."""
        return Rate(tuple(outcome for rate in self.rates.values() for outcome in rate.outcomes))


def model_scores(outcomes: Iterable[Outcome]) -> list[ModelScore]:
    """Return the score of every model, best first; equal ones by name."""
    by_model = grouped(outcomes, lambda outcome: outcome.model)
    scores = [
        ModelScore(model, {slug: Rate(tuple(own)) for slug, own in by_benchmark(found).items()})
        for model, found in by_model.items()
    ]
    return sorted(scores, key=lambda score: (-score.mean if score.groups else math.inf, score.model))


def by_benchmark(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each benchmark, sorted by slug."""
    return dict(sorted(grouped(outcomes, lambda outcome: outcome.benchmark).items()))


def grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], Key]) -> dict[Key, list[Outcome]]:
    """Return outcomes by key, in order of first occurrence."""
    groups: dict[Key, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome), []).append(outcome)
    return groups


def models_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the models that occur, sorted."""
    return sorted({outcome.model for outcome in outcomes})
