"""Sums of usage."""

from __future__ import annotations

from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage, total


def test_a_sum_has_no_bound() -> None:
    """Two usages that are each as large as one may be can be added."""
    assert total([Usage(prompt_tokens=10**15)] * 2).prompt_tokens == 2 * 10**15


def test_usage_adds_up() -> None:
    """Known and unknown are summed apart."""
    assert total([Usage(calls=1, cost_usd=0.5), UNKNOWN_USAGE]) == Usage(
        calls=2, cost_usd=0.5, uncounted_calls=1, unpriced_calls=1
    )
