"""Any model that litellm reaches, as a HELM client that keeps token usage and cost and takes custom endpoints.

Stands in for HELM's own LiteLLM client and shares its cache entries: the cache key is HELM's.
"""

# ruff: noqa: E402

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from helm_impactbench.llm.litellm_settings import LEAN_PATH_VARIABLE, prepare_litellm

prepare_litellm()  # litellm reads its switches when it is imported, which HELM's client does

import litellm
from helm.clients.client import CachingClient
from helm.clients.litellm_client import LiteLLMCompletionClient
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Thinking, wrap_request_time

from helm_impactbench.helm.patches import litellm_costs
from helm_impactbench.helm.request_cache import HelmCache
from helm_impactbench.llm import unpriced
from helm_impactbench.llm.batch.deferred_call import wait_for_batch
from helm_impactbench.llm.credentials import Credentials
from helm_impactbench.llm.failures import TransientCallError
from helm_impactbench.llm.http_client import thread_client
from helm_impactbench.llm.limits.rate_limiter import traffic
from helm_impactbench.llm.litellm_wire import wire_request
from helm_impactbench.llm.prices import Price, charged, is_listed, known_price
from helm_impactbench.llm.secrets import (
    data_without_secrets,
    remember,
    remember_named,
    remember_url,
    without_user,
)

litellm.suppress_debug_info = True
litellm.telemetry = False
litellm_costs()

TIMEOUT_VARIABLE = "IMPACTBENCH_TIMEOUT"
DEFAULT_TIMEOUT = 300.0
"""Seconds."""

KEPT = "impactbench"
"""Where the cost stands in a cached response; HELM's own client passes over it."""


class LiteLLMClient(LiteLLMCompletionClient):
    """Client for `litellm/<provider>/<model>` and for custom endpoints in HELM's model_deployments.yaml."""

    meets_traffic = True
    """Limits and budget are met where a call is made, and not where its answer may come from the cache."""

    def __init__(
        self,
        cache_config: CacheConfig,
        lock_file_path: str,
        litellm_model: str,
        api_base: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        input_cost_per_token: float | None = None,
        output_cost_per_token: float | None = None,
    ) -> None:
        """Create a client; `cache_config` and `lock_file_path` come from HELM, the rest from client_spec.args.

        litellm_model: what litellm calls the model, for example `openai/gpt-4o`.
        api_base: base URL of an endpoint of your own, for example `http://127.0.0.1:8000/v1`.
        api_key_env: the environment variable that holds its key; the provider's usual variable when unset.
        headers: HTTP headers to add; `$NAME` in a value stands for an environment variable.
        extra: further parameters of litellm.completion, for example {"reasoning_effort": "low"}.
        input_cost_per_token, output_cost_per_token: US dollars, where litellm knows no price or yours is another.
        """
        super().__init__(cache_config=cache_config, litellm_model=litellm_model)
        self.cache = HelmCache(cache_config)
        self._api_base = api_base
        self._extra = dict(extra or {})
        remember_named(self._extra)
        self._transport = _transport(litellm_model, Path(lock_file_path).parent.parent, api_base, api_key_env, headers)
        self._own_client = _shares_path(litellm_model)
        self._price = _own_price(input_cost_per_token, output_cost_per_token)
        self._list_price = known_price(litellm_model)
        self._litellm_reckons = self._price is None and is_listed(litellm_model)

    def make_request(self, request: Request) -> RequestResult:
        """Answer from the cache or from the provider. Raises the provider's errors unchanged."""
        if request.embedding or request.echo_prompt or request.num_completions != 1:
            return super().make_request(request)  # not used by us; HELM's own handling and errors
        raw: dict[str, Any] = {**self._make_raw_request(request)}
        key = self._cache_key(raw, request)

        def compute() -> dict[str, Any]:
            asked = wire_request(raw, request)
            wait_for_batch(request.model_deployment, key, asked, self.cache.config)
            wire = {**asked, **self._extra}
            with traffic().call(request.model_deployment, wire, self._price or self._list_price) as call:
                with nullcontext() if self._litellm_reckons else unpriced.without_price():
                    answer = _complete({**wire, **self._transport}, self._price, self._own_client)
                call.answered(_tokens(answer), answer[KEPT]["cost_usd"])
            return answer

        response, cached = self.cache.get(key, wrap_request_time(compute))
        return _result(response, cached)

    def outside(self) -> tuple[Mapping[str, Any], Mapping[str, Any], Price | None]:
        """Return what a batch needs: (way to the provider, own parameters, own price). The first two hold secrets."""
        return self._transport, self._extra, self._price

    def _cache_key(self, raw: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
        """Return HELM's key, and more only where HELM has no word for what changes the answer."""
        key = dict(CachingClient.make_cache_key(raw, request))
        if request.response_format and request.response_format.json_schema:
            key["response_format"] = request.response_format.json_schema
        if self._api_base:
            key["api_base"] = without_user(self._api_base)
        if self._extra:
            key["extra"] = data_without_secrets(self._extra)
        return key


def _own_price(prompt: float | None, completion: float | None) -> Price | None:
    return None if prompt is None or completion is None else Price(prompt, completion)


def _transport(
    model: str, local_path: Path, api_base: str | None, api_key_env: str | None, headers: Mapping[str, str] | None
) -> dict[str, Any]:
    """Return the part of a call that is about the way to the provider. Holds the key: never logged or cached."""
    key = os.environ.get(api_key_env) if api_key_env else Credentials(local_path).key_for(model.split("/")[0], model)
    transport: dict[str, Any] = {
        "timeout": float(os.environ.get(TIMEOUT_VARIABLE, DEFAULT_TIMEOUT)),
        "max_retries": 0,  # the one retry policy is models/caller.py
        "drop_params": True,
    }
    if api_base:
        transport["api_base"] = api_base
        transport["api_key"] = key or "none"  # local servers want no key, but the SDKs insist on one
    elif key:
        transport["api_key"] = key
    if headers:
        transport["extra_headers"] = {name: os.path.expandvars(value) for name, value in headers.items()}
    remember_url(api_base or "")
    remember([key, *transport.get("extra_headers", {}).values()])
    return transport


def _complete(wire: Mapping[str, Any], price: Price | None, own_client: bool) -> dict[str, Any]:
    own = {"client": thread_client()} if own_client else {}
    response = litellm.completion(**wire, **own)
    dumped: dict[str, Any] = data_without_secrets(response.model_dump(mode="json"))
    if not dumped.get("choices"):
        raise TransientCallError("the answer holds no choice")
    dumped[KEPT] = {"cost_usd": charged(response) if price is None else _priced(price, dumped)}
    return dumped


def _priced(price: Price, response: Mapping[str, Any]) -> float:
    counts = response.get("usage") or {}
    return price.of(int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0))


def _tokens(response: Mapping[str, Any]) -> int:
    return int((response.get("usage") or {}).get("total_tokens") or 0)


def _shares_path(model: str) -> bool:
    """Return whether litellm sends this provider's calls over the HTTP path that takes a client of ours."""
    try:
        provider = litellm.get_llm_provider(model)[1]
    except Exception:  # litellm raises bare Exception for a name that it does not know; the call will say so
        return False
    return os.environ.get(LEAN_PATH_VARIABLE) == "True" and (
        provider == "openai" or provider in litellm.openai_compatible_providers
    )


def _result(response: Mapping[str, Any], cached: bool) -> RequestResult:
    choice = response["choices"][0]
    message = choice.get("message") or {}
    reasoning = message.get("reasoning_content")
    return RequestResult(
        success=True,
        cached=cached,
        request_time=response.get("request_time"),
        request_datetime=response.get("request_datetime"),
        completions=[
            GeneratedOutput(
                text=message.get("content") or "",
                logprob=0.0,
                tokens=[],
                finish_reason={
                    "reason": _finish_reason(choice, message),
                    "usage": _usage(response),
                    "model": response.get("model"),
                },
                thinking=Thinking(text=reasoning) if isinstance(reasoning, str) else None,
            )
        ],
        embedding=[],
    )


def _finish_reason(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    if not message.get("content") and message.get("tool_calls"):
        return "tool call instead of text"
    if not message.get("content") and message.get("refusal"):
        return "refusal"
    return str(choice.get("finish_reason") or "unknown")


def _usage(response: Mapping[str, Any]) -> dict[str, Any]:
    counts = response.get("usage") or {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    cost = (response.get(KEPT) or {}).get("cost_usd")
    counted = isinstance(prompt, int) and isinstance(completion, int) and prompt + completion > 0
    return {
        "calls": 1,
        "prompt_tokens": prompt if counted else 0,
        "completion_tokens": completion if counted else 0,
        "cost_usd": cost or 0.0,
        "uncounted_calls": 0 if counted else 1,
        "unpriced_calls": 1 if cost is None else 0,
    }
