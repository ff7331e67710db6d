"""Providers' limits enforced: calls wait for their rates and for a free place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.process.shared_state import Stop

_BURST_SECONDS = 2.0
"""How much of a rate may be used at once: providers apply their limits per minute to shorter periods."""


class TokenBucket:
    """A rate that reservations use up: whoever comes too early is told how long to wait. A token bucket by virtual
    scheduling, so that waiting threads keep their order and need not look again. Our own, because libraries for rates
    either count one by one, which a million tokens a minute does not allow, or cannot give back what was reserved in
    excess.
    """

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate * _BURST_SECONDS)
        self._level = self._most
        self._seen = time.monotonic()
        self._lock = threading.Lock()

    def reserve(self, amount: float) -> float:
        """Take `amount` and return the seconds until it may be used."""
        with self._lock:
            now = time.monotonic()
            self._level = min(self._most, self._level + (now - self._seen) * self._rate)
            self._seen = now
            self._level -= amount
            return max(0.0, -self._level / self._rate)

    def give_back(self, amount: float) -> None:
        """Return what was reserved and not used; a negative amount was used in addition."""
        with self._lock:
            self._level = min(self._most, self._level + amount)


class TokenReservation:
    """The tokens that a call has reserved, and those that it used in the end."""

    def __init__(self, tokens: float) -> None:
        self.used = tokens


class RateLimiter:
    """The limits of one provider. `share` is this process's part of them when there are several."""

    def __init__(self, limit: Limit, share: float = 1.0) -> None:
        self._places = (
            threading.BoundedSemaphore(max(1, int(limit.max_in_flight * share))) if limit.max_in_flight else None
        )
        self._requests = TokenBucket(limit.requests_per_minute * share) if limit.requests_per_minute else None
        self._tokens = TokenBucket(limit.tokens_per_minute * share) if limit.tokens_per_minute else None

    @contextmanager
    def reserved(self, tokens: float, stopped: Stop) -> Iterator[TokenReservation]:
        """Wait for the rates, then for a free place; the reservation takes the tokens that were really used."""
        reservation = TokenReservation(tokens)
        wait = max(
            self._requests.reserve(1) if self._requests else 0.0,
            self._tokens.reserve(tokens) if self._tokens else 0.0,
        )
        if wait:
            stopped.wait(wait)
        try:
            if self._places:
                with self._places:
                    yield reservation
            else:
                yield reservation
        finally:
            if self._tokens:
                self._tokens.give_back(tokens - reservation.used)


class RateLimiters:
    """All limits of a process."""

    def __init__(self, limits: tuple[Limit, ...], share: float = 1.0) -> None:
        self._limiters = [(limit, RateLimiter(limit, share)) for limit in limits]

    def of(self, deployment: str) -> RateLimiter | None:
        """Return the limiter of a deployment, None when nothing limits it."""
        return next((limiter for limit, limiter in self._limiters if limit.covers(deployment)), None)
