"""Admission of calls: when rate limits and the budget let a call go to its provider."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.budget import Budget, Charge, budget_from_environment
from helm_impactbench.llm.limits.rate_limiter import RateLimiters, TokenReservation
from helm_impactbench.llm.limits.settings import read_limits
from helm_impactbench.llm.prices import Price, most, prompt_tokens
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shared_state import PAID_USD, STOPPED, on_its_way, waiting

_EXPECTED_ANSWER_TOKENS = 300
"""What an answer is assumed to take from a limit of tokens; corrected when it has come."""


class AdmittedCall:
    """A call on its way."""

    def __init__(self, reservation: TokenReservation, charge: Charge) -> None:
        self._reservation, self._charge = reservation, charge

    def answered(self, tokens: int, cost_usd: float | None) -> None:
        """Note what the provider counted: tokens (0 when it does not say) and US dollars (None when unknown)."""
        if tokens:
            self._reservation.used = tokens
        self._charge.set(cost_usd)
        if cost_usd:
            PAID_USD.add(cost_usd)


class Admission:
    """Lets calls begin when rate limits and the budget allow it."""

    def __init__(self, limiters: RateLimiters, budget: Budget) -> None:
        self._limiters, self._budget = limiters, budget

    @contextmanager
    def call(self, deployment: str, wire: Mapping[str, Any], price: Price | None) -> Iterator[AdmittedCall]:
        """Wait until a call may be made, and note what it took. Raises BudgetError, StoppedError.

        `price` is None when it is unknown.
        """
        tokens = prompt_tokens(wire) + _EXPECTED_ANSWER_TOKENS
        limiter = self._limiters.of(deployment)
        most_usd = most(price, wire) if price else None
        with ExitStack() as held:
            with waiting():
                reservation = (
                    held.enter_context(limiter.reserved(tokens, STOPPED)) if limiter else TokenReservation(tokens)
                )
                # The budget last: what a killed process has reserved counts as paid, so it is to be on the wire.
                charge = held.enter_context(self._budget.reserved(deployment, most_usd, STOPPED))
            if STOPPED.is_set():
                raise StoppedError("The run was stopped.")
            yield AdmittedCall(reservation, charge)


_ADMISSIONS: dict[int, Admission] = {}
_LOCK = threading.Lock()
_share = 1.0


def admission() -> Admission:
    """Return this process's admission. Raises SettingError for limits or a budget that cannot be read."""
    with _LOCK:
        process = os.getpid()
        if process not in _ADMISSIONS:
            run = this_run()
            limiters = RateLimiters(read_limits(run.local_path), _share)
            _ADMISSIONS[process] = Admission(limiters, Budget(run.suite_folder, budget_from_environment()))
        return _ADMISSIONS[process]


def take_share(share: float) -> None:
    """Give this process a part of the limits; called by workers before their first call."""
    global _share
    _share = share


@contextmanager
def unmetered_call(deployment: str, wire: Mapping[str, Any]) -> Iterator[None]:
    """Admit a call whose client reports neither tokens nor price; `wire` has its messages and max_tokens."""
    with on_its_way(), admission().call(deployment, wire, None):
        yield
