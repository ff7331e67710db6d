"""One prompt of HELM's as a case: what is asked of the target, and what a judge has to know of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from helm_impactbench.benchmark.areas import REQUEST
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, ConversationPlan
from helm_impactbench.suites.panels.question import JUDGE_PROMPT
from helm_impactbench.suites.panels.reasoning import REFERENCE
from helm_impactbench.suites.panels.table import PanelKind, PanelSuite

PERTURBATION = "perturbation"
"""Axis of a prompt that HELM has changed (data_augmentation)."""
_UNKNOWN = PanelKind("unknown", "Of no known kind", "HELM has no question about prompts of this kind.", "harmful")


def panel_case(
    suite: PanelSuite,
    instance: str,
    prompt: str,
    kind: str = "",
    template: str | None = None,
    perturbation: str = "",
    sample: int = 0,
    factors: Mapping[str, str] = MappingProxyType({}),
    reference: str = "",
) -> ConversationCase:
    """Return the case of one request to the target.

    instance: HELM's id. kind: what HELM chooses the judge's prompt by. template: this prompt, None where HELM has none.
    perturbation: HELM's name of what was done to the prompt, empty for the original. factors: of the
    prompt, besides what is asked for and its kind. reference: a right answer, where one is compared with.
    """
    known = suite.kind(kind)
    means = known or _UNKNOWN
    variant = f"{instance}_{perturbation}" if perturbation else instance
    shown = prompt.strip() or "(blank)"
    return ConversationCase(
        benchmark=suite.slug,
        benchmark_digest=suite.digest,
        metric=suite.benchmark.metric(known.id) if known else _metric(suite),
        scenario=Scenario(
            id=variant,
            metric_id=means.id,
            messages=[shown],
            axes={PERTURBATION: perturbation} if perturbation else {},
            factors={
                **({REQUEST: means.request} if means.request else {}),
                **({"kind": kind} if kind else {}),
                **factors,
            },
            base=kind if suite.clustered and kind else instance,
            view={
                **({} if template is None else {JUDGE_PROMPT: template}),
                **({REFERENCE: reference} if reference else {}),
            },
        ),
        sample=sample,
        plan=ConversationPlan(seed=f"{suite.slug}/{variant}/{sample}", user="", turns=1, messages=(shown,)),
        area=suite.area,
    )


def _metric(suite: PanelSuite) -> Metric:
    measure = suite.benchmark.metrics[0].measure
    return Metric(id=_UNKNOWN.id, name=_UNKNOWN.name, type="positive", definition=_UNKNOWN.definition, measure=measure)
