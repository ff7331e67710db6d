"""What a suite has paid for, and what its calls on their way may still cost.

Every call that a provider answered is a line of `spending.jsonl` in the suite's folder: from helm-run, a Slurm job or a
later command. So the sum is the same after a resume, and a cached call costs nothing.

    {"deployment": "litellm/openai/gpt-4o", "cost_usd": 0.0021}

Under a budget a call has two lines: the most that it may cost, before it is sent, and what it did cost.

    {"reserved": "6f1d09a2c4b7-1", "deployment": "litellm/openai/gpt-4o", "most_usd": 0.0105}
    {"settled": "6f1d09a2c4b7-1", "deployment": "litellm/openai/gpt-4o", "cost_usd": 0.0021}

"unknown": true in the second says that nobody knows what it cost; it is then counted in full.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.files.keyed_lock import KeyedFileLock
from helm_impactbench.files.line_log import LineLog
from helm_impactbench.llm.amounts import amount

SPENDING_FILE = "spending.jsonl"
LOCK_SUFFIX = ".lock"
_MOST_USD = 1e9
_DIGITS = 10


@dataclass(frozen=True)
class ReservedCall:
    """A call that may be on its way."""

    deployment: str
    most_usd: float
    """US dollars that it may cost."""


def spend_lines(suite: Path) -> list[dict[str, Any]]:
    """Return the lines of a suite's spend log that can be read."""
    entries = []
    for line in LineLog(suite / SPENDING_FILE).new_lines():
        with suppress(ValueError):
            entries.append(json.loads(line))
    return [entry for entry in entries if isinstance(entry, dict)]


class SpendLog:
    """What was paid, recorded and summed by any number of processes."""

    def __init__(self, path: Path | None) -> None:
        """`path` is the file; None keeps the sum in memory, for commands that belong to no suite."""
        self._log = LineLog(path) if path else None
        self._turns = KeyedFileLock(path.with_name(path.name + LOCK_SUFFIX)) if path else None
        self._lock = threading.RLock()
        self._paid = self._in_full = 0.0
        self._open: dict[str, ReservedCall] = {}
        self._unwritten: list[Mapping[str, Any]] = []
        """Of calls that were answered while the disk took no line; they go before the next one."""
        self._mine: list[Mapping[str, Any]] = []
        """Lines of this process, for a file that was deleted."""

    def add(self, deployment: str, cost_usd: float, *, unknown: bool = False) -> None:
        """Note what a call cost; `unknown` says that it is the most that it may have cost. Never raises OSError: the
        call was answered, and what cannot be written now is written before the next reservation.
        """
        line = {"deployment": deployment, "cost_usd": round(cost_usd, _DIGITS)}
        self._write_later({**line, "unknown": True} if unknown else line)

    def reserve(self, call: str, deployment: str, most_usd: float) -> None:
        """Note the most that a call may cost, before it is sent. Raises OSError when that cannot be written."""
        self._write({"reserved": call, "deployment": deployment, "most_usd": round(most_usd, _DIGITS)})

    def settle(self, call: str, reserved: ReservedCall, cost_usd: float | None) -> None:
        """Note what a reserved call cost, None when nobody knows. Never raises OSError, as `add`."""
        line = {"settled": call, "deployment": reserved.deployment}
        if cost_usd is None:
            self._write_later({**line, "cost_usd": round(reserved.most_usd, _DIGITS), "unknown": True})
        else:
            self._write_later({**line, "cost_usd": round(cost_usd, _DIGITS)})

    def flush(self) -> None:
        """Write what could not be written before. Raises OSError when it still cannot: no further call may begin."""
        with self._lock:
            self._write_open()

    def total(self) -> float:
        """Return the US dollars that were paid so far; reads what was added since it was last asked."""
        with self._lock:
            self._read()
            return self._paid

    def counted_in_full(self) -> float:
        """Return the part of the total that nobody knows exactly: the most that such calls may have cost."""
        with self._lock:
            self._read()
            return self._in_full

    def on_their_way(self) -> dict[str, ReservedCall]:
        """Return the calls that are reserved and not settled."""
        with self._lock:
            self._read()
            return dict(self._open)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other thread or process reserve meanwhile. The system ends this with a process that is killed."""
        with self._lock, self._turns.of("reserve") if self._turns else nullcontext():
            yield

    def _write_later(self, entry: Mapping[str, Any]) -> None:
        """Write an entry, or keep it for the next one: an answer must not be lost for it."""
        with self._lock:
            self._unwritten.append(entry)
            with suppress(OSError, MemoryError):
                self._write_open()

    def _write(self, entry: Mapping[str, Any]) -> None:
        with self._lock:
            self._write_open()
            self._append(entry)

    def _write_open(self) -> None:
        while self._unwritten:
            self._append(self._unwritten[0])
            del self._unwritten[0]

    def _append(self, entry: Mapping[str, Any]) -> None:
        if self._log is None:
            self._apply(entry)
            return
        if self._mine and self._log.is_gone():
            self._log.begin_anew([json.dumps(line).encode() for line in self._mine])
            self._forget()
        self._log.append(json.dumps(entry).encode())
        self._mine.append(entry)

    def _forget(self) -> None:
        """Drop the sums: all lines are read again."""
        self._paid = self._in_full = 0.0
        self._open.clear()

    def _read(self) -> None:
        for line in self._log.new_lines() if self._log else ():
            try:
                entry = json.loads(line)
            except ValueError:  # a line that was cut off when its process was killed
                continue
            if isinstance(entry, dict):
                self._apply(entry)

    def _apply(self, entry: Mapping[str, Any]) -> None:
        if "reserved" in entry:
            most = amount(entry.get("most_usd"), _MOST_USD)
            self._open[str(entry["reserved"])] = ReservedCall(str(entry.get("deployment")), most or 0.0)
            return
        if "settled" in entry and self._open.pop(str(entry["settled"]), None) is None:
            return  # settled before
        cost = amount(entry.get("cost_usd"), _MOST_USD) or 0.0
        self._paid += cost
        self._in_full += cost if entry.get("unknown") is True else 0.0
