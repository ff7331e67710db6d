"""Runs without a single verdict, named once more when helm-run ends: they look like any other run that succeeded.

Where nothing but failed calls is the reason, helm-run ends with an exit code of its own: all other runs are whole.
"""

from __future__ import annotations

import atexit
import json
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.errors import counted
from helm_impactbench.helm.stat_names import NOT_APPLICABLE, UNSCORED
from helm_impactbench.judging.verdict import Unscored
from helm_impactbench.llm.batch.deferred_call import judges_deferred
from helm_impactbench.llm.failures import one_line
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.results.record import record_of
from helm_impactbench.results.references import references

EXIT_CODE = 3
"""Of a helm-run with a run in which every conversation lacks its verdict because of failed calls."""
_REASON = f"{UNSCORED}_"
_FAILED_CALLS = frozenset({Unscored.TARGET_ERROR, Unscored.SIMULATOR_ERROR, Unscored.JUDGE_ERROR})


@dataclass(frozen=True)
class NoVerdict:
    """Why a run has none."""

    line: str
    """In a sentence, with the reasons and their numbers."""
    is_failure: bool
    """Whether nothing but failed calls is the reason."""


class MissingVerdicts:
    """Collects the runs of this process that have none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, NoVerdict] = {}
        self._words: dict[str, str] = {}
        """Run -> the words of its first error."""

    def note(self, run: str, stats: str | Iterable[str], states: Path) -> None:
        """Look at the statistics of a run that was written: the text of its stats.json, which may be in pieces.

        states: where its conversations were written.
        """
        if run.rpartition("model=")[2] in {bot.replace("/", "_") for bot in references(this_run().models_to_run)}:
            return  # a bot to which no question applies is no failure
        found = no_verdict(run, json.loads("".join(stats)), deferred=judges_deferred())
        if found is None:
            return
        words = first_error(states)
        with self._lock:
            if not self._found:
                atexit.register(self._say)
            self._found[run], self._words[run] = found, words

    def _say(self) -> None:
        for run, found in self._found.items():
            first = f" The first: {self._words[run]}" if self._words[run] else ""
            suite = this_run().suite
            more = f" impactbench explain --suite {shlex.quote(suite)} lists them." if suite else ""
            print(f"impactbench: {found.line}{first}{more}", file=sys.stderr)

    def end_if_failed(self) -> None:
        """Raise SystemExit, with EXIT_CODE, where nothing but failed calls is why a run has none."""
        if any(found.is_failure for found in self._found.values()):
            raise SystemExit(EXIT_CODE)


MISSING_VERDICTS = MissingVerdicts()
"""Of this process."""


def first_error(states: Path) -> str:
    """Return the words of the first error in a run's scenario_state.json, in one line; empty where there are none."""
    words = ""
    with suppress(OSError, ValueError, LookupError):  # the run's files are worth more than these words
        records = map(record_of, json.loads(states.read_text(encoding="utf-8"))["request_states"])
        words = next((record.verdict.detail for record in records if record.verdict.detail), "")
    return f"{one_line(words).rstrip('.')}." if words else ""


def no_verdict(run: str, stats: Iterable[Mapping[str, Any]], *, deferred: bool = False) -> NoVerdict | None:
    """Return why a run has no verdict; None for any other run. deferred: judges answer later, which is no failure."""
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
    failures = _FAILED_CALLS - {Unscored.JUDGE_ERROR} if deferred else _FAILED_CALLS
    none = f"none of its {counted(conversations, 'conversation')} has a verdict"
    return NoVerdict(f"{run} has no figures, because {none} ({shown}).", {*reasons} <= failures)
