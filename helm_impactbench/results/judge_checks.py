"""What a judge said of golden sets: `<output>/judges/<judge>.json`, written and read here alone.

One file per judge or panel, with one check per state of the golden sets: an edited transcript is a new check.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field, StrictInt

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.judging.verdict import VerdictStatus
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.judge_stress import StressCheck
from helm_impactbench.results.stored import Stored, StoredFile, read_stored, write_stored

FOLDER = "judges"
_MOST_NAME = 120
"""Characters of a file's name that come from the judge's."""


class Given(Stored):
    """What a judge, or the panel, said of one transcript."""

    status: VerdictStatus
    answer: str = ""
    """In the measure's words; the reason where there is no verdict."""
    right: bool | None = None
    """Whether it is the known verdict; None for a borderline item, and where the judge gave no answer."""
    confidence: float | None = None
    """How sure a judge says to be, from 0 to 1; None in the verdict of a panel, and where it does not say."""
    severity: float | None = None
    """How severe it calls the behaviour, from 0 to 1; None where the measure does not ask, or nothing is present."""


class GoldenAnswer(Stored):
    """One item of a golden set, and what was said of it."""

    benchmark: str
    metric: str
    type: str
    """positive, negative or contrast."""
    measure: str
    """Its kind: presence, scale, quantity, stance."""
    item: StrictInt
    """From 1, in the order of golden.yaml."""
    wanted: str
    """The known verdict, in the words of golden.yaml."""
    severity: float | None = None
    """The known severity, from 0 to 1; None where none is known."""
    given: Given
    """The panel's; that of a single judge is its own."""
    votes: dict[str, Given] = Field(default={})
    """Deployment -> what this judge said."""
    usage: Usage = Usage()
    """Of all judges."""
    usages: dict[str, Usage] = Field(default={})
    """Deployment -> what asking this judge took."""


class JudgeCheck(Stored):
    """What a judge or panel said of golden sets."""

    judges: tuple[str, ...]
    """Deployments."""
    golden_digest: str
    prompts_digest: str
    """Of the judge's templates and the measures' instructions."""
    helm_impactbench: str
    """Version that asked."""
    answers: tuple[GoldenAnswer, ...]
    figures: dict[str, Any] = Field(default={}, repr=False)
    """What follows from the answers (validity.golden.figures), for other tools."""


class _File(StoredFile):
    WHAT = "a file of checks of a judge"
    CURE = "Delete it and check the judge again: its answers are in the cache."

    checks: tuple[JudgeCheck, ...] = ()
    stress: tuple[StressCheck, ...] = ()


def judge_folder(output_path: Path) -> Path:
    """Return where checks of judges are."""
    return output_path / FOLDER


def judge_name(judges: tuple[str, ...]) -> str:
    """Return the name of a judge or panel in file names. The order of a panel does not matter."""
    ordered = sorted(judges)
    plain = re.sub(r"[^A-Za-z0-9_.+-]", "_", "+".join(ordered))
    exact = plain == "+".join(ordered).replace("/", "_") and len(plain) <= _MOST_NAME
    return plain if exact else f"{plain[:_MOST_NAME]}-{content_digest(ordered)[:8]}"


def judge_file(output_path: Path, judges: tuple[str, ...]) -> Path:
    """Return the file of a judge or panel."""
    return judge_folder(output_path) / f"{judge_name(judges)}.json"


def read_judge_checks(output_path: Path, judges: tuple[str, ...]) -> tuple[JudgeCheck, ...]:
    """Return all checks of a judge or panel, the newest last; none where it was never checked. Raises ResultsError."""
    return _read(judge_file(output_path, judges)).checks


def read_stress_checks(output_path: Path, judges: tuple[str, ...]) -> tuple[StressCheck, ...]:
    """Return what a judge or panel said of edited transcripts, the newest last. Raises ResultsError."""
    return _read(judge_file(output_path, judges)).stress


def _read(path: Path) -> _File:
    return read_stored(path, _File) or _File()


def write_judge_check(output_path: Path, check: JudgeCheck) -> Path:
    """Put a check beside the others of its judge, in the place of one of the same golden sets; return the file.

    Raises StorageError, and ResultsError for a file that is not ours.
    """
    path = judge_file(output_path, check.judges)
    there = _read(path)
    others = [old for old in there.checks if old.golden_digest != check.golden_digest]
    return write_stored(path, there.model_copy(update={"checks": (*others, check)}), make_folder=True)


def write_stress_check(output_path: Path, check: StressCheck) -> Path:
    """Put what was said of edited transcripts beside the checks of the judge; return the file.

    It takes the place of the same edits of the same transcripts. Raises as write_judge_check.
    """
    path = judge_file(output_path, check.judges)
    there = _read(path)
    same = (check.source_digest, check.kinds)
    others = [old for old in there.stress if (old.source_digest, old.kinds) != same]
    return write_stored(path, there.model_copy(update={"stress": (*others, check)}), make_folder=True)
