"""HELM adapter "telling": one request per instance, to the deployment that puts a telling to the target."""

from __future__ import annotations

from functools import wraps

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.adapters.adapter import Adapter
from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.common.request import Request

from helm_impactbench.conversation.helm_adapter import ConversationAdapter
from helm_impactbench.sycophancy.helm_state import DEPLOYMENT_PREFIX, case_in

ADAPT_TELLING = "telling"


class TellingAdapter(ConversationAdapter):
    """Puts the plan of a telling into a HELM request, as JSON in the prompt."""

    def _state(self, instance: Instance) -> RequestState:
        request = Request(
            model_deployment=f"{DEPLOYMENT_PREFIX}{self.adapter_spec.model_deployment}",
            model=self.adapter_spec.model,
            prompt=case_in(instance).plan.model_dump_json(exclude_defaults=True, indent=2),
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
    """Teach HELM's AdapterFactory, which has no registry, the method "telling". Harmless when repeated."""
    original = AdapterFactory.get_adapter
    if getattr(original, "knows_telling", False):
        return

    @wraps(original)
    def get_adapter(adapter_spec: AdapterSpec, tokenizer_service: TokenizerService) -> Adapter:
        if adapter_spec.method == ADAPT_TELLING:
            return TellingAdapter(adapter_spec)
        return original(adapter_spec, tokenizer_service)

    get_adapter.knows_telling = True  # type: ignore[attr-defined]
    AdapterFactory.get_adapter = staticmethod(get_adapter)  # type: ignore[method-assign]
