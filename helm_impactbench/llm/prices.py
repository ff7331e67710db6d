"""What a call costs, and what it may cost at most, in US dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BYTES_PER_TOKEN = 3
"""Fewer than a token of running text has with any common tokenizer, so that an estimate is never too low."""
_TOKENS_PER_MESSAGE = 16


@dataclass(frozen=True)
class Price:
    """US dollars per token."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of so many tokens."""
        return prompt_tokens * self.prompt + completion_tokens * self.completion


def is_listed(model: str) -> bool:
    """Return whether litellm's price list has a model, whatever it is billed by."""
    return _listed(model) is not None


def known_price(model: str) -> Price | None:
    """Return litellm's list price of a model per token, None when it has none."""
    info = _listed(model) or {}
    prompt, completion = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    return Price(prompt, completion) if prompt and completion else None


def batch_price(model: str, own: Price | None) -> Price | None:
    """Return a model's price in a provider's batch, None when it is unknown.

    `own` is the deployment's own price, which is used as it is: whoever states one knows whether batches are cheaper.
    Without one, litellm's price for batches applies; half of its usual price is not assumed.
    """
    if own is not None:
        return own
    info = _listed(model) or {}
    prompt, completion = info.get("input_cost_per_token_batches"), info.get("output_cost_per_token_batches")
    return Price(prompt, completion) if prompt and completion else None


def _listed(model: str) -> Mapping[str, Any] | None:
    import litellm  # takes seconds, and commands that only read results use this module

    try:
        info: Mapping[str, Any] = litellm.get_model_info(model)
    except Exception:  # litellm raises bare Exception for a model that it does not know
        return None
    return info


def charged(response: Any) -> float | None:
    """Return the cost that litellm has worked out for a response, None when it knows no price."""
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    return float(cost) if cost else None


def prompt_tokens(wire: Mapping[str, Any]) -> int:
    """Return how many tokens the prompt has at most."""
    messages = wire["messages"]
    return sum(len(str(message["content"]).encode("utf-8", "replace")) for message in messages) // _BYTES_PER_TOKEN + (
        _TOKENS_PER_MESSAGE * len(messages)
    )


def most(price: Price, wire: Mapping[str, Any]) -> float:
    """Return what a call costs at most, with short tokens in the prompt and the longest answer allowed. The prompt
    counts a quarter more, because some providers charge for keeping it in their cache.
    """
    return 1.25 * price.prompt * prompt_tokens(wire) + price.completion * int(wire.get("max_tokens") or 0)
