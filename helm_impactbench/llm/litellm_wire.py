"""What is sent to litellm for a request, apart from the connection to the provider (pure)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from litellm.utils import supports_prompt_caching

from helm_impactbench.llm.quiet_litellm import litellm

_SAMPLING = ("stop", "presence_penalty", "frequency_penalty")


def wire_request(
    raw: Mapping[str, Any],
    seed: str | None,
    schema: Mapping[str, Any] | None,
    tools: Sequence[Mapping[str, Any]] = (),
    takes_schema: bool | None = None,
) -> dict[str, Any]:
    """Return a request in OpenAI's fields as litellm gets it: without the empty fields that some endpoints refuse, and
    with seed, answer schema, tools and marks for the prompt cache.

    takes_schema: whether the endpoint takes a schema; None where litellm's table is to say.
    """
    model: str = raw["model"]
    wire = {name: raw[name] for name in ("model", "messages", "temperature", "max_tokens") if name in raw}
    wire |= {name: raw[name] for name in _SAMPLING if raw[name]}
    if seed is not None:
        wire["seed"] = provider_seed(seed)
    if schema and (_takes_schema(model) if takes_schema is None else takes_schema):
        wire["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        }
    if tools:
        wire["tools"] = list(tools)
    if _marks_its_cache(model):
        wire["messages"] = marked(wire["messages"], goes_on=not schema)
    return wire


def provider_seed(seed: str) -> int:
    """Return the 31-bit number that is sent to the provider for a seed."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big") & 0x7FFFFFFF


def marked(messages: list[dict[str, Any]], *, goes_on: bool) -> list[dict[str, Any]]:
    """Return messages with marks up to which the provider should keep the prompt for the next call. One is after the
    system prompt, which calls share; in a dialogue that `goes_on`, another is after the newest message, so that the
    next turn finds everything before it. A question that is asked once gets none: keeping it costs a quarter more.
    """
    last = len(messages) - 1
    return [
        _marked(message)
        if message["role"] == "system" or (goes_on and i == last and "tool_call_id" not in message)
        else message
        for i, message in enumerate(messages)
    ]


def _marked(message: dict[str, Any]) -> dict[str, Any]:
    part = {"type": "text", "text": message["content"], "cache_control": {"type": "ephemeral"}}
    return {**message, "content": [part]}


@cache
def _marks_its_cache(model: str) -> bool:
    """Return whether the provider keeps only marked prompts, as for Anthropic's models; others keep all prefixes."""
    return "claude" in model.lower() and supports_prompt_caching(model=model)


@cache
def _takes_schema(model: str) -> bool:
    return bool(litellm.supports_response_schema(model=model))
