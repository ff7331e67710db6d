"""The budget that a suite may not exceed.

It is never exceeded: the most that a call may cost is reserved before the call, which does not begin if spending,
reservations and the call together could exceed the budget. All processes that work on a suite share its reservations.
Those of a process that was killed count in full, because its calls may have been paid for.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from helm_impactbench.errors import FatalCallError, StoppedError, counted, dollars
from helm_impactbench.files.owner_lock import OwnerLock
from helm_impactbench.llm.failures import may_be_billed
from helm_impactbench.llm.limits.spend_log import LOCK_SUFFIX, SPENDING_FILE, ReservedCall, SpendLog
from helm_impactbench.process.settings import number_from
from helm_impactbench.process.shared_state import Stop

BUDGET_VARIABLE = "IMPACTBENCH_MAX_COST_USD"
_MOST_USD = 1e9
_LOOK_AGAIN_SECONDS = 0.2
_LOG = logging.getLogger("helm.impactbench")
_NUMBERS = itertools.count(1)
"""Of this process's calls; no two of them share one."""


class BudgetError(FatalCallError):
    """The next call could exceed the budget."""


def budget_from_environment() -> float | None:
    """Return IMPACTBENCH_MAX_COST_USD in US dollars, None when it is unset or blank. Raises SettingError."""
    return number_from(BUDGET_VARIABLE, 0, _MOST_USD, "an amount in US dollars, for example 25 or 7.50", sign="$")


class Charge:
    """What a call cost."""

    def __init__(self) -> None:
        self.answered = False
        self.usd: float | None = None
        """US dollars of an answer; None when that is unknown."""

    def set(self, usd: float | None) -> None:
        """Note what the answer cost, whatever becomes of it."""
        self.answered, self.usd = True, usd


def _cost_of_failed(error: Exception, charge: Charge) -> float | None:
    """Return the US dollars of a call that has failed, None when nobody knows."""
    if charge.answered:
        return charge.usd
    return None if may_be_billed(error) else 0.0


class Budget:
    """Books what calls cost, and admits them as long as they cannot exceed the budget."""

    def __init__(
        self, suite: Path | None, most_usd: float | None, asked_usd: Callable[[], float | None] = lambda: None
    ) -> None:
        """`suite` is the folder whose calls count together, None for a command that belongs to no suite; `most_usd` is
        the budget, None without one; `asked_usd` returns the one that takes its place at the moment, None without one.
        """
        self._spend_log = SpendLog(suite / SPENDING_FILE if suite else None)
        self._owners = OwnerLock(suite / (SPENDING_FILE + LOCK_SUFFIX)) if suite else None
        self._most, self._asked = most_usd, asked_usd
        self._told: set[str] = set()

    @property
    def most_usd(self) -> float | None:
        """The budget at the moment; None without one."""
        return None if self._most is None else self._asked() or self._most

    def paid_usd(self) -> float:
        """Return what the suite has cost so far, with earlier commands."""
        return self._spend_log.total()

    @contextmanager
    def reserved(self, deployment: str, most_usd: float | None, stopped: Stop) -> Iterator[Charge]:
        """Hold `most_usd` while a call runs, after waiting for calls in flight if only these prevent it, and book the
        charge that the caller sets. A call that is refused is taken to cost nothing, as it does with providers; what
        one cost that was sent and brought no whole answer is unknown.

        Raises BudgetError when the call alone could exceed the budget, and for a call whose price is unknown (None)
        while there is a budget; StoppedError when the run is stopped meanwhile; OSError when nothing can be booked.
        """
        charge = Charge()
        self._spend_log.flush()
        if self._most is None:
            with self._booked_afterwards(deployment, most_usd, charge):
                yield charge
            return
        if most_usd is None:
            raise BudgetError(
                f"{deployment}: its price is unknown, so the budget of {BUDGET_VARIABLE} cannot be kept. Give "
                "input_cost_per_token and output_cost_per_token (0 for a server of your own) in the args of its "
                "client_spec in model_deployments.yaml, or take litellm/<provider>/<model>: HELM's own clients report "
                "no usage. Unset the variable to run without a budget."
            )
        wanted = ReservedCall(deployment, most_usd)
        while (call := self._take(wanted, self.most_usd or self._most)) is None:
            if stopped.wait(_LOOK_AGAIN_SECONDS):
                raise StoppedError("The run was stopped.")
        try:
            yield charge
        except Exception as error:  # anything else ends the process, with the call on its way
            self._spend_log.settle(call, wanted, _cost_of_failed(error, charge))
            raise
        self._spend_log.settle(call, wanted, charge.usd)
        if charge.usd is None:
            self._tell_unknown(deployment)

    @contextmanager
    def _booked_afterwards(self, deployment: str, most_usd: float | None, charge: Charge) -> Iterator[None]:
        """Book a call that no budget limits; one of unknown cost counts in full where its price is known."""
        try:
            yield
        except Exception as error:
            usd = _cost_of_failed(error, charge)
            self._add(deployment, usd, most_usd)
            raise
        self._add(deployment, charge.usd, most_usd if charge.answered else None)

    def _add(self, deployment: str, usd: float | None, most_usd: float | None) -> None:
        if usd or (usd is None and most_usd):
            self._spend_log.add(deployment, (most_usd or 0.0) if usd is None else usd, unknown=usd is None)

    def _take(self, wanted: ReservedCall, budget: float) -> str | None:
        """Reserve a call and return its name, None while calls in flight prevent it."""
        with self._spend_log.alone():
            self._book_lost()
            paid = self._spend_log.total()
            if paid + wanted.most_usd > budget:
                raise self._used_up(wanted, paid, budget)
            held = sum(call.most_usd for call in self._spend_log.on_their_way().values())
            if paid + held + wanted.most_usd > budget:
                return None
            call = f"{self._owners.me() if self._owners else ''}-{next(_NUMBERS)}"
            self._spend_log.reserve(call, wanted.deployment, wanted.most_usd)
            return call

    def _book_lost(self) -> None:
        """Book the calls of processes that have ended in the middle of them: they may have been paid for."""
        if self._owners is None:
            return
        open_calls = self._spend_log.on_their_way()
        alive = {name: self._owners.is_alive(name) for name in {call.partition("-")[0] for call in open_calls}}
        lost = {call: found for call, found in open_calls.items() if not alive[call.partition("-")[0]]}
        for call, found in lost.items():
            self._spend_log.settle(call, found, None)
        if lost:
            number = f"{counted(len(lost), 'call')} {'was' if len(lost) == 1 else 'were'}"
            _LOG.warning(
                f"{number} in flight when another process was killed. The cost is unknown and counts in full "
                f"against the budget: ${sum(call.most_usd for call in lost.values()):,.4f}."
            )

    def _used_up(self, wanted: ReservedCall, paid: float, budget: float) -> BudgetError:
        in_full = self._spend_log.counted_in_full()
        unknown = f", ${in_full:,.4f} of it for calls of unknown cost, counted in full" if in_full else ""
        return BudgetError(
            f"{wanted.deployment}: the budget of {dollars(budget)} ({BUDGET_VARIABLE}) is used up: ${paid:,.4f} are "
            f"paid{unknown}, and the next call may cost ${wanted.most_usd:,.4f}",
            "budget",
        )

    def _tell_unknown(self, deployment: str) -> None:
        if deployment not in self._told:
            self._told.add(deployment)
            _LOG.warning(
                f"{deployment}: an answer came without a possible usage, so what it cost is unknown. Under a "
                "budget such calls count in full, with the most that they may cost."
            )
