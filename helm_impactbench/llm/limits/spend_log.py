"""What a suite has paid for.

Every call that a provider answered is a line of `spending.jsonl` in the suite's folder: from helm-run, a Slurm job or a
later command. So the sum is the same after a resume, and a cached call costs nothing.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

from helm_impactbench.files.line_log import LineLog

SPENDING_FILE = "spending.jsonl"


class SpendLog:
    """What was paid, recorded and summed by any number of processes."""

    def __init__(self, path: Path | None) -> None:
        """`path` is the file; None keeps the sum in memory, for commands that belong to no suite."""
        self._log = LineLog(path) if path else None
        self._lock = threading.Lock()
        self._total = 0.0

    def add(self, deployment: str, cost_usd: float) -> None:
        """Note what a call cost. Raises OSError when that cannot be written."""
        if self._log is None:
            with self._lock:
                self._total += cost_usd
        else:
            self._log.append(json.dumps({"deployment": deployment, "cost_usd": round(cost_usd, 10)}).encode())

    def total(self) -> float:
        """Return the US dollars that were paid so far; reads what was added since it was last asked."""
        with self._lock:
            if self._log is not None:
                self._total += sum(map(_cost, self._log.new_lines()))
            return self._total


def _cost(line: bytes) -> float:
    try:
        return float(json.loads(line)["cost_usd"])
    except (ValueError, KeyError, TypeError):  # a line that was cut off when its process was killed
        return 0.0
