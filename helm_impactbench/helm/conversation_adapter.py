"""HELM adapter "conversation": one request per instance, to the deployment that holds conversations with the target."""

from __future__ import annotations

from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.adapters.adapter import Adapter
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.common.request import Request
from pydantic import BaseModel

from helm_impactbench.helm.deployments import CONVERSATION_PREFIX
from helm_impactbench.results.record import case_in

ADAPT_CONVERSATION = "conversation"


class ConversationAdapter(Adapter):
    """Puts the plan of a conversation into a HELM request, as JSON in the prompt."""

    prefix = CONVERSATION_PREFIX
    """Before the target's deployment: the deployment that holds the conversation."""

    @staticmethod
    def plan_of(instance: Instance) -> BaseModel:
        """Return what is to be held."""
        return case_in(instance.extra_data).plan

    def __init__(self, adapter_spec: AdapterSpec, tokenizer_service: TokenizerService) -> None:
        # Not HELM's own: nothing is truncated here, so no tokenizer of the target has to be loaded.
        self.adapter_spec = adapter_spec

    def adapt(self, instances: list[Instance], parallelism: int) -> list[RequestState]:
        """Return one request state per instance, in order."""
        return [self._state(instance) for instance in instances]

    def _state(self, instance: Instance) -> RequestState:
        request = Request(
            model_deployment=f"{self.prefix}{self.adapter_spec.model_deployment}",
            model=self.adapter_spec.model,
            prompt=self.plan_of(instance).model_dump_json(exclude_defaults=True, indent=2),
            temperature=self.adapter_spec.temperature,
            max_tokens=self.adapter_spec.max_tokens,
            num_completions=1,
        )
        return RequestState(
            instance=instance,
            reference_index=None,
            request_mode=None,
            train_trial_index=0,
            output_mapping=None,
            request=request,
            result=None,
            num_train_instances=0,
            prompt_truncated=False,
        )


def bare_adapter_spec(method: str, **more: Any) -> AdapterSpec:
    """Return an adapter spec that puts nothing around a request's words: no prefixes, no examples."""
    return AdapterSpec(
        method=method,
        input_prefix="",
        input_suffix="",
        output_prefix="",
        output_suffix="",
        instance_prefix="",
        max_train_instances=0,
        num_outputs=1,
        **more,
    )
