"""What a call costs, and what it may cost at most, in US dollars."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from helm_impactbench.errors import ModelError
from helm_impactbench.llm.amounts import amount, count
from helm_impactbench.llm.price_list import listed
from helm_impactbench.llm.usage_block import MOST_USD
from helm_impactbench.process.settings import handing_down

_USUAL_BYTES_PER_TOKEN = 3
"""Slightly fewer than a token of running text has."""
_TOKENS_PER_MESSAGE = 16
_TOKENS_OF_FORMATS = 512
"""What providers add to a prompt for tools and schemas of answers; Anthropic's instructions have 346."""
_LIMIT = re.compile(r"max_?(?:\w+_?)?tokens(?:_to_sample)?|num_predict|max_length", re.IGNORECASE)
"""What providers call the limit of an answer: max_completion_tokens, maxOutputTokens, max_new_tokens."""
_THINKING = re.compile(r"(?:thinking_?)?budget(?:_?tokens)?|reasoning_?max_?tokens", re.IGNORECASE)
"""Reasoning that some providers charge in addition."""
_MOST_LIMIT = 10**8
_MOST_PER_TOKEN = 0.1
"""US dollars. The dearest models take a thousandth of it; a price per million tokens, given by mistake, is above it."""
INPUT_PRICE, OUTPUT_PRICE = "input_cost_per_token", "output_cost_per_token"
"""Arguments of a deployment's client_spec, and names in litellm's price list."""


@dataclass(frozen=True)
class Price:
    """US dollars per token, and per call."""

    prompt: float
    completion: float
    call: float = 0.0
    """Of products; models are paid by their tokens alone."""

    def of(self, prompt_tokens: int, completion_tokens: int, calls: int = 1) -> float:
        """Return the price of so many tokens and calls."""
        return prompt_tokens * self.prompt + completion_tokens * self.completion + calls * self.call


FREE = Price(0.0, 0.0)
PRICES_VARIABLE = "IMPACTBENCH_PRICES"
"""JSON: deployment -> US dollars per million tokens of (prompt, answer)."""
MOST_PER_MILLION = 1e6 * _MOST_PER_TOKEN


def stated_price(deployment: str) -> Price | None:
    """Return the price that `impactbench run --price` or --free gives to a deployment, None without one."""
    stated = json.loads(os.environ.get(PRICES_VARIABLE) or "{}").get(deployment)
    return None if stated is None else Price(stated[0] / 1e6, stated[1] / 1e6)


def stated_arguments(deployment: str) -> dict[str, float]:
    """Return that price as arguments of the deployment's client, none without one."""
    price = stated_price(deployment)
    return {} if price is None else {INPUT_PRICE: price.prompt, OUTPUT_PRICE: price.completion}


def stating(prices: Mapping[str, tuple[float, float]]) -> AbstractContextManager[None]:
    """Let deployments have these prices meanwhile, in this process and in those that it starts."""
    before = json.loads(os.environ.get(PRICES_VARIABLE) or "{}")
    return handing_down({PRICES_VARIABLE: json.dumps({**before, **prices})})


def own_price(arguments: Mapping[str, Any]) -> Price | None:
    """Return the price in the arguments of a deployment's client, None where there is none.

    Raises ModelError for what cannot be a price, and for half of one.
    """
    given = {name: arguments.get(name) for name in (INPUT_PRICE, OUTPUT_PRICE)}
    if all(value is None for value in given.values()):
        return None
    prices = {name: amount(value, _MOST_PER_TOKEN) for name, value in given.items()}
    wrong = [f"{name} is {_told(given[name])}" for name, price in prices.items() if price is None]
    if wrong:
        raise ModelError(
            f"{', '.join(wrong)}. Set both {INPUT_PRICE} and {OUTPUT_PRICE}, in US dollars per token, from 0 "
            f"to {_MOST_PER_TOKEN:g}: 2.5e-6 is $2.50 per million tokens, 0 is a server of your own."
        )
    return Price(*(price or 0.0 for price in prices.values()))


def _told(value: object) -> str:
    """Return what stands in the place of a price; no text, which may be a key in the wrong place."""
    if value is None:
        return "missing"
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else "no number"


def is_listed(model: str) -> bool:
    """Return whether litellm's price list has a model, whatever it is billed by."""
    return listed(model) is not None


def known_price(model: str) -> Price | None:
    """Return litellm's list price of a model per token, None when it has none."""
    return _list_price(model)


def batch_price(model: str, own: Price | None) -> Price | None:
    """Return a model's price in a provider's batch, None when it is unknown.

    `own` is the deployment's own price, which is used as it is: whoever states one knows whether batches are cheaper.
    Without one, litellm's price for batches applies; half of its usual price is not assumed.
    """
    if own is not None:
        return own
    return _list_price(model, "_batches")


def _list_price(model: str, kind: str = "") -> Price | None:
    """Return one of the prices that litellm's list has for a model; 0 there means that it is not known."""
    info = listed(model) or {}
    prompt, completion = (amount(info.get(name + kind), _MOST_PER_TOKEN) for name in (INPUT_PRICE, OUTPUT_PRICE))
    return Price(prompt, completion) if prompt and completion else None


def charged(response: Any) -> float | None:
    """Return the cost that litellm has worked out for a response, None when it knows no price or none that can be."""
    return amount((getattr(response, "_hidden_params", None) or {}).get("response_cost"), MOST_USD) or None


def usual_prompt_tokens(wire: Mapping[str, Any]) -> int:
    """Return about how many tokens the prompt has, with the schema of the answer."""
    messages = wire["messages"]
    texts = [*(message["content"] for message in messages), wire.get("response_format") or ""]
    size = sum(len(str(text).encode("utf-8", "replace")) for text in texts)
    return size // _USUAL_BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE * len(messages)


def most_prompt_tokens(wire: Mapping[str, Any]) -> int:
    """Return how many tokens the prompt has at most: one for each byte of the whole request.

    Tokenizers merge bytes and never split them. Rare scripts, stacked accents and symbols do come to one for each.
    """
    whole = json.dumps(wire, ensure_ascii=False, default=str).encode("utf-8", "replace")
    formats = wire.get("response_format") or wire.get("tools") or wire.get("functions")
    return len(whole) + _TOKENS_PER_MESSAGE * len(wire["messages"]) + (_TOKENS_OF_FORMATS if formats else 0)


def most_answer_tokens(wire: Mapping[str, Any]) -> int:
    """Return how many tokens the answer has at most: the largest limit in the request, and a budget of reasoning."""
    parameters = {name: value for name, value in wire.items() if name != "messages"}
    return max(_limits(parameters, _LIMIT), default=0) + max(_limits(parameters, _THINKING), default=0)


def _limits(data: object, name: re.Pattern[str]) -> Iterator[int]:
    """Yield the numbers that stand under a name, at any depth."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if name.fullmatch(str(key)):
                yield count(value, _MOST_LIMIT) or 0
            yield from _limits(value, name)
    elif isinstance(data, list | tuple):
        for item in data:
            yield from _limits(item, name)


def most(price: Price, wire: Mapping[str, Any]) -> float:
    """Return what a call costs at most, in US dollars. The prompt counts a quarter more, because some providers charge
    for keeping it in their cache.
    """
    tokens = 1.25 * price.prompt * most_prompt_tokens(wire) + price.completion * most_answer_tokens(wire)
    return tokens + price.call
