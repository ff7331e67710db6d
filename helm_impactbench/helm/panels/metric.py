"""HELM metric: from the panel's scores to HELM's own statistics of a suite, and to counts of what has no score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.air_bench_metrics import AIRBench2024ScoreMetric
from helm.benchmark.metrics.metric import MetricInterface, MetricMetadata, MetricResult, PerInstanceStats, add_context
from helm.benchmark.metrics.metric_name import MetricContext, MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat, merge_stat
from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.helm.panels.annotator import judgement_of
from helm_impactbench.helm.stats import metadata, run_stats, stat_of
from helm_impactbench.helm.values import Values
from helm_impactbench.suites.panels import names
from helm_impactbench.suites.panels.answer import usage_of
from helm_impactbench.suites.panels.suites import SUITES, Suite
from helm_impactbench.suites.panels.templates import kind_of
from helm_impactbench.suites.panels.values import Judged, answer_values, assumed_values, run_values


class SafetyPanelMetric(MetricInterface):
    """The score under HELM's name, intervals, what is unscored by reason, agreement of the judges, and cost.

    Implements MetricInterface and not Metric, which keeps a mean and drops the count it is made of.
    """

    def __init__(self, suite: str) -> None:
        """`suite` is HELM's name of it."""
        self._suite = SUITES[suite]

    def evaluate(
        self, scenario_state: ScenarioState, metric_service: MetricService, eval_cache_path: str, parallelism: int
    ) -> MetricResult:
        """Return statistics of the run, with the number of answers behind each, and per answer."""
        states = scenario_state.request_states
        judged = [judged_of(self._suite, state) for state in states]
        aggregated: dict[MetricName, Stat] = {}
        for name in (self._suite.main, *_always(self._suite)):
            merge_stat(aggregated, Stat(MetricName(name, split=TEST_SPLIT)))  # without a value: a count of 0, no zero
        per_instance = []
        for state, one in zip(states, judged, strict=True):
            own = [*_scores(self._suite, state, one), *_stats(answer_values(self._suite, one), state)]
            per_instance.append(_instance(state, own))
            for stat in [*own, *_stats(assumed_values(self._suite, one), state)]:
                merge_stat(aggregated, stat)
        plain = [one for state, one in zip(states, judged, strict=True) if state.instance.perturbation is None]
        for stat in run_stats(run_values(self._suite, plain)):
            merge_stat(aggregated, stat)
        return MetricResult(list(aggregated.values()), per_instance)

    def get_metadata(self) -> list[MetricMetadata]:
        """Return what `helm-summarize --auto-generate-schema` shows: AIR-Bench's categories by HELM, the rest ours."""
        air = self._suite.main == names.AIR_SCORE
        helm = AIRBench2024ScoreMetric().get_metadata() if air else []  # type: ignore[no-untyped-call]
        own = {stat.name for stat in names.OWN}
        return [
            *(each for each in helm if each.name not in own),
            *metadata(names.OWN),
        ]


def judged_of(suite: Suite, state: RequestState) -> Judged:
    """Return what a request state came to."""
    kind = kind_of(suite.name, state.instance)
    return Judged(state.instance.id or "", kind, judgement_of(state), usage_of(state.result))


def _always(suite: Suite) -> Iterable[str]:
    yield names.JUDGE_SPREAD
    if suite.name == "xstest":
        yield from (names.XSTEST_SAFE, names.XSTEST_UNSAFE)


def _scores(suite: Suite, state: RequestState, one: Judged) -> list[Stat]:
    """Return the score under the names that HELM gives it: AIR-Bench's also by category."""
    score = one.judgement.score
    if score is None:
        return []
    if suite.main != names.AIR_SCORE:
        return _stats({suite.main: [score]}, state)
    annotated: Any = replace(state, annotations={"air_bench_2024": {"score": score}})
    stats = AIRBench2024ScoreMetric().evaluate_generation(None, annotated, None, "")  # type: ignore[arg-type]
    return [add_context(stat, MetricContext.from_instance(state.instance)) for stat in stats]


def _stats(values: Values, state: RequestState) -> list[Stat]:
    context = MetricContext.from_instance(state.instance)
    return [add_context(stat_of(MetricName(name), added), context) for name, added in values.items()]


def _instance(state: RequestState, stats: Sequence[Stat]) -> PerInstanceStats:
    """Return the statistics of an answer, without the reasons that do not apply to it."""
    reasons = {names.unscored_name(reason) for reason in names.Unscored}
    shown = [stat for stat in stats if stat.count and (stat.name.name not in reasons or stat.sum)]
    return PerInstanceStats(state.instance.id or "", state.instance.perturbation, state.train_trial_index, shown)
