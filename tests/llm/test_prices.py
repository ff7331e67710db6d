"""What a call costs, and what it may cost at most."""

from __future__ import annotations

import math
from typing import Any

import pytest

from helm_impactbench.errors import ModelError
from helm_impactbench.llm.prices import (
    FREE,
    Price,
    batch_price,
    known_price,
    most,
    most_answer_tokens,
    most_prompt_tokens,
    own_price,
)
from tests.llm.limits.builders import PRICE, WIRE

SCRIPTS = {
    "English": "How are you today, my dear friend? ",
    "letters": "xqzjkvwpmgzxq",
    "digits": "9081726354",
    "code": "for i in range(10): print(x[i]['a'])\n",
    "one letter": "a",
    "blanks": "   \t \n",
    "Chinese": "\u4f60\u597d\u4eca\u5929\u8fc7\u5f97\u600e\u4e48\u6837",
    "Tibetan": "\u0f56\u0f7c\u0f51\u0f0b\u0f61\u0f72\u0f42\u0f0b",
    "cuneiform": "\U00012000\U0001202d\U000120fb\U00012157",
    "stacked accents": "z\u0351\u0326\u035da\u0301\u0316\u0334l\u0360\u0319g\u030b\u0353o\u0308\u0324",
    "symbols": "\u29d1\u2a5a\u2b4d\u2e19\u2307\u23e3\u2422\u2444",
    "punctuation": "!?;:,.-_~^'\"()[]{}<>|/\\@#$%&*+=",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467\U0001f3fd",
    "halves of characters": "\ud83d\udc00x",
}


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("model", ["gpt-4", "gpt-4o"])
def test_what_is_reserved_is_never_below_what_a_prompt_costs(script: str, model: str) -> None:
    """In any script, counted by real tokenizers; the prompt of a call holds what models have written."""
    import litellm

    text = (SCRIPTS[script] * 2000)[:2_000].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    tokens = litellm.token_counter(model=model, text=text)
    wire = {"messages": [{"role": "user", "content": text}]}
    assert most_prompt_tokens(wire) >= tokens
    assert most(PRICE, wire) >= PRICE.of(tokens, 0)


@pytest.mark.parametrize(
    ("parameters", "tokens"),
    [
        ({"max_tokens": 100}, 100),
        ({"max_tokens": 100, "max_completion_tokens": 100_000}, 100_000),
        ({"max_tokens": 100, "max_completion_tokens": 10}, 100),
        ({"max_tokens": 100, "extra_body": {"generationConfig": {"maxOutputTokens": "5000"}}}, 5000),
        ({"max_tokens": 100, "extra_body": [{"max_new_tokens": 300}]}, 300),
        ({"max_tokens": 100, "max_output_tokens": 200, "max_tokens_to_sample": 400}, 400),
        ({"max_tokens": 100, "options": {"num_predict": 700}}, 700),
        ({"max_tokens": 100, "thinking": {"type": "enabled", "budget_tokens": 4000}}, 4100),
        ({"max_tokens": 100, "max_completion_tokens": "many"}, 100),
        ({"max_tokens": None}, 0),
        ({}, 0),
    ],
)
def test_the_largest_limit_of_a_request_is_reserved(parameters: dict[str, Any], tokens: int) -> None:
    """Whatever it is called, and wherever it stands in the parameters of a deployment."""
    wire = {"messages": [{"role": "user", "content": "max_tokens"}], **parameters}
    assert most_answer_tokens(wire) == tokens
    assert most(Price(0.0, 1.0), wire) == tokens


def test_what_a_schema_adds_to_a_prompt_is_reserved() -> None:
    """Providers put instructions of their own beside tools and schemas."""
    plain = most_prompt_tokens(WIRE)
    assert most_prompt_tokens({**WIRE, "response_format": {"type": "json_schema"}}) > plain + 346
    assert most_prompt_tokens({**WIRE, "tools": [{"function": {"name": "x" * 1000}}]}) > plain + 1346


def test_list_prices_are_known_by_name_and_unknown_is_not_zero() -> None:
    """gpt-4o has a list price; an invented model has none."""
    assert known_price("openai/gpt-4o") is not None
    assert known_price("openai/no-such-model-1") is None


def test_half_a_price_is_not_assumed() -> None:
    """A model without a price for batches has none; a deployment's own price is taken as it is."""
    assert batch_price("openai/gpt-4o", None) == Price(1.25e-6, 5e-6)
    assert batch_price("openai/nobody-knows", None) is None
    assert batch_price("openai/nobody-knows", Price(1e-6, 2e-6)) == Price(1e-6, 2e-6)


@pytest.mark.parametrize(
    ("prompt", "completion", "price"),
    [
        pytest.param(None, None, None, id="none"),
        pytest.param(0, 0, FREE, id="a server of one's own"),
        pytest.param(2.5e-6, 1e-5, Price(2.5e-6, 1e-5), id="numbers"),
        pytest.param("1e-6", "2e-6", Price(1e-6, 2e-6), id="what YAML 1.1 reads as text"),
    ],
)
def test_a_deployments_own_price(prompt: Any, completion: Any, price: Price | None) -> None:
    """Numbers and numeric text, both or none."""
    assert own_price({"input_cost_per_token": prompt, "output_cost_per_token": completion}) == price


@pytest.mark.parametrize(
    "value", [-1, math.nan, math.inf, True, 2.5, "nan", "cheap", "9" * 5000, [1]], ids=lambda value: str(value)[:9]
)
def test_what_cannot_be_a_price_is_refused(value: Any) -> None:
    """Negative, infinite, per million tokens, no number: with the name and what is allowed."""
    said = r"input_cost_per_token is .{1,50}. Set both .* in US dollars per token, from 0 to 0\.1"
    with pytest.raises(ModelError, match=said):
        own_price({"input_cost_per_token": value, "output_cost_per_token": 1e-6})


def test_half_a_price_is_refused() -> None:
    """It would be ignored in silence."""
    with pytest.raises(ModelError, match=r"output_cost_per_token is missing. Set both"):
        own_price({"input_cost_per_token": 1e-6})
