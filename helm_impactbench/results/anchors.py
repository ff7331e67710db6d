"""What a suite's judges said of its anchors: `anchors.json` in the suite's folder, written and read here alone.

Anchors are transcripts with known verdicts that every suite's judges read anew. One reading per judge or panel, day and
state of the judge's prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from pydantic import Field

from helm_impactbench.benchmark.golden import BORDERLINE
from helm_impactbench.judging.verdict import VerdictStatus
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.results.stored import Stored, StoredFile, read_stored, write_stored

FILE = "anchors.json"


class Said(Stored):
    """One answer to one anchor, of a judge or of the panel."""

    status: VerdictStatus
    answer: str = ""
    """In the measure's words; the reason where there is no verdict."""
    value: float | None = None
    """The answer as a number; None unless scored."""
    right: bool | None = None
    """Whether it is the known verdict; None for a borderline anchor, and without an answer."""
    confidence: float | None = None
    """How likely a single judge thought its answer, from 0 to 1; None for a panel, and where it did not say."""

    @property
    def is_answer(self) -> bool:
        """Whether the judge said something: a failed call says nothing about it."""
        return self.status != "unscored"


class AnchorAnswer(Stored):
    """One anchor, and what was said of it when it was asked several times."""

    anchor: str
    """Hash of what is asked and of the known verdict: equal in two suites for the same question."""
    benchmark: str
    metric: str
    measure: str
    """Its kind: presence, scale, quantity, stance."""
    wanted: str
    """The known verdict, or "borderline"."""
    said: tuple[Said, ...] = ()
    """The panel's answers, one per repeat; those of a single judge are its own."""
    votes: dict[str, tuple[Said, ...]] = Field(default={})
    """Deployment -> its own answers, in a panel."""
    usage: dict[str, Usage] = Field(default={})
    """Deployment -> what its calls took."""

    @property
    def is_whole(self) -> bool:
        """Whether every repeat has an answer."""
        return bool(self.said) and all(said.is_answer for said in self.said)

    @property
    def is_right(self) -> bool | None:
        """Whether most of the repeats gave the known verdict; None for a borderline anchor, and without an answer."""
        if self.wanted == BORDERLINE or not any(said.is_answer for said in self.said):
            return None
        return 2 * sum(said.right is True for said in self.said) > len(self.said)


class AnchorReading(Stored):
    """What a judge or panel said of a suite's anchors."""

    judges: tuple[str, ...]
    """Deployments."""
    began: date
    """UTC; part of what is asked, so that no answer comes from the cache of an earlier day or another suite."""
    prompts_digest: str
    """Of the judge's templates and the measures' instructions."""
    helm_impactbench: str
    """Version that asked."""
    served: dict[str, tuple[str, ...]] = Field(default={})
    """Deployment -> what its provider called the model that answered, where it says so."""
    answers: tuple[AnchorAnswer, ...] = ()

    @property
    def usage(self) -> Usage:
        """What all its calls took."""
        return total(usage for answer in self.answers for usage in answer.usage.values())


class _File(StoredFile):
    WHAT = "a file of answers to anchors"
    CURE = "Delete it; the next run of the suite asks again."

    readings: tuple[AnchorReading, ...] = ()


def read_anchors(suite: Path) -> tuple[AnchorReading, ...]:
    """Return the readings of anchors in a suite's folder, the oldest first; none without any. Raises ResultsError."""
    found = read_stored(suite / FILE, _File)
    return found.readings if found else ()


def newest_reading(readings: Iterable[AnchorReading], judges: Sequence[str] | None = None) -> AnchorReading | None:
    """Return the newest reading with answers, of a judge or panel if one is named; None without any."""
    wanted = None if judges is None else sorted(judges)
    own = [one for one in readings if one.answers and (wanted is None or sorted(one.judges) == wanted)]
    return max(own, key=lambda one: one.began, default=None)


def write_reading(suite: Path, reading: AnchorReading) -> Path:
    """Put a reading beside the others of the suite, in the place of one of the same judges, day and prompts.

    Returns the file. Raises StorageError, and ResultsError for a file that is not ours.
    """
    others = [one for one in read_anchors(suite) if _place(one) != _place(reading)]
    ordered = sorted((*others, reading), key=lambda one: (one.began, sorted(one.judges)))
    return write_stored(suite / FILE, _File(readings=tuple(ordered)))


def _place(reading: AnchorReading) -> tuple[list[str], date, str]:
    return sorted(reading.judges), reading.began, reading.prompts_digest
