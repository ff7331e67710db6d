"""All that a report says of a suite, computed once. Figures are those of analysis/, never reckoned a second way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from helm_impactbench.analysis.combined.combined import Combined, combine
from helm_impactbench.analysis.comparison import Comparison, ModelPair, compare
from helm_impactbench.analysis.gap_tests import GapTest, gap_tests
from helm_impactbench.analysis.item_analysis import KnownPair, item_analysis
from helm_impactbench.analysis.item_statistics import ItemStatistics
from helm_impactbench.analysis.level_contrasts import LevelContrast, level_contrasts
from helm_impactbench.analysis.matched_sets import without_placebos
from helm_impactbench.analysis.people import (
    AREA,
    GroupRates,
    PeopleGap,
    gaps_of,
    group_rates,
    in_two_ages,
    people_contrasts,
)
from helm_impactbench.analysis.rates import ModelScore, Rate, by_benchmark, grouped, metric_rates, model_scores
from helm_impactbench.analysis.shared_rates import SharedRates
from helm_impactbench.analysis.topics import TopicPair, topic_comparisons, topic_pairs
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.content import UNKNOWN_AREA
from helm_impactbench.outputs.report.contrasts import ModelContrast, ToldGap, by_model, told_gap
from helm_impactbench.outputs.report.names import conversation_id
from helm_impactbench.outputs.report.rows import ReportRow, tags_of
from helm_impactbench.outputs.report.runs import RunPart, Site
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.registry import title_of
from helm_impactbench.tables.names import bare_names

T = TypeVar("T")

RANKED = "impact"
"""The area whose models are ranked; figures of another one are shown separately."""
MOST_ANSWERS = 30
"""Answers that a filter offers; quantities have as many as there are conversations."""


@dataclass(frozen=True)
class Results:
    """A finished suite."""

    site: Site
    parts: tuple[RunPart, ...]
    anchors: KnownPair | None
    """Two models of which it is known how they behave."""
    others: tuple[Outcome, ...] = ()
    """What runs came to whose conversations cannot be read."""
    beside: tuple[Outcome, ...] = ()
    """What reference bots came to, which are not among the models of the suite."""

    @cached_property
    def bots(self) -> dict[str, ModelScore]:
        """Reference bot -> score over what is ranked, highest first."""
        return self._scores(outcome for outcome in self.beside if outcome.area == RANKED and outcome.is_level)

    @cached_property
    def rates(self) -> SharedRates:
        """The rates of models on benchmarks, which many pages show."""
        return SharedRates()

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All conversations, run by run."""
        return [outcome for part in self.parts for outcome in part.outcomes]

    @cached_property
    def by_benchmark(self) -> dict[str, list[Outcome]]:
        """Slug -> conversations."""
        return by_benchmark(self.outcomes)

    @cached_property
    def by_model(self) -> dict[str, list[Outcome]]:
        """Model -> conversations."""
        return grouped(self.outcomes, lambda outcome: outcome.model)

    @cached_property
    def by_area(self) -> dict[str, list[Outcome]]:
        """Impact, safety, capability -> conversations; areas that there are. Nothing is averaged over two of them."""
        return grouped(self.outcomes, lambda outcome: outcome.area)

    @cached_property
    def ranked(self) -> list[Outcome]:
        """The conversations that the ranking of models rests on: each is good or bad by itself, and of one area."""
        return [outcome for outcome in self.by_area.get(RANKED, ()) if outcome.is_level]

    @cached_property
    def contrasting(self) -> list[Outcome]:
        """The conversations of contrast metrics."""
        return [outcome for outcome in self.outcomes if outcome.contrast is not None]

    @cached_property
    def compared(self) -> dict[str, dict[str, ModelContrast]]:
        """Slug -> model -> its contrast metrics together; benchmarks that have any."""
        return {slug: self.listed(by_model(own)) for slug, own in by_benchmark(self.contrasting).items()}

    @cached_property
    def compared_by_metric(self) -> dict[str, dict[str, dict[str, ModelContrast]]]:
        """Slug -> contrast metric's id -> model -> the metric's contrast."""
        return {
            slug: {
                metric: self.listed(by_model(part))
                for metric, part in sorted(grouped(own, lambda o: o.metric_id).items())
            }
            for slug, own in by_benchmark(self.contrasting).items()
        }

    @cached_property
    def comparison(self) -> Comparison:
        """The models that can be ranked, best first."""
        return compare(self.ranked, rate_of=self.rates.of)

    @cached_property
    def scores(self) -> dict[str, ModelScore]:
        """Model -> score over what is ranked, as `listed` has models; those without a single score last, by name."""
        known = {score.model: score for score in self.comparison.scores}
        rest = sorted(set(self.site.models) - set(known))
        return self.listed({**known, **{model: ModelScore(model, {}) for model in rest}})

    def listed(self, by_model: Mapping[str, T]) -> dict[str, T]:
        """Return models in the order of tables: as they are, best first; by name where a judge failed its check."""
        return dict(sorted(by_model.items()) if self.site.judges.failed else by_model)

    @cached_property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow.

        None without a score on every benchmark, and none at all where a judge failed its check.
        """
        if self.site.judges.failed:
            return {}
        found = self._set_apart.ranks
        return {model: found[model] for model, score in self.scores.items() if score.groups and model in found}

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """Model -> letters of its groups of models that do not differ significantly; only models with a rank."""
        found = self._set_apart.letters
        return {model: found[model] for model in self.ranks}

    @cached_property
    def pairs(self) -> list[ModelPair]:
        """The pairs of models that are compared: none where a judge failed, none of an average over unequal people."""
        if self.site.judges.failed:
            return []
        return [pair for pair in self.comparison.pairs if not {pair.first, pair.second} & {*self.people}]

    @cached_property
    def _set_apart(self) -> Comparison:
        """The comparison without models with which people fare differently."""
        return replace(self.comparison, apart=self.people)

    @cached_property
    def by_type(self) -> dict[str, dict[str, ModelScore]]:
        """Type of metric -> model -> score over the ranked conversations on metrics of that type."""
        return {
            kind: self._scores(o for o in self.ranked if o.metric_type == kind) for kind in ("negative", "positive")
        }

    @cached_property
    def subject_areas(self) -> dict[str, dict[str, ModelScore]]:
        """Area of a benchmark of impact -> model -> score over its benchmarks."""
        return {area: scores for area, scores in self.area_parts.items() if "/" not in area}

    @cached_property
    def area_parts(self) -> dict[str, dict[str, ModelScore]]:
        """Area or subarea of impact (physical, physical/health) -> model -> score over its benchmarks."""
        slugs = {outcome.benchmark for outcome in self.ranked}
        parts = {slug: {*info.areas, *info.subareas} for slug, info in self.site.benchmarks.items() if slug in slugs}
        found = {area for own in parts.values() for area in own}
        return {area: self._scores(o for o in self.ranked if area in parts[o.benchmark]) for area in sorted(found)}

    @property
    def has_areas(self) -> bool:
        """Whether the area of any benchmark with a ranked conversation is known."""
        return bool({*self.area_parts} - {UNKNOWN_AREA})

    @cached_property
    def benchmark_scores(self) -> dict[str, dict[str, dict[str, Rate]]]:
        """Impact, safety, capability -> benchmark -> model -> mean score of level metrics."""
        found: dict[str, dict[str, dict[str, Rate]]] = {}
        for (area, slug, model), own in self._level_groups().items():
            found.setdefault(area, {}).setdefault(slug, {})[model] = self.rates.of(tuple(own))
        return found

    def _scores(self, outcomes: Iterable[Outcome]) -> dict[str, ModelScore]:
        return {score.model: score for score in model_scores(outcomes, self.rates.of)}

    def _level_groups(self) -> dict[tuple[str, str, str], list[Outcome]]:
        level = sorted((o for o in self.outcomes if o.is_level), key=lambda o: (o.area != RANKED, o.area, o.benchmark))
        return grouped(level, lambda outcome: (outcome.area, outcome.benchmark, outcome.model))

    @cached_property
    def combined(self) -> Combined:
        """Impact, safety and capability side by side."""
        return combine([*self.outcomes, *self.others], title_of)

    @cached_property
    def gap_tests(self) -> list[tuple[str, str, GapTest]]:
        """Slug, model and test of every gap of the contrast metrics; all are one family, as `contrasts` has them."""
        found = [
            (slug, model, gap, contrast.sets)
            for slug, by_slug in self.compared.items()
            for model, whole in sorted(by_slug.items())
            for contrast in [ModelContrast(tuple(without_placebos(whole.outcomes)))]
            for gap in contrast.gaps
        ]
        tests = gap_tests((gap, sets) for *_, gap, sets in found)
        return [(slug, model, test) for (slug, model, *_), test in zip(found, tests, strict=True)]

    @cached_property
    def metric_gap_tests(self) -> list[tuple[str, str, str, GapTest]]:
        """Slug, metric, model and test of every gap of each contrast metric by itself; one family, as by metric."""
        found = [
            (slug, metric, model, gap, contrast.sets)
            for slug, by_metric in self.compared_by_metric.items()
            for metric, own in by_metric.items()
            for model, contrast in sorted(own.items())
            for gap in contrast.gaps
        ]
        tests = gap_tests((gap, sets) for *_, gap, sets in found)
        return [(slug, metric, model, test) for (slug, metric, model, *_), test in zip(found, tests, strict=True)]

    @cached_property
    def _tests_by_scope(self) -> dict[str, dict[str, list[GapTest]]]:
        found: dict[str, dict[str, list[GapTest]]] = {}
        for slug, model, test in self.gap_tests:
            found.setdefault(slug, {}).setdefault(model, []).append(test)
        for slug, metric, model, test in self.metric_gap_tests:
            found.setdefault(f"{slug}/{metric}", {}).setdefault(model, []).append(test)
        return found

    def told_gap(self, scope: str, model: str, found: ModelContrast) -> ToldGap:
        """Return what tests say of a model's gaps; scope: a benchmark's slug, or slug/metric."""
        return told_gap(found, self._tests_by_scope.get(scope, {}).get(model, ()))

    @cached_property
    def level_contrasts(self) -> list[LevelContrast]:
        """Contrasts of pass rates along every axis, at all levels."""
        return level_contrasts(self.outcomes)

    @cached_property
    def people(self) -> dict[str, tuple[PeopleGap, ...]]:
        """Model -> its significant gaps between groups of people; none where a judge failed its check."""
        return gaps_of(self.people_contrasts)

    @cached_property
    def people_contrasts(self) -> list[LevelContrast]:
        """Contrasts between two groups of people, over all benchmarks; none where a judge failed its check."""
        return [] if self.site.judges.failed else people_contrasts(self.outcomes)

    @cached_property
    def group_rates(self) -> dict[tuple[str, str], GroupRates]:
        """(slug/metric, model) -> the rates with the groups that fare most differently with the model overall.

        None where the metric has one of the groups alone: then the rate of all is that group's.
        """
        aged = in_two_ages([outcome for outcome in self.outcomes if self.people and outcome.area == AREA])
        own = grouped((o for o in aged if o.model in self.people), lambda outcome: (outcome.metric, outcome.model))
        found = {key: group_rates(outcomes, self.people[key[1]][0]) for key, outcomes in own.items()}
        return {key: rates for key, rates in found.items() if rates}

    @cached_property
    def topic_pairs(self) -> Mapping[str, tuple[TopicPair, ...]]:
        """Slug -> every pair of models on the ranked conversations of that benchmark; none where a judge failed."""
        return topic_pairs(self.topics)

    @cached_property
    def topics(self) -> Mapping[str, Comparison]:
        """Slug -> the models on the ranked conversations of that benchmark; none where a judge failed."""
        return {} if self.site.judges.failed else topic_comparisons(self.ranked, self.rates.of)

    @cached_property
    def short_names(self) -> Mapping[str, str]:
        """Model -> name for people without its provider, for charts."""
        return bare_names(self.site.models)

    @cached_property
    def items(self) -> dict[str, ItemStatistics]:
        """slug/metric -> its item analysis, of metrics whose conversations have a score."""
        level = [outcome for outcome in self.outcomes if outcome.is_level]
        return {found.metric: found for found in item_analysis(level, self.anchors)}

    @cached_property
    def metrics(self) -> dict[str, dict[str, Metric]]:
        """Slug -> id -> metric as it was run, in the order of the benchmark's scenarios."""
        found: dict[str, dict[str, Metric]] = {slug: {} for slug in self.site.benchmarks}
        for part in self.parts:
            for metric_id, metric in part.metrics.items():
                found[part.outcomes[0].benchmark].setdefault(metric_id, metric)
        return found

    @cached_property
    def metric_rates(self) -> dict[str, dict[str, Rate]]:
        """slug/metric -> model -> rate."""
        found: dict[str, dict[str, Rate]] = {}
        for model, own in self._rates_by_model.items():
            for metric, rate in own.items():
                found.setdefault(metric, {})[model] = rate
        return found

    @cached_property
    def _rates_by_model(self) -> dict[str, dict[str, Rate]]:
        return {model: metric_rates(self.by_model.get(model, [])) for model in self.site.models}

    def compute_shared(self) -> None:
        """Compute what most pages show, before copies of this process each write some of them."""
        _ = self.by_benchmark, self.by_model, self.scores, self.metric_rates, self.metrics
        _ = self.people, self.level_contrasts, self.items, self.compared, self.compared_by_metric
        _ = self._tests_by_scope, self.topic_pairs, self.group_rates

    @cached_property
    def _aims(self) -> dict[tuple[str, str], str]:
        return {(o.benchmark, o.variant_id): part.aims[o.variant_id] for part in self.parts for o in part.outcomes}

    def rows(self, outcomes: Iterable[Outcome]) -> list[ReportRow]:
        """Return conversations as rows of a list, in their order."""
        return [
            ReportRow(o, conversation_id(o), self.site.conversation(o), self._aims[o.benchmark, o.variant_id])
            for o in outcomes
        ]


def filters(outcomes: Sequence[Outcome], shown: Mapping[str, str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the filters that a list of conversations has use for: (name, [(value, text)]).

    `shown` are the models' names for people.
    """
    values: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        for name, value in tags_of(outcome).items():
            texts = {
                "verdict": value.replace("_", " "),
                "metric": outcome.metric_name,
                "model": shown[outcome.model],
            }
            values.setdefault(name, {})[value] = texts.get(name, group_words(value))
    most = {"answer": MOST_ANSWERS}
    return [(n, sorted(found.items())) for n, found in values.items() if 1 < len(found) <= most.get(n, len(found))]
