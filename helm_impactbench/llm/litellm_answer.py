"""An answer as litellm returns it and the cache keeps it: OpenAI's chat completion with its cost (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.llm.amounts import amount
from helm_impactbench.llm.prices import FREE, Price
from helm_impactbench.llm.usage import Usage
from helm_impactbench.llm.usage_block import MOST_USD, token_counts

KEPT = "impactbench"
"""The key of the cost in a cached answer, which HELM's own client ignores."""


def with_cost(answer: Mapping[str, Any], cost_usd: float | None, **more: Any) -> dict[str, Any]:
    """Return an answer as it is cached; a cost of None is unknown."""
    return {**answer, KEPT: {"cost_usd": cost_usd, **more}}


def cost_of(answer: Mapping[str, Any]) -> float | None:
    """Return what a cached answer cost in US dollars, None when that is unknown."""
    return amount(kept(answer).get("cost_usd"), MOST_USD)


def kept(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what we have added to a cached answer."""
    found = answer.get(KEPT)
    return found if isinstance(found, Mapping) else {}


def counted(answer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the tokens of (prompt, answer), None when the provider does not say, or says what cannot be true."""
    counts = token_counts(answer.get("usage"))
    return counts if counts and sum(counts) else None


def priced(answer: Mapping[str, Any], price: Price) -> float | None:
    """Return the cost of an answer by its token counts, None when these are unknown and the price is not 0."""
    counts = counted(answer) or ((0, 0) if price == FREE else None)
    return price.of(*counts) if counts else None


def total_tokens(answer: Mapping[str, Any]) -> int:
    """Return the tokens of prompt and answer, 0 when the provider does not say."""
    return sum(counted(answer) or ())


def usage_of(answer: Mapping[str, Any]) -> Usage:
    """Return the usage of a cached answer."""
    counts, cost = counted(answer), cost_of(answer)
    prompt, completion = counts or (0, 0)
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost_usd=cost or 0.0,
        uncounted_calls=0 if counts else 1,
        unpriced_calls=1 if cost is None else 0,
    )


def calls_of(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the calls of tools in an answer: name and arguments of each."""
    calls = (answer["choices"][0].get("message") or {}).get("tool_calls") or ()
    found = (call.get("function") or {} for call in calls)
    return [{"name": str(one.get("name") or ""), "arguments": str(one.get("arguments") or "{}")} for one in found]


def finish_reason(answer: Mapping[str, Any]) -> str:
    """Return why the answer ends where it does, in the provider's words where there are any."""
    choice = answer["choices"][0]
    message = choice.get("message") or {}
    if not message.get("content") and message.get("tool_calls"):
        return "tool call instead of text"
    if not message.get("content") and message.get("refusal"):
        return "refusal"
    return str(choice.get("finish_reason") or "unknown")
