"""What judges said of golden sets, plain and edited: `<output>/judges/<judge>.json`.

One file per judge or panel, with one record per state of the golden sets: an edited transcript is a new check.
"""

from __future__ import annotations

import re
from pathlib import Path

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.llm.usage import Usage
from helm_impactbench.validity.records.answers import JudgedItem, JudgeRecord, StressedItem
from helm_impactbench.validity.records.stored import StoredFile, read_stored, write_stored

FOLDER = "judges"
_MOST_NAME = 120
"""Characters of a file's name that come from the judge's."""


class GoldenRecord(JudgeRecord):
    """What a judge or panel said of golden sets."""

    golden_digest: str
    items: tuple[JudgedItem, ...]


class StressRecord(JudgeRecord):
    """What a judge or panel said of plain and of edited transcripts."""

    kinds: tuple[str, ...]
    """Names of the edits."""
    rewriter: str | None = None
    """Deployment that wrote some of them."""
    source: str
    """What the transcripts are called."""
    source_digest: str
    """Of the transcripts and of what is asked about them."""
    items: tuple[StressedItem, ...]
    rewriting: Usage = Usage()
    """What the rewriter took."""

    @property
    def usage(self) -> Usage:
        """What all calls took."""
        return sum((item.total_usage for item in self.items), self.rewriting)


class _JudgesFile(StoredFile):
    WHAT = "a file of checks of a judge"
    CURE = "Delete it and check the judge again: its answers are in the cache."

    checks: tuple[GoldenRecord, ...] = ()
    stress: tuple[StressRecord, ...] = ()


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


def read_golden(output_path: Path, judges: tuple[str, ...]) -> tuple[GoldenRecord, ...]:
    """Return all checks of a judge or panel, the newest last; none where it was never checked. Raises ResultsError."""
    return _read(judge_file(output_path, judges)).checks


def read_stress(output_path: Path, judges: tuple[str, ...]) -> tuple[StressRecord, ...]:
    """Return what a judge or panel said of edited transcripts, the newest last. Raises ResultsError."""
    return _read(judge_file(output_path, judges)).stress


def _read(path: Path) -> _JudgesFile:
    return read_stored(path, _JudgesFile) or _JudgesFile()


def write_golden(output_path: Path, record: GoldenRecord) -> Path:
    """Put a check beside the others of its judge, in the place of one of the same golden sets; return the file.

    Raises StorageError, and ResultsError for a file that is not ours.
    """
    path = judge_file(output_path, record.judges)
    stored = _read(path)
    others = [old for old in stored.checks if old.golden_digest != record.golden_digest]
    return write_stored(path, stored.model_copy(update={"checks": (*others, record)}), make_folder=True)


def write_stress(output_path: Path, record: StressRecord) -> Path:
    """Put what was said of edited transcripts beside the checks of the judge; return the file.

    It takes the place of the same edits of the same transcripts. Raises as write_golden.
    """
    path = judge_file(output_path, record.judges)
    stored = _read(path)
    same = (record.source_digest, record.kinds)
    others = [old for old in stored.stress if (old.source_digest, old.kinds) != same]
    return write_stored(path, stored.model_copy(update={"stress": (*others, record)}), make_folder=True)
