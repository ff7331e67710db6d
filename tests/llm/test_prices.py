"""What a call costs, and what it may cost at most."""

from __future__ import annotations

from helm_impactbench.llm.prices import Price, batch_price, known_price, most, prompt_tokens
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
