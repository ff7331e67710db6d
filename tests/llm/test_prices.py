"""What a call costs, and what it may cost at most."""

from __future__ import annotations

import math
from typing import Any

import pytest

from helm_impactbench.errors import ModelError
from helm_impactbench.llm.prices import FREE, Price, batch_price, known_price, most, own_price, prompt_tokens
from tests.llm.limits.builders import PRICE, WIRE


def test_what_a_call_may_cost_is_never_below_what_it_costs() -> None:
    """The estimate of a prompt is above its tokens in English, Chinese and code, counted by a real tokenizer."""
    import litellm

    for text in (
        "How are you today, my dear friend?",
        "\u4f60\u597d\u4eca\u5929\u8fc7\u5f97\u600e\u4e48\u6837",
        "for i in range(10): print(x[i]['a'])",
        "a" * 50,
    ):
        counted = litellm.token_counter(model="gpt-4o", text=text)
        assert prompt_tokens({"messages": [{"role": "user", "content": text}]}) >= counted
    assert most(PRICE, WIRE) >= PRICE.of(prompt_tokens(WIRE), 100)


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
    with pytest.raises(ModelError, match=r"output_cost_per_token is 'None'. Set both"):
        own_price({"input_cost_per_token": 1e-6})
