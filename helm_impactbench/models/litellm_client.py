"""Any model that litellm reaches, as a HELM client that keeps token usage and cost and takes custom endpoints.

Stands in for HELM's own LiteLLM client and shares its cache entries: the cache key is HELM's.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import litellm
from helm.clients.client import CachingClient
from helm.clients.litellm_client import LiteLLMCompletionClient
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Thinking, wrap_request_time

from helm_impactbench.models.credentials import Credentials
from helm_impactbench.models.failures import TransientCallError
from helm_impactbench.models.open_cache import OpenCache

litellm.suppress_debug_info = True
litellm.telemetry = False

TIMEOUT_VARIABLE = "IMPACTBENCH_TIMEOUT"
DEFAULT_TIMEOUT = 300.0
"""Seconds."""

KEPT = "impactbench"
"""Where the cost stands in a cached response; HELM's own client passes over it."""


class LiteLLMClient(LiteLLMCompletionClient):
    """Client for `litellm/<provider>/<model>` and for custom endpoints in HELM's model_deployments.yaml."""

    def __init__(
        self,
        cache_config: CacheConfig,
        lock_file_path: str,
        litellm_model: str,
        api_base: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Create a client; `cache_config` and `lock_file_path` come from HELM, the rest from client_spec.args.

        litellm_model: what litellm calls the model, for example `openai/gpt-4o`.
        api_base: base URL of an endpoint of your own, for example `http://127.0.0.1:8000/v1`.
        api_key_env: the environment variable that holds its key; the provider's usual variable when unset.
        headers: HTTP headers to add; `$NAME` in a value stands for an environment variable.
        extra: further parameters of litellm.completion, for example {"reasoning_effort": "low"}.
        """
        super().__init__(cache_config=cache_config, litellm_model=litellm_model)
        self.cache = OpenCache(cache_config)
        self._api_base = api_base
        self._extra = dict(extra or {})
        self._transport = _transport(litellm_model, Path(lock_file_path).parent.parent, api_base, api_key_env, headers)

    def make_request(self, request: Request) -> RequestResult:
        """Answer from the cache or from the provider. Raises the provider's errors unchanged."""
        if request.embedding or request.echo_prompt or request.num_completions != 1:
            return super().make_request(request)  # not used by us; HELM's own handling and errors
        raw: dict[str, Any] = {**self._make_raw_request(request)}
        key = self._cache_key(raw, request)
        wire = {**_on_the_wire(raw, request), **self._extra, **self._transport}
        response, cached = self.cache.get(key, wrap_request_time(lambda: _complete(wire)))
        return _result(response, cached)

    def _cache_key(self, raw: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
        """Return HELM's key, and more only where HELM has no word for what changes the answer."""
        key = dict(CachingClient.make_cache_key(raw, request))
        if request.response_format and request.response_format.json_schema:
            key["response_format"] = request.response_format.json_schema
        if self._api_base:
            key["api_base"] = self._api_base
        if self._extra:
            key["extra"] = self._extra
        return key


def provider_seed(random: str) -> int:
    """Return the 31-bit seed sent to the provider for HELM's `Request.random`."""
    return int.from_bytes(hashlib.sha256(random.encode()).digest()[:4], "big") & 0x7FFFFFFF


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
    return transport


def _on_the_wire(raw: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Return what is really sent: without the empty fields that some endpoints refuse, with seed and schema."""
    wire = {name: value for name, value in raw.items() if name in ("model", "messages", "temperature", "max_tokens")}
    wire |= {name: raw[name] for name in ("stop", "presence_penalty", "frequency_penalty") if raw[name]}
    if request.random is not None:
        wire["seed"] = provider_seed(request.random)
    schema = request.response_format.json_schema if request.response_format else None
    if schema and litellm.supports_response_schema(model=raw["model"]):
        wire["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        }
    return wire


def _complete(wire: Mapping[str, Any]) -> dict[str, Any]:
    response = litellm.completion(**wire)
    dumped: dict[str, Any] = response.model_dump(mode="json")
    if not dumped.get("choices"):
        raise TransientCallError("the answer holds no choice")
    dumped[KEPT] = {"cost_usd": _cost(response, wire["model"])}
    return dumped


def _cost(response: Any, model: str) -> float | None:
    """Return the cost in US dollars, None when litellm knows no price."""
    try:
        return float(litellm.completion_cost(completion_response=response, model=model)) or None
    except Exception:  # litellm raises bare Exception for a model without a price
        return None


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
