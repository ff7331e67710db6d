"""Rates that several tables or pages show: those of the same conversations are computed once."""

from __future__ import annotations

from helm_impactbench.analysis.rates import Rate
from helm_impactbench.results.outcome import Outcome


class SharedRates:
    """The rates that were asked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], Rate] = {}
        """By the identity of their conversations, which a rate keeps alive: to compare them would take longer."""

    def of(self, outcomes: tuple[Outcome, ...]) -> Rate:
        """Return the rate of these conversations."""
        key = tuple(map(id, outcomes))
        if key not in self._known:
            self._known[key] = Rate(outcomes)
        return self._known[key]
