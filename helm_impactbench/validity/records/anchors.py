"""What a suite's judges said of its anchors: `anchors.json` in the suite's folder.

Anchors are transcripts with known verdicts that every suite's judges read anew. One record per judge or panel, day and
state of the judge's prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from pydantic import Field

from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.validity.records.answers import JudgedItem, JudgeRecord
from helm_impactbench.validity.records.stored import StoredFile, read_stored, write_stored

FILE = "anchors.json"


class AnchorRecord(JudgeRecord):
    """What a judge or panel said of a suite's anchors."""

    began: date
    """UTC; part of what is asked, so that no answer comes from the cache of an earlier day or another suite."""
    served: dict[str, tuple[str, ...]] = Field(default={})
    """Deployment -> what its provider called the model that answered, where it says so."""
    items: tuple[JudgedItem, ...] = ()

    @property
    def usage(self) -> Usage:
        """What all its calls took."""
        return total(item.total_usage for item in self.items)


class _AnchorsFile(StoredFile):
    WHAT = "a file of answers to anchors"
    CURE = "Delete it; the next run of the suite asks again."

    records: tuple[AnchorRecord, ...] = ()


def read_anchors(suite: Path) -> tuple[AnchorRecord, ...]:
    """Return what is known of anchors in a suite's folder, the oldest first; none without any. Raises ResultsError."""
    stored = read_stored(suite / FILE, _AnchorsFile)
    return stored.records if stored else ()


def newest_anchors(records: Iterable[AnchorRecord], judges: Sequence[str] | None = None) -> AnchorRecord | None:
    """Return the newest record with answers, of a judge or panel if one is named; None without any."""
    wanted = None if judges is None else sorted(judges)
    answered = [one for one in records if one.items and (wanted is None or sorted(one.judges) == wanted)]
    return max(answered, key=lambda one: one.began, default=None)


def write_anchors(suite: Path, record: AnchorRecord) -> Path:
    """Put a record beside the others of the suite, in the place of one of the same judges, day and prompts.

    Returns the file. Raises StorageError, and ResultsError for a file that is not ours.
    """
    others = [one for one in read_anchors(suite) if _place(one) != _place(record)]
    ordered = sorted((*others, record), key=lambda one: (one.began, sorted(one.judges)))
    return write_stored(suite / FILE, _AnchorsFile(records=tuple(ordered)))


def anchor_usage(suite: Path) -> list[tuple[str, str, str, Usage]]:
    """Return what judges took to read a suite's anchors: judge, benchmark, what was asked, usage. Raises ResultsError.

    What was asked is equal for calls that are paid for once.
    """
    return [
        (judge, item.benchmark, f"{record.began} {record.prompts_digest} {item.item}", usage)
        for record in read_anchors(suite)
        for item in record.items
        for judge, usage in item.usage.items()
    ]


def _place(record: AnchorRecord) -> tuple[list[str], date, str]:
    return sorted(record.judges), record.began, record.prompts_digest
