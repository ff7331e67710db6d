"""Tokens and cost of a cached answer."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.llm.litellm_answer import cost_of, priced, usage_of, with_cost
from helm_impactbench.llm.prices import FREE, Price
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -5, "completion_tokens": 9}, "many", [1]])
def test_an_answer_without_a_sound_usage_has_an_unknown_cost(usage: Any) -> None:
    """Unknown is not free, unless nothing is charged."""
    answer = {"usage": usage}
    assert priced(answer, Price(1e-6, 1e-6)) is None
    assert priced(answer, FREE) == 0.0
    assert usage_of(with_cost(answer, None)) == UNKNOWN_USAGE


@pytest.mark.parametrize("kept", [{"cost_usd": -5.0}, {"cost_usd": "much"}, {"cost_usd": float("nan")}, [1], None])
def test_a_cached_cost_that_cannot_be_is_unknown(kept: Any) -> None:
    """A cache may have been written by anything."""
    answer = {"usage": {"prompt_tokens": 1, "completion_tokens": 2}, "impactbench": kept}
    assert cost_of(answer) is None
    assert usage_of(answer) == Usage(calls=1, prompt_tokens=1, completion_tokens=2, unpriced_calls=1)
