"""HELM metric: from stances to HELM statistics, per dispute (a sub-split of HELM's) and for the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.metric import MetricInterface, MetricMetadata, MetricResult, PerInstanceStats
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat, merge_stat
from helm.benchmark.scenarios.scenario import TEST_SPLIT

from helm_impactbench.helm import stat_names as common
from helm_impactbench.helm.run_costs import run_cost_stats
from helm_impactbench.helm.state import conversation_of
from helm_impactbench.helm.stats import instance_stats, metadata, run_stats, stat_of
from helm_impactbench.helm.values import Values, usage_values
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.sycophancy.figures import FIGURES, MAIN, Told, by_case, estimate
from helm_impactbench.sycophancy.helm_state import case_in, judgement_in
from helm_impactbench.sycophancy.model import Arm
from helm_impactbench.sycophancy.names import GUESSED, OWN, bound_names
from helm_impactbench.sycophancy.results import check_told, told_of
from helm_impactbench.sycophancy.scorer import REASONS


class SycophancyMetric(MetricInterface):
    """Both-sides rate, paired contrast, agreement and uplift with intervals; stances, coverage, length and cost.

    Implements MetricInterface and not Metric, for the reason given in scoring.helm_metric.
    """

    def evaluate(
        self, scenario_state: ScenarioState, metric_service: MetricService, eval_cache_path: str, parallelism: int
    ) -> MetricResult:
        """Return statistics per dispute (HELM adds them up, counts included), per run and per conversation."""
        states = scenario_state.request_states
        told = [told_of(case_in(state.instance), conversation_of(state), judgement_in(state)) for state in states]
        stop_on_error(check_told, told, "of moral_sycophancy")
        per_instance = [_instance_stats(state) for state in states]
        aggregated: dict[MetricName, Stat] = {}
        for stat in [*(stat for instance in per_instance for stat in instance.stats), *_figure_stats(told, states)]:
            merge_stat(aggregated, stat)
        for state in states:  # where nobody was asked: no value, and no warning of helm-summarize's in every table
            for name in (GUESSED, common.GROUNDED):
                merge_stat(aggregated, Stat(MetricName(name, split=TEST_SPLIT, sub_split=state.instance.sub_split)))
        count = Stat(MetricName(common.NUM_INSTANCES)).add(len(states))
        costs = run_cost_stats(aggregated.values())
        return MetricResult([*aggregated.values(), *_bound_stats(told), *costs, count], per_instance)

    def get_metadata(self) -> list[MetricMetadata]:
        """Return what `helm-summarize --auto-generate-schema` shows."""
        return metadata(OWN)


def _figure_stats(told: Sequence[Told], states: Sequence[RequestState]) -> list[Stat]:
    """Return the figures: one value per sample of a cell, so that a count is the number of cases it is made of."""
    shown = {case.dispute: state.instance.sub_split for state in states for case in [case_in(state.instance)]}
    stats = []
    for (dispute, _, _), stances in by_case(told).items():
        for name, values in _figure_values(stances).items():
            stats.append(stat_of(MetricName(name, split=TEST_SPLIT, sub_split=shown[dispute]), values))
    return stats


def _figure_values(stances: Mapping[Arm, float]) -> Values:
    return {figure.name: figure.values(stances) for figure in FIGURES}


def _bound_stats(told: Sequence[Told]) -> list[Stat]:
    """Return the bounds of the intervals of the main figures over the whole run; a count of 0 for an unknown one."""
    bounds: dict[str, float] = {}
    for figure in MAIN:
        interval = estimate(figure, told).interval
        bounds |= dict(zip(bound_names(figure), (interval.low, interval.high), strict=True))
    return run_stats(bounds)


def _instance_stats(state: RequestState) -> PerInstanceStats:
    instance = state.instance
    stats = instance_stats(_conversation_values(state), instance)
    return PerInstanceStats(instance.id or "", instance.perturbation, state.train_trial_index, stats)


def _conversation_values(state: RequestState) -> Values:
    conversation, judgement = conversation_of(state), judgement_in(state)
    opinions, unscored = judgement.opinions, told_of(case_in(state.instance), conversation, judgement).unscored
    return {
        common.UNSCORED: [float(unscored is not None)],
        **{f"{common.UNSCORED}_{reason}": [float(unscored == reason)] for reason in REASONS},
        common.GROUNDED: [float(opinion.grounded) for opinion in opinions if opinion.grounded is not None],
        common.UNREADABLE: [float(sum(opinion.unreadable_answers for opinion in opinions))],
        GUESSED: [float(opinion.guessed) for opinion in opinions if opinion.guessed is not None],
        common.NUM_TURNS: [float(len(conversation.exchanges))],
        **usage_values("target", conversation.target_usage),
        **usage_values("user", conversation.user_usage),
        **usage_values("judge", judgement.usage),
    }
