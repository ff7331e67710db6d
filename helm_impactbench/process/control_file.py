"""What people ask of a run under way: a pause, another budget. A file beside its results, and its only owner.

    {"paused": true, "budget_usd": 40.0}

`impactbench watch` writes it; every process of the run looks at it before a call. A run of ours removes what an earlier
one has left, so that the file speaks of the run under way alone.
"""

from __future__ import annotations

import json
import math
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.files.atomic_write import write_json
from helm_impactbench.process.shared_state import Stop

CONTROL_FILE = "control.json"
_LOOK_SECONDS = 0.25
"""A process looks at the file at most so often."""


@dataclass(frozen=True)
class Control:
    """What is asked of a run."""

    paused: bool = False
    """No call begins; those in flight come home."""
    budget_usd: float | None = None
    """The budget of the suite from now on, in US dollars; None leaves the one that the run began with."""


def read_control(folder: Path) -> Control:
    """Return what is asked of the run in this folder; nothing where the file is missing or says something else."""
    try:
        data: Any = json.loads((folder / CONTROL_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Control()
    if not isinstance(data, dict):
        return Control()
    budget = data.get("budget_usd")
    usable = isinstance(budget, int | float) and not isinstance(budget, bool) and math.isfinite(budget) and budget > 0
    return Control(data.get("paused") is True, float(budget) if usable and budget is not None else None)


def write_control(folder: Path, control: Control) -> None:
    """Ask this of the run in a folder. Raises OSError."""
    write_json(folder / CONTROL_FILE, asdict(control))


def forget_control(folder: Path) -> None:
    """Remove what was asked of an earlier run."""
    with suppress(OSError):
        (folder / CONTROL_FILE).unlink(missing_ok=True)


class ControlWatch:
    """The newest state of the file, for all threads of a process."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is the suite's; None for a run that takes no requests."""
        self._folder = folder
        self._lock = threading.Lock()
        self._looked = -math.inf
        self._control = Control()

    def now(self) -> Control:
        """Return what is asked at the moment."""
        if self._folder is None:
            return self._control
        with self._lock:
            if time.monotonic() - self._looked >= _LOOK_SECONDS:
                self._control = read_control(self._folder)
                self._looked = time.monotonic()
            return self._control

    def wait_while_paused(self, stopped: Stop) -> None:
        """Return when there is no pause, or when the run is stopped."""
        while self.now().paused and not stopped.wait(_LOOK_SECONDS):
            pass
