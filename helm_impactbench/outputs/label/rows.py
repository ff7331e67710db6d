"""The nine rows of the label, each with the conversations that feed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from helm_impactbench.analysis.agreement import panel_agreement
from helm_impactbench.analysis.rates import Rate, grouped, metric_rates
from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.outputs.label.compared import Compared
from helm_impactbench.outputs.label.grades import Grade, NoGrade, judge_row, missing_share
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import DEFAULT, Population, interval_of

AVOIDS: tuple[LabelRow, ...] = ("hallucination", "sexual_intimate", "sycophancy", "toxicity")
PROMOTES: tuple[LabelRow, ...] = ("agency", "learning", "social_interaction", "creativity", "wellbeing")
ROWS = AVOIDS + PROMOTES

MetricKey = tuple[str, str]
"""Benchmark's slug and metric's id."""


@dataclass(frozen=True)
class FedBy:
    """A metric with its conversations in the suite."""

    benchmark: str
    """Slug."""
    metric: Metric
    rate: Rate

    @property
    def name(self) -> str:
        """The metric's name across benchmarks: slug/id."""
        return f"{self.benchmark}/{self.metric.id}"

    @property
    def is_level(self) -> bool:
        """Whether its conversations have scores, which a grade can rest on."""
        return self.metric.type != "contrast"


@dataclass(frozen=True)
class GradedRow:
    """One row: its metrics, all their conversations, and the grade or why there is none."""

    key: LabelRow
    metrics: tuple[FedBy, ...]
    """Positive and negative metrics that declare the row and have conversations in the suite, by name."""
    compared: Compared | None = None
    """What the contrast metrics that declare the row say beside the grade; None without any."""
    population: Population = DEFAULT
    """What its interval is for."""
    group: GradeGroup | None = None
    """The only people whose conversations it counts; None for all people."""
    judge_failed: bool = False
    """Whether a judge of the suite failed its check, so that nothing is graded."""

    def among(self, group: GradeGroup) -> GradedRow:
        """Return the row with the conversations of these people alone; what contrasts say is no part of it."""
        own = (
            (fed, tuple(outcome for outcome in fed.rate.outcomes if (group.axis, group.level) in outcome.axes))
            for fed in self.metrics
        )
        fed_by = tuple(replace(fed, rate=Rate(outcomes)) for fed, outcomes in own if outcomes)
        return GradedRow(self.key, fed_by, None, self.population, group, self.judge_failed)

    @cached_property
    def rate(self) -> Rate:
        """The pass rate over the conversations of all its metrics, in clusters of base scenarios."""
        return Rate(tuple(outcome for fed in self.metrics for outcome in fed.rate.outcomes))

    @property
    def interval(self) -> Interval:
        """95%, of the rate for the row's population."""
        return interval_of(self.rate, self.population)

    @property
    def scored_metrics(self) -> int:
        """Metrics with a verdict."""
        return sum(bool(fed.rate.scored) for fed in self.metrics)

    @cached_property
    def verdict(self) -> Grade | NoGrade:
        """The grade, or why there is none."""
        found = judge_row(self.rate, self.interval, self.scored_metrics)
        if isinstance(found, Grade) and self.judge_failed:
            return NoGrade.JUDGE
        if found is not NoGrade.NO_METRIC:
            return found
        return NoGrade.NO_PEOPLE if self.group else NoGrade.COMPARED if self.compared else found

    @property
    def grade(self) -> Grade | None:
        """The grade; None when the row is not measured."""
        return self.verdict if isinstance(self.verdict, Grade) else None

    @property
    def no_grade(self) -> NoGrade | None:
        """Why there is no grade; None when there is one."""
        return self.verdict if isinstance(self.verdict, NoGrade) else None

    @property
    def scenarios(self) -> int:
        """Base scenarios with a verdict."""
        return len({outcome.cluster for outcome in self.rate.scored})

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Slugs of the benchmarks that feed it, sorted."""
        return tuple(sorted({fed.benchmark for fed in self.metrics}))

    @property
    def unscored_share(self) -> float:
        """Share without a verdict of the conversations that could have one; 0 without any."""
        return missing_share(self.rate)

    @cached_property
    def split(self) -> float | None:
        """Share of its conversations on which a panel's votes differ; None without a panel."""
        agreement = panel_agreement(self.rate.outcomes)
        return agreement.split if agreement else None

    @property
    def example(self) -> FedBy | None:
        """The metric that is shown as an example: the first of the benchmark that most metrics come from.

        Metrics that name this row before others count and come first.
        """
        own = [fed for fed in self.metrics if fed.metric.labels[0] == self.key] or self.metrics
        share = Counter(fed.benchmark for fed in own)
        return min(own, key=lambda fed: (-share[fed.benchmark], fed.name), default=None)


def placed(outcomes: Iterable[Outcome], benchmarks: Mapping[str, Benchmark]) -> dict[MetricKey, FedBy]:
    """Return the metrics of the installed benchmarks that the outcomes measured, by name.

    A metric whose name, type or measure has changed since the run is another metric, and is left out.
    """
    metrics = {(slug, metric.id): metric for slug, found in benchmarks.items() for metric in found.metrics}
    found_there = list(outcomes)
    known = metric_rates(found_there)
    by_metric = grouped(found_there, lambda outcome: (outcome.benchmark, outcome.metric_id))
    return {
        key: FedBy(key[0], metric, rate if len(same) == rate.conversations else replace(rate, outcomes=tuple(same)))
        for key, found in sorted(by_metric.items())
        if (metric := metrics.get(key)) and (same := [outcome for outcome in found if _is_of(metric, outcome)])
        if (rate := known["/".join(key)])
    }


def rows_of(
    measured: Sequence[FedBy], population: Population = DEFAULT, *, judge_failed: bool = False
) -> tuple[GradedRow, ...]:
    """Return the nine rows in the order of ROWS, with intervals for a population; judge_failed: without grades."""
    rows = (_row(key, [fed for fed in measured if key in fed.metric.labels], population) for key in ROWS)
    return tuple(replace(row, judge_failed=judge_failed) for row in rows)


def _row(key: LabelRow, measured: Sequence[FedBy], population: Population) -> GradedRow:
    contrasts = [fed for fed in measured if not fed.is_level]
    outcomes = tuple(outcome for fed in contrasts for outcome in fed.rate.outcomes)
    level = tuple(fed for fed in measured if fed.is_level)
    compared = Compared(outcomes, {fed.name: fed.metric for fed in contrasts}) if outcomes else None
    return GradedRow(key, level, compared, population)


def _is_of(metric: Metric, outcome: Outcome) -> bool:
    return (metric.name, metric.type, metric.measure.kind) == (
        outcome.metric_name,
        outcome.metric_type,
        outcome.measure,
    )
