"""Admission of calls: when rate limits and the budget let a call go to its provider."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.budget import Budget, Charge, budget_from_environment
from helm_impactbench.llm.limits.circuit import circuit
from helm_impactbench.llm.limits.probe import ready_for_calls
from helm_impactbench.llm.limits.rate_limiter import RateLimiters, TokenReservation
from helm_impactbench.llm.limits.settings import read_limits
from helm_impactbench.llm.prices import FREE, Price, most, usual_prompt_tokens
from helm_impactbench.process.control_file import ControlWatch
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shared_state import (
    FAILING,
    PAID_USD,
    STOPPED,
    WAITING_FOR,
    counted_in,
    on_its_way,
    waiting,
)

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
    """Lets calls begin when rate limits and the budget allow it, and nobody has paused the run."""

    def __init__(self, limiters: RateLimiters, budget: Budget, control: ControlWatch | None = None) -> None:
        self._limiters, self.budget = limiters, budget
        self.control = control or ControlWatch(None)

    @contextmanager
    def call(self, deployment: str, wire: Mapping[str, Any], price: Price | None) -> Iterator[AdmittedCall]:
        """Wait until a call may be made, and note what it took. Raises BudgetError, StoppedError, FatalCallError.

        `price` is None when it is unknown.
        """
        tokens = usual_prompt_tokens(wire) + _EXPECTED_ANSWER_TOKENS
        limiter = self._limiters.of(deployment)
        most_usd = most(price, wire) if price else None
        with ExitStack() as held:
            with waiting():
                with counted_in(WAITING_FOR["an answer to the first question"]):
                    ready_for_calls()
                with counted_in(WAITING_FOR[FAILING]):
                    held.enter_context(circuit(deployment).attempt(STOPPED))
                self.control.wait_while_paused(STOPPED)
                with counted_in(WAITING_FOR["a rate limit"]):
                    reservation = (
                        held.enter_context(limiter.reserved(tokens, STOPPED)) if limiter else TokenReservation(tokens)
                    )
                # The budget last: what a killed process has reserved counts as paid, so it is to be on the wire.
                self.control.wait_while_paused(STOPPED)  # asked for while this call waited for its turn
                with counted_in(WAITING_FOR["the budget"]):
                    charge = held.enter_context(self.budget.reserved(deployment, most_usd, STOPPED))
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
            control = ControlWatch(run.suite_folder if run.takes_requests else None)
            budget = Budget(run.suite_folder, budget_from_environment(), lambda: control.now().budget_usd)
            _ADMISSIONS[process] = Admission(limiters, budget, control)
        return _ADMISSIONS[process]


def count_for(suite: Path, most_usd: float | None) -> None:
    """Let this process's calls count for a suite that its command line does not name. Raises SettingError.

    `most_usd` is the suite's budget; that of the environment when None.
    """
    with _LOCK:
        limiters = RateLimiters(read_limits(this_run().local_path), _share)
        _ADMISSIONS[os.getpid()] = Admission(limiters, Budget(suite, most_usd or budget_from_environment()))


def take_share(share: float) -> None:
    """Give this process a part of the limits; called by workers before their first call."""
    global _share
    _share = share


@contextmanager
def unmetered_call(deployment: str, wire: Mapping[str, Any], *, free: bool = False) -> Iterator[None]:
    """Admit a call whose client reports neither tokens nor price; `wire` has its messages and max_tokens.

    free: it costs nothing, as its user says.
    """
    with on_its_way(), admission().call(deployment, wire, FREE if free else None) as call:
        yield
        if free:
            call.answered(0, 0.0)
