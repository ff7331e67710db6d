"""Costs that litellm is spared from reckoning."""

from __future__ import annotations

import litellm
import pytest

from helm_impactbench.helm import patches
from helm_impactbench.llm.litellm_settings import without_cost
from helm_impactbench.llm.prices import charged, is_listed, known_price
from tests.support.openai_server import OpenAIServer


def cost(server: OpenAIServer) -> float | None:
    """Return what litellm says that a call of a model with a known price cost."""
    messages = [{"role": "user", "content": "hello"}]
    return charged(litellm.completion("openai/gpt-4o", messages, api_base=server.url, api_key="sk-x"))


@pytest.mark.filterwarnings("ignore")  # litellm's own
def test_a_cost_is_left_out_where_it_is_asked_for(server: OpenAIServer) -> None:
    """Only there: the next call has its cost again."""
    patches.litellm_costs()
    with without_cost():
        assert cost(server) is None
    price = known_price("openai/gpt-4o")
    assert price is not None
    assert cost(server) == price.of(100, 10)


def test_a_model_that_is_billed_by_the_second_is_listed_all_the_same() -> None:
    """Whatever litellm can reckon, it does."""
    assert is_listed("openai/gpt-4o")
    odd = next(model for model, listed in litellm.model_cost.items() if "input_cost_per_second" in listed)
    assert is_listed(odd)
    assert known_price(odd) is None
    assert not is_listed("openai/my-own-model")
