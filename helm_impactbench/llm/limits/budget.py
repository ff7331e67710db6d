"""The budget that a suite may not exceed.

It is never exceeded: the most that a call may cost is reserved before the call, which does not begin if spending,
reservations and the call together could exceed the budget. Processes of one run share their reservations. Runs that are
started separately share only what is paid, and could together exceed it by their calls in flight.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager

from helm_impactbench.errors import FatalCallError, SettingError, StoppedError
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.process.shared_state import Stop

BUDGET_VARIABLE = "IMPACTBENCH_MAX_COST_USD"
_LOOK_AGAIN_SECONDS = 0.2

_reserved = multiprocessing.Value("d", 0.0)
"""US dollars that calls in flight may still cost, in this process and its forked workers."""


class BudgetError(FatalCallError):
    """The next call could exceed the budget."""


def budget_from_environment() -> float | None:
    """Return IMPACTBENCH_MAX_COST_USD in US dollars, None when it is unset or blank. Raises SettingError."""
    text = os.environ.get(BUDGET_VARIABLE, "").strip()
    try:
        value = float(text.removeprefix("$")) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise SettingError(f"{BUDGET_VARIABLE} is {text!r}; allowed: US dollars, for example 25 or 7.50.")
    return value


class Budget:
    """Admits calls as long as they cannot exceed the budget."""

    def __init__(self, spend_log: SpendLog, most_usd: float | None) -> None:
        self._spend_log = spend_log
        self._most = most_usd

    @contextmanager
    def reserved(self, deployment: str, most_usd: float | None, stopped: Stop) -> Iterator[None]:
        """Hold `most_usd` while a call runs, after waiting for calls in flight if only these prevent it. Raises
        BudgetError when the call alone could exceed the budget, and for a call whose price is unknown (None) while
        there is a budget.
        """
        if self._most is None:
            yield
            return
        if most_usd is None:
            raise BudgetError(
                f"{deployment}: its price is unknown, so that the budget of {BUDGET_VARIABLE} cannot be kept. Give "
                "input_cost_per_token and output_cost_per_token (0 for a server of your own) in the args of its "
                "client_spec in model_deployments.yaml, or take litellm/<provider>/<model>: HELM's own clients tell no "
                "usage. Without the variable there is no budget."
            )
        while not self._take(deployment, most_usd):
            if stopped.wait(_LOOK_AGAIN_SECONDS):
                raise StoppedError("The run was stopped.")
        try:
            yield
        finally:
            with _reserved.get_lock():
                _reserved.value = max(0.0, _reserved.value - most_usd)

    def _take(self, deployment: str, most_usd: float) -> bool:
        with _reserved.get_lock():
            paid = self._spend_log.total()
            if paid + most_usd > (self._most or 0.0):
                raise BudgetError(
                    f"{deployment}: the budget of ${self._most:,.2f} ({BUDGET_VARIABLE}) is used up: ${paid:,.4f} are "
                    f"paid, and the next call may cost ${most_usd:,.4f}. Everything finished is kept: raise the budget "
                    "and give the same command again."
                )
            if paid + _reserved.value + most_usd > (self._most or 0.0):
                return False
            _reserved.value += most_usd
            return True
