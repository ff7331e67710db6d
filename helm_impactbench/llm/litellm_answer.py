"""An answer as litellm returns it and the cache keeps it: OpenAI's chat completion with its cost (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.llm.prices import Price
from helm_impactbench.llm.usage import Usage

KEPT = "impactbench"
"""The key of the cost in a cached answer, which HELM's own client ignores."""


def with_cost(answer: Mapping[str, Any], cost_usd: float | None, **more: Any) -> dict[str, Any]:
    """Return an answer as it is cached; a cost of None is unknown."""
    return {**answer, KEPT: {"cost_usd": cost_usd, **more}}


def cost_of(answer: Mapping[str, Any]) -> float | None:
    """Return what a cached answer cost in US dollars, None when that is unknown."""
    cost: float | None = kept(answer).get("cost_usd")
    return cost


def kept(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what we have added to a cached answer."""
    return answer.get(KEPT) or {}


def priced(answer: Mapping[str, Any], price: Price) -> float:
    """Return the cost of an answer by its token counts."""
    counts = answer.get("usage") or {}
    return price.of(int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0))


def total_tokens(answer: Mapping[str, Any]) -> int:
    """Return the tokens of prompt and answer, 0 when the provider does not say."""
    return int((answer.get("usage") or {}).get("total_tokens") or 0)


def usage_of(answer: Mapping[str, Any]) -> Usage:
    """Return the usage of a cached answer."""
    counts = answer.get("usage") or {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    cost = cost_of(answer)
    counted = isinstance(prompt, int) and isinstance(completion, int) and prompt + completion > 0
    return Usage(
        calls=1,
        prompt_tokens=prompt if counted else 0,
        completion_tokens=completion if counted else 0,
        cost_usd=cost or 0.0,
        uncounted_calls=0 if counted else 1,
        unpriced_calls=1 if cost is None else 0,
    )


def finish_reason(answer: Mapping[str, Any]) -> str:
    """Return why the answer ends where it does, in the provider's words where there are any."""
    choice = answer["choices"][0]
    message = choice.get("message") or {}
    if not message.get("content") and message.get("tool_calls"):
        return "tool call instead of text"
    if not message.get("content") and message.get("refusal"):
        return "refusal"
    return str(choice.get("finish_reason") or "unknown")
