"""Sums of usage."""

from __future__ import annotations

from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage, total


def test_usage_adds_up() -> None:
    """Known and unknown are summed apart."""
    assert total([Usage(calls=1, cost_usd=0.5), UNKNOWN_USAGE]) == Usage(
        calls=2, cost_usd=0.5, uncounted_calls=1, unpriced_calls=1
    )
