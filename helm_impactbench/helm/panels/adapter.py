"""HELM adapter "answer": HELM's own requests, each with its case, sent to the deployment that survives faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helm.benchmark.adaptation.adapters.generation_adapter import GenerationAdapter
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance
from helm.common.request import Request

from helm_impactbench.helm.deployments import ANSWER_PREFIX
from helm_impactbench.helm.panels.prompts import factors_of, judge_prompt, kind_of, reference_of
from helm_impactbench.llm.release import seed_and_release
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.record import case_data
from helm_impactbench.suites.panels.case import panel_case
from helm_impactbench.suites.panels.table import BY_SLUG, PanelSuite

ADAPT_ANSWER = "answer"
SUITE_KEY, RELEASE_KEY = "panel", "release"
"""Keys of the suite and of the target's release in an instance's extra_data, until the case is there."""


class AnswerAdapter(GenerationAdapter):
    """Adapts as HELM's generation does, so that requests are HELM's to the byte: prefixes, truncation, trials.

    That is why it is not a ConversationAdapter, which puts a plan into the request. A subclass, because HELM's adapters
    are chosen by method and know nothing of each other.
    """

    def adapt(self, instances: list[Instance], parallelism: int) -> list[RequestState]:
        """Return HELM's request states, in order. Ends the program when HELM's prompts for judges cannot be had."""
        seen = Counter[tuple[str | None, str]]()
        return [_with_case(state, seen) for state in super().adapt(instances, parallelism)]


def _with_case(state: RequestState, seen: Counter[tuple[str | None, str]]) -> RequestState:
    instance = state.instance
    perturbation = instance.perturbation.name if instance.perturbation else ""
    sample = seen[instance.id, perturbation]
    seen[instance.id, perturbation] += 1
    marks = instance.extra_data or {}
    suite: PanelSuite = BY_SLUG[marks[SUITE_KEY]]
    kind = kind_of(suite.helm_name, instance)
    prompt = stop_on_error(judge_prompt, suite, instance)
    factors, reference = factors_of(suite.helm_name, instance), reference_of(suite, instance)
    case = panel_case(
        suite, instance.id or "", state.request.prompt, kind, prompt, perturbation, sample, factors, reference
    )
    deployment = f"{ANSWER_PREFIX}{state.request.model_deployment}"
    return replace(
        state,
        instance=replace(instance, extra_data=case_data(case)),
        request=replace(state.request, model_deployment=deployment, **_asked_of(state.request, marks)),
    )


def _asked_of(request: Request, marks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field of a request that names the release; none where none is named: then it is HELM's to the byte."""
    release = marks.get(RELEASE_KEY)
    return {"random": seed_and_release(request.random or "", release)} if release else {}
