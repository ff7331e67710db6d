"""HELM metric: from the panel's verdicts to HELM's statistics."""

from __future__ import annotations

from dataclasses import replace

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.metric import MetricInterface, MetricMetadata, MetricResult, PerInstanceStats
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat, merge_stat
from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.analysis.contrast_metrics import level_means
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.run_values import contrast_values, run_values
from helm_impactbench.helm.state import record_in
from helm_impactbench.helm.stats import instance_stats, metadata, run_cost_stats, run_stats
from helm_impactbench.helm.suite_schema import helm_stats
from helm_impactbench.helm.values import conversation_values
from helm_impactbench.judging.verdict import Unscored
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.suites.registry import suite_named


class ImpactBenchMetric(MetricInterface):
    """Pass rates, coverage, length and cost.

    Implements MetricInterface and not Metric, whose aggregation keeps the mean of every sub-split and drops its count:
    HELM would then average groups of unequal size as equals.
    """

    def __init__(self, benchmark: str, suite: str = "") -> None:
        """`benchmark` is a slug, looked up only when names are asked for; `suite` one whose statistics have more names.

        Where there is one, HELM's own metrics run beside this one, and count instances and tokens.
        """
        self._benchmark = benchmark
        self._suite = suite_named(suite) if suite else None
        self._terms = self._suite and self._suite.terms

    def evaluate(
        self, scenario_state: ScenarioState, metric_service: MetricService, eval_cache_path: str, parallelism: int
    ) -> MetricResult:
        """Return statistics per combination of levels (HELM merges them, counts included) and per conversation."""
        states, model = scenario_state.request_states, scenario_state.adapter_spec.model_deployment
        records = [record_in(state) for state in states]
        outcomes = [outcome_of(record, model=model, setup="") for record in records]
        stop_on_error(check_outcomes, outcomes, f"of {self._benchmark}")
        aggregated: dict[MetricName, Stat] = {}
        for name in self._terms.names(self._benchmark) if self._terms else ():
            merge_stat(aggregated, Stat(MetricName(name, split=TEST_SPLIT)))  # without a value: a count of 0, no zero
        per_instance = [self._instance_stats(state, record) for state, record in zip(states, records, strict=True)]
        bounds = [stat for state, outcome in zip(states, outcomes, strict=True) for stat in _bounds(state, outcome)]
        for stat in [*(stat for instance in per_instance for stat in instance.stats), *bounds]:
            merge_stat(aggregated, stat)
        if not level_means(outcomes):  # dollars and points have no mean: each conversation has its own value alone
            aggregated = {name: stat for name, stat in aggregated.items() if name.name != names.LEVEL_MEAN}
        plain = [o for state, o in zip(states, outcomes, strict=True) if state.instance.perturbation is None]
        totals = [
            *([] if self._suite else _totals(list(aggregated.values()), len(per_instance))),
            *run_stats(run_values(plain)),
            *run_stats(contrast_values(plain)),
            *(Stat(MetricName(name, split=TEST_SPLIT)) for name in _NOT_EVERYWHERE),
            *run_cost_stats(aggregated.values()),
        ]
        return MetricResult([*aggregated.values(), *totals], [_shown(instance) for instance in per_instance])

    def _instance_stats(self, state: RequestState, record: Record) -> PerInstanceStats:
        more = self._terms.values(record) if self._terms else {}
        stats = instance_stats({**conversation_values(record), **more}, state.instance)
        return PerInstanceStats(state.instance.id or "", state.instance.perturbation, state.train_trial_index, stats)

    def get_metadata(self) -> list[MetricMetadata]:
        """Return what `helm-summarize --auto-generate-schema` shows."""
        try:
            own = names.metric_stats(
                self._suite.load(self._benchmark) if self._suite else load_benchmark(self._benchmark)
            )
        except BenchmarkError:  # the run may come from a machine that has the benchmark; the common names still hold
            own = []
        more = helm_stats(self._benchmark) if self._suite else []
        # A generated schema shows every group for every benchmark: the metrics of the others would be empty.
        return metadata([*names.STATS, *own, *more], without_group=[names.BY_METRIC, names.BOOKKEEPING])


_NOT_EVERYWHERE = (*names.CHECKS.values(), names.USER_MARKED, names.USER_REDONE)
"""Statistics that a run has without a value, a count of 0, where no conversation is asked."""


def _bounds(state: RequestState, outcome: Outcome) -> list[Stat]:
    """Return what a conversation adds to the worst and the best case; never shown as a figure of its own."""
    if not outcome.is_level or outcome.status == "not_applicable":
        return []
    values = {
        names.WORST_CASE: [0.0 if outcome.score is None else outcome.score],
        names.BEST_CASE: [1.0 if outcome.score is None else outcome.score],
    }
    return instance_stats(values, state.instance)


def _shown(instance: PerInstanceStats) -> PerInstanceStats:
    """Return the statistics of a conversation without the reasons that do not apply to it."""
    reasons = {names.unscored_name(reason) for reason in Unscored}
    return replace(instance, stats=[s for s in instance.stats if s.name.name not in reasons or s.sum])


def _totals(aggregated: list[Stat], conversations: int) -> list[Stat]:
    """Return the totals that HELM's overview of groups and its cost report look for."""
    sums = {
        names.NUM_PROMPT_TOKENS: sum(s.sum for s in aggregated if s.name.name == "target_prompt_tokens"),
        names.NUM_COMPLETION_TOKENS: sum(s.sum for s in aggregated if s.name.name == "target_completion_tokens"),
    }
    counted = [Stat(MetricName(name)).add(value) for name, value in sums.items() if value]
    return [Stat(MetricName(names.NUM_INSTANCES)).add(conversations), *counted]
