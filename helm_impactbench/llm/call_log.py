"""A line of JSON for each call of a model, in the suite's folder, for whoever asks for it.

    {"time": 1764000000.5, "role": "target", "model": "litellm/openai/gpt-4o", "task": "prosocial/m01_s001_v01/0",
     "attempt": 1, "seconds": 0.812, "outcome": "answered"}

The environment says from which level on: `info` and `debug` have every attempt and every answer from the cache,
`warning` the attempts that failed, `error` the calls that got no answer in the end. No words of a call and no key are
in it. `seconds` are those that the provider took for an answer, and otherwise those until the attempt was over.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, get_args

from helm_impactbench.errors import FatalCallError, SettingError, StoppedError, TargetLostError
from helm_impactbench.files.line_log import LineLog
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, UnusableAnswerError
from helm_impactbench.llm.secrets import without_secrets
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.settings import handing_down

LEVEL_VARIABLE = "IMPACTBENCH_LOG_LEVEL"
CALLS_FILE = "calls.jsonl"
"""In the suite's folder."""
_HELMS_VARIABLE = "HELM_LOG_LEVEL"
Level = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
Outcome = Literal["answered", "cached", "transient", "unusable", "permanent", "fatal", "stopped"]
_KINDS: tuple[tuple[type[BaseException], Outcome], ...] = (
    (StoppedError, "stopped"),
    (UnusableAnswerError, "unusable"),
    (TransientCallError, "transient"),
    (PermanentCallError, "permanent"),
    (FatalCallError, "fatal"),
    (TargetLostError, "fatal"),
)


class LoggedCall:
    """The attempts of one call. As a context, it notes whether the call got an answer in the end."""

    def __init__(self, log: CallLog, role: str, model: str, task: str) -> None:
        self._log = log
        self._about = {"role": role, "model": model, "task": without_secrets(task)}
        self._attempts = 0
        self._began = time.time()

    def begin(self) -> None:
        """Count an attempt."""
        self._attempts += 1
        self._began = time.time()

    def answered(self, seconds: float | None, *, cached: bool) -> None:
        """Note that the attempt got an answer, for which the provider took `seconds`; None where that is not known."""
        took = None if cached else seconds
        self._note("info", "cached" if cached else "answered", took)

    def failed(self, failure: BaseException) -> None:
        """Note what the attempt met."""
        self._note("warning", _kind(failure))

    def __enter__(self) -> LoggedCall:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, _: TracebackType | None
    ) -> None:
        if failure is not None and self._attempts and self._log.level == "error":
            self._note("error", _kind(failure))

    def _note(self, level: Level, outcome: Outcome, seconds: float | None = None) -> None:
        if self._log.takes(level):
            took = time.time() - self._began if seconds is None else seconds
            self._log.write(
                {
                    "time": round(self._began, 3),
                    **self._about,
                    "attempt": self._attempts,
                    "seconds": round(took, 3),
                    "outcome": outcome,
                }
            )


class CallLog:
    """The log of the calls of a process; other processes write into the same file."""

    def __init__(self, level: Level | None, folder: Path | None) -> None:
        """Without a level, or a suite's folder, nothing is written."""
        self.level = level if folder else None
        self._log = LineLog(folder / CALLS_FILE) if folder else None

    def call(self, role: str, model: str, task: str) -> LoggedCall:
        """Return what notes the attempts of a call."""
        return LoggedCall(self, role, model, task)

    def takes(self, level: Level) -> bool:
        """Return whether lines of this level are written."""
        return self.level is not None and LEVELS.index(level) >= LEVELS.index(self.level)

    def write(self, line: dict[str, object]) -> None:
        """Add a line. What the disk does not take is left out: it must not cost an answer."""
        if self._log is not None:
            with suppress(OSError):
                self._log.append(json.dumps(line).encode())


def call_log() -> CallLog:
    """Return the log that the environment asks for. Raises SettingError for a level that there is not."""
    named = os.environ.get(LEVEL_VARIABLE, "").strip().lower()
    level = next((one for one in LEVELS if one == named), None)
    if named and level is None:
        raise SettingError(f"{LEVEL_VARIABLE} is {named[:40]!r}, but it must be one of {', '.join(LEVELS)}.")
    return CallLog(level, this_run().suite_folder)


def logging_calls(level: str | None) -> AbstractContextManager[None]:
    """Let this process and those that it starts log calls meanwhile, and HELM its own words, from this level on.

    None changes nothing.
    """
    return handing_down(dict.fromkeys((LEVEL_VARIABLE, _HELMS_VARIABLE), level) if level else {})


def _kind(failure: BaseException) -> Outcome:
    return next((outcome for kind, outcome in _KINDS if isinstance(failure, kind)), "fatal")
