"""What a suite has paid for, and the budget that it may not pass.

Every call that a provider answered is a line of `spending.jsonl` in the suite's folder: from helm-run, from a Slurm job
or from a later command alike. So the sum is the same after a resume, and a cached call costs nothing again.

The budget is hard: before a call, what it may cost at most is reserved, and the call is not begun when spending,
reservations and that call together could pass the budget. Processes of one run share their reservations; runs that are
started apart share what is paid, and could together pass it by their calls in flight.
"""

from __future__ import annotations

import errno
import json
import math
import multiprocessing
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helm_impactbench.errors import FatalCallError, SettingError, StoppedError
from helm_impactbench.process.shared_state import Stop

BUDGET_VARIABLE = "IMPACTBENCH_MAX_COST_USD"
SPENDING_FILE = "spending.jsonl"
_LOOK_AGAIN_SECONDS = 0.2

_reserved = multiprocessing.Value("d", 0.0)
"""US dollars that calls in flight may still cost, in this process and the workers that are forked from it."""


class BudgetError(FatalCallError):
    """The next call could pass the budget."""


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


class Ledger:
    """The lines of a spending file, added to and summed by any number of processes."""

    def __init__(self, path: Path | None) -> None:
        """`path` is the file; None keeps the sum in memory, for commands that belong to no suite."""
        self._path = path
        self._lock = threading.Lock()
        self._read = 0
        self._total = 0.0

    def add(self, deployment: str, cost_usd: float) -> None:
        """Note what a call cost. The line is written in one piece, so that processes do not mix theirs."""
        if self._path is None:
            with self._lock:
                self._total += cost_usd
            return
        line = json.dumps({"deployment": deployment, "cost_usd": round(cost_usd, 10)}) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        _append(self._path, line.encode())

    def total(self) -> float:
        """Return the US dollars that were paid so far; reads what was added since it was last asked."""
        with self._lock:
            if self._path is not None and self._path.is_file() and self._path.stat().st_size > self._read:
                with self._path.open("rb") as file:
                    file.seek(self._read)
                    new = file.read()
                whole = new[: new.rfind(b"\n") + 1]
                self._read += len(whole)
                self._total += sum(_cost(line) for line in whole.splitlines())
            return self._total


def _append(path: Path, line: bytes) -> None:
    """Add a line in one piece. Raises OSError with the file's name, which a failed write does not tell by itself."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(file)


def _cost(line: bytes) -> float:
    try:
        return float(json.loads(line)["cost_usd"])
    except (ValueError, KeyError, TypeError):  # a line that was cut off when its process was killed
        return 0.0


class Budget:
    """Lets calls through as long as they cannot pass the budget."""

    def __init__(self, ledger: Ledger, most_usd: float | None) -> None:
        self._ledger = ledger
        self._most = most_usd

    @contextmanager
    def reserved(self, deployment: str, most_usd: float | None, stopped: Stop) -> Iterator[None]:
        """Hold `most_usd` while a call runs, waiting for calls in flight where only they stand in the way.

        Raises BudgetError when the call could pass the budget with nothing else in flight, and for a call whose price
        is unknown (None) while there is a budget.
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
            paid = self._ledger.total()
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
