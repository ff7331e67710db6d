"""Calls wait for a free place."""

from __future__ import annotations

import threading
import time

from helm_impactbench.llm.limits.rate_limiter import RateLimiter
from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.process.shared_state import Stop


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
