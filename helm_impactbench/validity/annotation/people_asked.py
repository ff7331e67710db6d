"""People as judges: their answers to a sheet that was drawn from a suite, and the report on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from helm_impactbench.analysis.agreement import by_measure
from helm_impactbench.judging.judge_conversation import Call
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.tables import Result
from helm_impactbench.validity.annotation.answers import read_answer
from helm_impactbench.validity.annotation.consensus import RatedQuestion, consensus
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.evidence import check_unchanged, gather
from helm_impactbench.validity.annotation.key import Key, KeyItem
from helm_impactbench.validity.annotation.reading import Annotation, read_annotations
from helm_impactbench.validity.annotation.report import SheetScore, reported
from helm_impactbench.validity.annotation.sampling import ItemName, name_of
from helm_impactbench.validity.annotation.view import read_records
from helm_impactbench.validity.commands.annotate import scored


@dataclass(frozen=True)
class PeopleAsked:
    """An instrument that asks people: their answers to a sheet that was drawn from a suite."""

    folder: Path
    """Of the suite's runs."""
    outcomes: Sequence[Outcome]
    """Of the suite."""
    key: Key
    paths: Sequence[Path]
    """Files of answers."""
    noun: str = "item"

    @property
    def items(self) -> Sequence[KeyItem]:
        """The items of the sheet."""
        return self.key.items

    @cached_property
    def _records(self) -> dict[str, Record]:
        """Item id -> its conversation. Raises ResultsError where the suite has other words or verdicts now."""
        records = read_records(run_folders(self.folder), {item.name for item in self.key.items})
        check_unchanged(self.folder.name, self.key, self.outcomes, records)
        return {item.item_id: records[item.name] for item in self.key.items}

    @cached_property
    def _by_item(self) -> dict[str, list[Annotation]]:
        readers = {item: partial(_read, record) for item, record in self._records.items()}
        by_item: dict[str, list[Annotation]] = {}
        for annotation in read_annotations(self.paths, readers):
            by_item.setdefault(annotation.item_id, []).append(annotation)
        return by_item

    def ask(self, item: KeyItem, call: Call | None = None) -> Sequence[Annotation]:
        """Return what people wrote on one item; no call is made. Raises AnnotationError for a file with mistakes."""
        return self._by_item.get(item.item_id, ())

    def record(self, answers: Sequence[Sequence[Annotation]]) -> SheetScore:
        """Return what the answers say. Raises AnnotationError when people decided no item."""
        annotations = [annotation for given in answers for annotation in given]
        asked = _asked(self.key, self._records, self.outcomes)
        people = consensus(annotations, asked)
        if not people.truth:
            raise AnnotationError(
                f"People decided no item: {len(people.ties)} ties, {len(people.unrated)} without an answer. "
                "More answers are needed: complete the sheet, or ask a third person."
            )
        records = {item.name: self._records[item.item_id] for item in self.key.items}
        labels = _labels(annotations, asked)
        evidence = gather(self.outcomes, records, self.key, people.truth, labels)
        return reported(self.key, people, evidence, annotations, asked)

    def figures(self, record: SheetScore) -> Result:
        """Return people's agreement, the judge's errors and corrected rates."""
        return scored(record)


def score(folder: Path, outcomes: Sequence[Outcome], key: Key, paths: Sequence[Path]) -> SheetScore:
    """Return the report on files of answers to a sheet that was drawn from the suite in `folder`.

    `outcomes` are the suite's. Raises ResultsError, and AnnotationError when people decided no item.
    """
    people = PeopleAsked(folder, outcomes, key, paths)
    return people.record([people.ask(item) for item in people.items])


def _labels(
    annotations: Sequence[Annotation], asked: Mapping[str, RatedQuestion]
) -> dict[str, tuple[float | None, ...]]:
    """Return item id -> each person's answer as a number, in the order of names."""
    given = {(a.person, a.item_id): a.reading.value for a in annotations if a.reading is not None}
    people = sorted({annotation.person for annotation in annotations})
    return {item: tuple(given.get((person, item)) for person in people) for item in asked}


def _read(record: Record, text: str) -> Any:
    return read_answer(text, record.case.metric, record.case.context)


def _asked(key: Key, records: Mapping[str, Record], outcomes: Sequence[Outcome]) -> dict[str, RatedQuestion]:
    names = {item.name for item in key.items}
    groups = by_measure([outcome for outcome in outcomes if name_of(outcome) in names])
    group_of: dict[ItemName, str] = {name_of(o): group for group, found in groups.items() for o in found}
    clusters = {name_of(outcome): outcome.cluster for outcome in outcomes}
    return {
        item.item_id: RatedQuestion(records[item.item_id].case.metric.measure, group_of[item.name], clusters[item.name])
        for item in key.items
    }
