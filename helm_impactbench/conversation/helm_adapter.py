"""HELM adapter "conversation": one request per instance, to the deployment that holds conversations with the target."""

from __future__ import annotations

from functools import wraps

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.adapters.adapter import Adapter
from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.common.request import Request

from helm_impactbench.conversation.helm_state import CASE_KEY
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.models.deployments import CONVERSATION_PREFIX

ADAPT_CONVERSATION = "conversation"


class ConversationAdapter(Adapter):
    """Puts the plan of a conversation into a HELM request, as JSON in the prompt."""

    def __init__(self, adapter_spec: AdapterSpec) -> None:
        # Not HELM's own: nothing is truncated here, so no tokenizer of the target has to be loaded.
        self.adapter_spec = adapter_spec

    def adapt(self, instances: list[Instance], parallelism: int) -> list[RequestState]:
        """Return one request state per instance, in order."""
        return [self._state(instance) for instance in instances]

    def _state(self, instance: Instance) -> RequestState:
        case = ConversationCase.model_validate((instance.extra_data or {})[CASE_KEY])
        request = Request(
            model_deployment=f"{CONVERSATION_PREFIX}{self.adapter_spec.model_deployment}",
            model=self.adapter_spec.model,
            prompt=case.plan.model_dump_json(exclude_defaults=True, indent=2),
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


def register_adapter() -> None:
    """Teach HELM's AdapterFactory, which has no registry, the method "conversation". Harmless when repeated."""
    original = AdapterFactory.get_adapter
    if getattr(original, "knows_conversation", False):
        return

    @wraps(original)
    def get_adapter(adapter_spec: AdapterSpec, tokenizer_service: TokenizerService) -> Adapter:
        if adapter_spec.method == ADAPT_CONVERSATION:
            return ConversationAdapter(adapter_spec)
        return original(adapter_spec, tokenizer_service)

    get_adapter.knows_conversation = True  # type: ignore[attr-defined]
    AdapterFactory.get_adapter = staticmethod(get_adapter)  # type: ignore[method-assign]
