"""A rate that is used up by reservations: who comes too early is told how long to wait."""

from __future__ import annotations

import threading
import time

_BURST_SECONDS = 2.0
"""How much of a rate may be used at once; providers look at windows shorter than the minute that they name."""


class TokenBucket:
    """A token bucket by virtual scheduling, so that waiting threads keep their order and none has to look again.

    Our own, because the libraries for rates either count one by one, which a million tokens a minute does not allow, or
    cannot give back what was reserved too much.
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
        """Return what was reserved and not used; a negative amount is used besides."""
        with self._lock:
            self._level = min(self._most, self._level + amount)
