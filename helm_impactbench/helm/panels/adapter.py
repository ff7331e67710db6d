"""HELM adapter "answer": HELM's own generation adapter, with the requests sent to the deployment that survives faults.

A failed request to a model ends a whole run of HELM's. Everything else is HELM's: prompt, truncation, trials.
"""

from __future__ import annotations

from dataclasses import replace

from helm.benchmark.adaptation.adapters.generation_adapter import GenerationAdapter
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance

from helm_impactbench.helm.panels.client import ANSWER_PREFIX

ADAPT_ANSWER = "answer"


class AnswerAdapter(GenerationAdapter):
    """Adapts as HELM's generation does; only the deployment of the requests differs."""

    def adapt(self, instances: list[Instance], parallelism: int) -> list[RequestState]:
        """Return HELM's request states, in order."""
        return [_sent_to_us(state) for state in super().adapt(instances, parallelism)]


def _sent_to_us(state: RequestState) -> RequestState:
    deployment = f"{ANSWER_PREFIX}{state.request.model_deployment}"
    return replace(state, request=replace(state.request, model_deployment=deployment))
