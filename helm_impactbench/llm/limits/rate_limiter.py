"""What stands between a call and its provider: rate limits and the budget."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from helm.common.request import Request

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.settings import Lanes, Slip, read_limits
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, Budget, Ledger, budget_from_environment
from helm_impactbench.llm.prices import Price, most, prompt_tokens
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shared_state import PAID_USD, STOPPED, on_its_way, waiting

_EXPECTED_ANSWER_TOKENS = 300
"""What is taken from a limit of tokens for an answer before it is there; corrected afterwards."""


class Call:
    """One call on its way."""

    def __init__(self, slip: Slip) -> None:
        self._slip = slip
        self.cost_usd: float | None = None

    def answered(self, tokens: int, cost_usd: float | None) -> None:
        """Note what the provider counted."""
        if tokens:
            self._slip.used = tokens
        self.cost_usd = cost_usd


class Traffic:
    """The calls of this process."""

    def __init__(self, lanes: Lanes, ledger: Ledger, budget: Budget) -> None:
        self._lanes, self._ledger, self._budget = lanes, ledger, budget

    @contextmanager
    def call(self, deployment: str, wire: Mapping[str, Any], price: Price | None) -> Iterator[Call]:
        """Wait until a call may be made, and note what it took. Raises BudgetError, StoppedError.

        `price` is None when it is unknown. A call that fails is taken to have cost nothing, as providers do.
        """
        tokens = prompt_tokens(wire) + _EXPECTED_ANSWER_TOKENS
        lane = self._lanes.of(deployment)
        most_usd = most(price, wire) if price else None
        with ExitStack() as held:
            with waiting():
                held.enter_context(self._budget.reserved(deployment, most_usd, STOPPED))
                slip = held.enter_context(lane.entered(tokens, STOPPED)) if lane else Slip(tokens)
            if STOPPED.is_set():
                raise StoppedError("The run was stopped.")
            call = Call(slip)
            yield call
            # Noted before the reservation is given up, or another call could use the money twice.
            if call.cost_usd:
                self._ledger.add(deployment, call.cost_usd)
                PAID_USD.add(call.cost_usd)


_TRAFFIC: dict[int, Traffic] = {}
_LOCK = threading.Lock()
_share = 1.0


def traffic() -> Traffic:
    """Return this process's traffic. Raises SettingError for limits or a budget that cannot be read."""
    with _LOCK:
        process = os.getpid()
        if process not in _TRAFFIC:
            run = this_run()
            folder = run.suite_folder
            ledger = Ledger(folder / SPENDING_FILE if folder else None)
            _TRAFFIC[process] = Traffic(
                Lanes(read_limits(run.local_path), _share), ledger, Budget(ledger, budget_from_environment())
            )
        return _TRAFFIC[process]


def take_share(share: float) -> None:
    """Give this process a part of the limits; for workers, before their first call."""
    global _share
    _share = share


@contextmanager
def foreign_call(request: Request) -> Iterator[None]:
    """Let a call of one of HELM's own clients through, which tell neither tokens nor price."""
    messages = request.messages or [{"role": "user", "content": request.prompt}]
    wire = {"messages": messages, "max_tokens": request.max_tokens}
    with on_its_way(), traffic().call(request.model_deployment, wire, None):
        yield
