"""Providers' limits at work: calls wait for their rates and for a free place."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.llm.limits.token_bucket import TokenBucket
from helm_impactbench.process.shared_state import Stop


class Reservation:
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
    def reserved(self, tokens: float, stopped: Stop) -> Iterator[Reservation]:
        """Wait for the rates, then for a free place; the reservation takes the tokens that were really used."""
        reservation = Reservation(tokens)
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
