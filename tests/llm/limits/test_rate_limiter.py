"""Calls wait for their rates and for a free place."""

from __future__ import annotations

import threading
import time

import pytest

from helm_impactbench.llm.limits.rate_limiter import RateLimiter, TokenBucket
from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.process.shared_state import Stop


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


def test_a_limiter_lets_so_many_through_at_once() -> None:
    """With two places, eight threads are never more than two at a time."""
    limiter, lock, now, highest = RateLimiter(Limit(deployments=("a",), max_in_flight=2)), threading.Lock(), [0], [0]

    def work() -> None:
        with limiter.reserved(1, Stop()):
            with lock:
                now[0] += 1
                highest[0] = max(highest[0], now[0])
            time.sleep(0.02)
            with lock:
                now[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert highest == [2]
