"""A rate that is used up by reservations."""

from __future__ import annotations

import pytest

from helm_impactbench.llm.limits.token_bucket import TokenBucket


def test_a_bucket_spreads_what_is_more_than_its_burst() -> None:
    """600 a minute: two seconds' worth at once, then a tenth of a second for each."""
    bucket = TokenBucket(600)
    waits = [bucket.reserve(1) for _ in range(25)]
    assert waits[:20] == [0.0] * 20
    assert waits[-1] == pytest.approx(0.5, abs=0.05)


def test_a_bucket_takes_back_what_was_not_used() -> None:
    """After giving everything back nobody waits."""
    bucket = TokenBucket(60)
    assert bucket.reserve(10) > 5
    bucket.give_back(10)
    assert bucket.reserve(1) == 0
