"""How far a helm-run is, in a file beside its results: `impactbench run` and `impactbench watch` show it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from helm_impactbench.files.atomic_write import write_json

PROGRESS_FILE = "progress.json"


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run."""

    runs: int = 0
    runs_done: int = 0
    cases: int = 0
    """Cases that are done."""
    expected: int = 0
    """Cases in all, with runs that have not begun taken to be as large as the others."""
    scored: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason or status of cases without a score -> how many."""
    paid_usd: float = 0.0
    """Since this command began."""
    in_flight: int = 0
    """Calls on their way."""
    waiting: int = 0
    """Calls that wait for a provider's rate limit."""
    seconds: float = 0.0
    """Since the run began."""
    newest: str = ""
    """The newest finished case."""
    ended: bool = False

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before the first case."""
        return self.seconds * (self.expected - self.cases) / self.cases if self.cases else None


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Put a snapshot beside the runs of a suite. A folder that cannot be written is the run's own concern."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / PROGRESS_FILE, asdict(snapshot))


def read_snapshot(folder: Path) -> Snapshot | None:
    """Return the newest snapshot of a suite; None where there is none that can be read."""
    try:
        data: Any = json.loads((folder / PROGRESS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = {field.name for field in fields(Snapshot)}
    return Snapshot(**data) if isinstance(data, dict) and {*data} <= known else None


def shown_time(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
