"""Runs without a single verdict, named once more when helm-run ends: they look like any other run that succeeded."""

from __future__ import annotations

import atexit
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from helm_impactbench.errors import counted
from helm_impactbench.helm.stat_names import NOT_APPLICABLE, UNSCORED
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.results.references import references

_REASON = f"{UNSCORED}_"


class MissingVerdicts:
    """Collects the runs of this process that have none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str, str] = {}

    def note(self, run: str, stats: str | Iterable[str]) -> None:
        """Look at the statistics of a run that was written: the text of its stats.json, which may be in pieces."""
        if run.rpartition("model=")[2] in {bot.replace("/", "_") for bot in references(this_run().models_to_run)}:
            return  # a bot to which no question applies is no failure
        line = missing_line(run, json.loads("".join(stats)))
        with self._lock:
            if line and not self._lines:
                atexit.register(self._say)
            if line:
                self._lines[run] = line

    def _say(self) -> None:
        for line in self._lines.values():
            print(f"impactbench: {line}", file=sys.stderr)


MISSING_VERDICTS = MissingVerdicts()
"""Of this process."""


def missing_line(run: str, stats: Iterable[Mapping[str, Any]]) -> str | None:
    """Return what to say of a run without a verdict, with its reasons and their numbers; None for any other run."""
    sums, counts = Counter[str](), Counter[str]()
    for stat in stats:
        name = stat["name"]["name"]
        if name in (UNSCORED, NOT_APPLICABLE) or name.startswith(_REASON):
            sums[name] += round(stat.get("sum", 0))
            counts[name] += stat["count"]
    conversations = counts[UNSCORED]
    if not conversations or sums[UNSCORED] + sums[NOT_APPLICABLE] < conversations:
        return None
    reasons = {name.removeprefix(_REASON): number for name, number in sums.items() if number and name != UNSCORED}
    shown = ", ".join(
        f"{reason}: {number}" for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    )
    none = f"none of its {counted(conversations, 'conversation')} has a verdict"
    return f"{run} has no figures, because {none} ({shown})."
