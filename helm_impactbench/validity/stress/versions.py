"""The transcripts of a stress test, and the versions in which judges read each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.validity.golden.run import golden_cases
from helm_impactbench.validity.records.answers import PLAIN, REPEAT
from helm_impactbench.validity.stress.edits import LeftOut, Put, repeated
from helm_impactbench.validity.stress.kinds import StressKind


@dataclass(frozen=True)
class Subject:
    """One transcript that is put under stress."""

    item: str
    """What people find it by."""
    put: Put
    known: ParsedAnswer | None
    """The known verdict; None where nobody can tell."""
    verdict: str = ""
    """The known verdict in the words of golden.yaml, or "borderline"; empty where nobody has said."""


@dataclass(frozen=True)
class Versions:
    """All that will be asked about one transcript."""

    subject: Subject
    puts: Mapping[str, Put]
    """PLAIN, REPEAT and names of edits -> question."""
    left_out: Mapping[str, str]
    """Name of an edit -> why it is not made."""

    def with_edit(self, name: str, edit: Put | LeftOut) -> Versions:
        """Return it with one more edit, or why there is none."""
        if isinstance(edit, LeftOut):
            return replace(self, left_out={**self.left_out, name: edit.reason})
        return replace(self, puts={**self.puts, name: edit})


@dataclass(frozen=True)
class Material:
    """The transcripts of a stress test."""

    subjects: Sequence[Subject]
    source: str
    """What they are called."""
    digest: str
    """Of the transcripts and of what is asked about them."""


def golden_subjects(sets: Sequence[GoldenSet]) -> list[Subject]:
    """Return all items of golden sets."""
    return [
        Subject(str(one.number), Put(one.case, one.conversation, against=one.wanted), one.wanted, str(one.item.verdict))
        for one in golden_cases(sets)
    ]


def versions(subjects: Iterable[Subject], kinds: Sequence[StressKind]) -> list[Versions]:
    """Return what will be asked about each transcript, apart from what a model has to write first."""
    return [_versions(subject, kinds) for subject in subjects]


def _versions(subject: Subject, kinds: Sequence[StressKind]) -> Versions:
    again = repeated(subject.put)
    assert isinstance(again, Put)
    edited = Versions(subject, {PLAIN: subject.put, REPEAT: again}, {})
    for kind in kinds:
        if kind.edit is not None:
            edited = edited.with_edit(kind.name, kind.edit(subject.put))
    return edited
