"""Any model that litellm reaches, as a HELM client that keeps token usage and cost and takes custom endpoints.

Stands in for HELM's own LiteLLM client wherever our runs call a model; the key of an answer in the cache is HELM's.
"""

# ruff: noqa: E402

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm_impactbench.llm.litellm_settings import prepare_litellm
from helm_impactbench.process.collector import collector_off, keep_for_good

prepare_litellm()  # litellm reads its switches when it is imported, which HELM's client does

from helm.clients.client import CachingClient

with collector_off():
    from helm.clients.litellm_client import LiteLLMCompletionClient, LiteLLMCompletionRequest

    keep_for_good()
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Thinking

from helm_impactbench.helm.patches import litellm_clients, litellm_costs
from helm_impactbench.helm.request_cache import HelmCache
from helm_impactbench.helm.tool_request import tools_in
from helm_impactbench.llm.batch.deferred_call import defer_judge_call
from helm_impactbench.llm.cache.request_cache import cache_key
from helm_impactbench.llm.deployment_arguments import checked_arguments
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.litellm_answer import calls_of, finish_reason, usage_of
from helm_impactbench.llm.litellm_wire import wire_request
from helm_impactbench.llm.prices import INPUT_PRICE, OUTPUT_PRICE, own_price
from helm_impactbench.llm.release import seed_alone

litellm_costs()
litellm_clients()


class LiteLLMClient(LiteLLMCompletionClient):
    """Client for `litellm/<provider>/<model>` and for custom endpoints in HELM's model_deployments.yaml."""

    applies_limits = True
    """Limits and budget apply where a call is made, and not where its answer may come from the cache."""
    cache: HelmCache

    def __init__(
        self,
        cache_config: CacheConfig,
        lock_file_path: str,
        litellm_model: str,
        api_base: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        input_cost_per_token: float | str | None = None,
        output_cost_per_token: float | str | None = None,
        takes_schema: bool | None = None,
        release: str | None = None,
    ) -> None:
        """Create a client; `cache_config` and `lock_file_path` come from HELM, the rest from client_spec.args.

        input_cost_per_token, output_cost_per_token: US dollars, where litellm knows no price or yours is another; both
        or none. takes_schema: whether the endpoint takes the JSON schema of an answer, where litellm's table does not
        know or errs. release: of the model as a target, which its requests name (`deployments.release_of`). The others
        are those of `Endpoint`. Raises ModelError for what cannot be a price.
        """
        super().__init__(cache_config=cache_config, litellm_model=litellm_model)
        checked_arguments(
            litellm_model,
            {
                "litellm_model": litellm_model,
                "api_base": api_base,
                "api_key_env": api_key_env,
                "headers": headers,
                "extra": extra,
                INPUT_PRICE: input_cost_per_token,
                OUTPUT_PRICE: output_cost_per_token,
                "takes_schema": takes_schema,
                "release": release,
            },
        )
        self.cache = HelmCache(cache_config)
        self.takes_schema = takes_schema
        self.endpoint = Endpoint(
            litellm_model,
            Path(lock_file_path).parent.parent,
            api_base=api_base,
            api_key_env=api_key_env,
            headers=headers,
            extra=extra,
            price=own_price({INPUT_PRICE: input_cost_per_token, OUTPUT_PRICE: output_cost_per_token}),
        )

    def make_request(self, request: Request) -> RequestResult:
        """Answer from the cache or from the provider. Raises the provider's errors unchanged."""
        if request.embedding or request.echo_prompt or request.num_completions != 1:
            return super().make_request(request)  # not used by us; HELM's own handling and errors
        key, wire = self.key_and_wire(request)
        deployment = request.model_deployment

        def compute() -> dict[str, Any]:
            defer_judge_call(deployment, key, wire, in_files=self.cache.in_files)
            return self.endpoint.call(deployment, wire, call_name(key))

        answer, cached = self.cache.get(key, compute)
        return _result(answer, cached)

    def stored(self, request: Request) -> RequestResult | None:
        """Return the answer that the cache has, None where it has none. Nothing is asked for."""
        answer = self.cache.stored(self.key_and_wire(request)[0])
        return _result(answer, True) if answer else None

    def key_and_wire(self, request: Request) -> tuple[Mapping[str, Any], dict[str, Any]]:
        """Return (what the answer is cached under, what goes to litellm).

        The key is HELM's, with more only where HELM has no word for what changes the answer.
        """
        raw: dict[str, Any] = {**self._make_raw_request(request)}
        schema = request.response_format.json_schema if request.response_format else None
        key = {**CachingClient.make_cache_key(raw, request), **self.endpoint.key_parts}
        if schema:
            key["response_format"] = schema
            if self.takes_schema is not None:
                key["takes_schema"] = self.takes_schema
        tools = tools_in(request)
        if tools:
            key["tools"] = list(tools)
        return key, wire_request(raw, seed_alone(request.random), schema, tools, self.takes_schema)

    def _make_raw_request(self, request: Request) -> LiteLLMCompletionRequest:
        """Return HELM's own; it refuses messages of tools, and those without words."""
        if not tools_in(request):
            return super()._make_raw_request(request)
        bare = replace(request, messages=[{"role": "user", "content": "-"}])
        return {**super()._make_raw_request(bare), "messages": request.messages or []}


def call_name(key: Mapping[str, Any]) -> str:
    """Return what names a call to its provider: the same whenever the same answer is asked for."""
    return hashlib.sha256(cache_key(key).encode()).hexdigest()[:32]


def _result(answer: Mapping[str, Any], cached: bool) -> RequestResult:
    message = answer["choices"][0].get("message") or {}
    reasoning = message.get("reasoning_content")
    finish = {
        "reason": finish_reason(answer),
        "usage": usage_of(answer).model_dump(),
        **({"tool_calls": calls} if (calls := calls_of(answer)) else {}),
        "model": answer.get("model"),
        "fingerprint": answer.get("system_fingerprint"),
    }
    return RequestResult(
        success=True,
        cached=cached,
        request_time=answer.get("request_time"),
        request_datetime=answer.get("request_datetime"),
        completions=[
            GeneratedOutput(
                text=message.get("content") or "",
                logprob=0.0,
                tokens=[],
                finish_reason=finish,
                thinking=Thinking(text=reasoning) if isinstance(reasoning, str) else None,
            )
        ],
        embedding=[],
    )
