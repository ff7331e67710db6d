"""Admission of calls: when rate limits and the budget let a call go to its provider."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.budget import Budget, budget_from_environment
from helm_impactbench.llm.limits.rate_limiter import RateLimiters, Reservation
from helm_impactbench.llm.limits.settings import read_limits
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.llm.prices import Price, most, prompt_tokens
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shared_state import PAID_USD, STOPPED, on_its_way, waiting

_EXPECTED_ANSWER_TOKENS = 300
"""What an answer is assumed to take from a limit of tokens; corrected when it has come."""


class AdmittedCall:
    """A call on its way."""

    def __init__(self, reservation: Reservation) -> None:
        self._reservation = reservation
        self.cost_usd: float | None = None

    def answered(self, tokens: int, cost_usd: float | None) -> None:
        """Note what the provider counted."""
        if tokens:
            self._reservation.used = tokens
        self.cost_usd = cost_usd


class Admission:
    """Lets calls begin when rate limits and the budget allow it."""

    def __init__(self, limiters: RateLimiters, spend_log: SpendLog, budget: Budget) -> None:
        self._limiters, self._spend_log, self._budget = limiters, spend_log, budget

    @contextmanager
    def call(self, deployment: str, wire: Mapping[str, Any], price: Price | None) -> Iterator[AdmittedCall]:
        """Wait until a call may be made, and note what it took. Raises BudgetError, StoppedError.

        `price` is None when it is unknown. A call that fails is taken to cost nothing, as it does with providers.
        """
        tokens = prompt_tokens(wire) + _EXPECTED_ANSWER_TOKENS
        limiter = self._limiters.of(deployment)
        most_usd = most(price, wire) if price else None
        with ExitStack() as held:
            with waiting():
                held.enter_context(self._budget.reserved(deployment, most_usd, STOPPED))
                reservation = held.enter_context(limiter.reserved(tokens, STOPPED)) if limiter else Reservation(tokens)
            if STOPPED.is_set():
                raise StoppedError("The run was stopped.")
            call = AdmittedCall(reservation)
            yield call
            # Noted before the reservation is given up, or another call could use the money twice.
            if call.cost_usd:
                self._spend_log.add(deployment, call.cost_usd)
                PAID_USD.add(call.cost_usd)


_ADMISSIONS: dict[int, Admission] = {}
_LOCK = threading.Lock()
_share = 1.0


def admission() -> Admission:
    """Return this process's admission. Raises SettingError for limits or a budget that cannot be read."""
    with _LOCK:
        process = os.getpid()
        if process not in _ADMISSIONS:
            run = this_run()
            folder = run.suite_folder
            spend_log = SpendLog(folder / SPENDING_FILE if folder else None)
            limiters = RateLimiters(read_limits(run.local_path), _share)
            _ADMISSIONS[process] = Admission(limiters, spend_log, Budget(spend_log, budget_from_environment()))
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
