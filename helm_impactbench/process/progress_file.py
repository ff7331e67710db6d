"""How far a helm-run is, in a file beside its results: `impactbench run` and `impactbench watch` show it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from helm_impactbench.files.atomic_write import write_json

PROGRESS_FILE = "progress.json"
LIVE_FILES = "live-*.jsonl"
"""Finished conversations of runs that are not whole yet, a file for each run."""
STALE_SECONDS = 30.0
"""A state that is older belongs to a run that was interrupted."""


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run."""

    runs: int = 0
    runs_done: int = 0
    runs_failed: int = 0
    """Of those that are done."""
    cases: int = 0
    """Cases that are done."""
    expected: int = 0
    """Cases in all, as planned; a run whose number is not known before it begins is taken to be as large as others."""
    missing: int = 0
    """Of these, cases of runs that are not whole: no command reads them."""
    lost: int = 0
    """Of the expected, cases of failed runs: they will not be done."""
    under_way: float = 0.0
    """Cases that have begun, each counted as the share of it that is done."""
    scored: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason or status of cases without a score -> how many."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """What models or providers said when a case got no score -> how many; the most frequent."""
    paid_usd: float = 0.0
    """Since this command began."""
    budget_usd: float | None = None
    """Of the whole suite, as it is now; None without one."""
    suite_usd: float = 0.0
    """What the suite has cost with earlier commands; 0 without a budget."""
    new_answers: int = 0
    """Answers of models under test that a provider gave since this command began."""
    stored_answers: int = 0
    """Those that came from the cache."""
    in_flight: int = 0
    """Calls on their way."""
    oldest_call_seconds: float = 0.0
    """How long the oldest of them has been with its provider; 0 without any."""
    waiting_for: Mapping[str, int] = field(default_factory=dict)
    """What keeps calls from being sent -> how many: a rate limit, the budget."""
    doing: str = ""
    """What is going on: holding 12 conversations, judging 3 conversations."""
    repeating: int = 0
    """Calls that have failed and wait for their next attempt."""
    repeating_why: str = ""
    """How the newest call failed that was to be repeated."""
    paused: bool = False
    seconds: float = 0.0
    """Since the first call, or where no provider is called, since the run began."""
    idle_seconds: float = 0.0
    """Of these, in pauses."""
    newest: str = ""
    """The newest finished case."""
    excerpt: tuple[str, ...] = ()
    """Its last exchange and its verdict: `speaker: words`."""
    pending: tuple[str, ...] = ()
    """Names of its runs that have not come to their end; one that failed has not."""
    ended: bool = False

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before the first case."""
        working, done = self.seconds - self.idle_seconds, self.cases + self.under_way
        return working * max(0.0, self.expected - self.lost - done) / done if self.cases else None

    @property
    def finished(self) -> bool:
        """Whether every run came to its end without an error."""
        return self.ended and not self.runs_failed and self.runs_done == self.runs


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Put a snapshot beside the runs of a suite. A folder that cannot be written is the run's own concern."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / PROGRESS_FILE, asdict(snapshot))


def read_snapshot(folder: Path) -> Snapshot | None:
    """Return the newest snapshot of a suite; None where there is none that can be read."""
    from pydantic import TypeAdapter, ValidationError  # a screen's help needs this module, and waits for no library

    try:
        data: Any = json.loads((folder / PROGRESS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = {field.name for field in fields(Snapshot)}
    if not isinstance(data, dict) or not {*data} <= known:
        return None
    try:
        return TypeAdapter(Snapshot).validate_python(data)
    except ValidationError:
        return None


def live_file(run: int) -> str:
    """Return the name of the file with the finished conversations of a run, by its number in the command."""
    return LIVE_FILES.replace("*", str(run))


def is_alive(folder: Path) -> bool:
    """Return whether a run writes its state there at present: it does so every second, and says when it ends."""
    snapshot = read_snapshot(folder)
    if snapshot is None or snapshot.ended:
        return False
    try:
        return time.time() - (folder / PROGRESS_FILE).stat().st_mtime < STALE_SECONDS
    except OSError:
        return False


def shown_time(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def without_score(snapshot: Snapshot) -> str:
    """Return how many cases have no score, and why; empty without any."""
    reasons = sorted(snapshot.unscored.items(), key=lambda item: -item[1])
    return "".join(f", {count:,} {reason.replace('_', ' ')}" for reason, count in reasons)
