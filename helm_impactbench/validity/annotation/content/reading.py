"""Read experts' answers back, as strictly as annotations: every fault is told with its file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.scale import Point, Scale
from helm_impactbench.errors import did_you_mean
from helm_impactbench.validity.annotation.content.key import ContentItem
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.reading import (
    Annotation,
    check_faults,
    person_names,
    read_cells,
    repeated,
)

SCALES = ("relevance", "clarity", "realism")
VERDICT, CONFIDENCE, COMMENT = "verdict", "confidence", "comment"
COLUMNS = (*SCALES, VERDICT, CONFIDENCE, COMMENT)
"""What an expert fills in."""
QUESTIONS = (*SCALES, VERDICT, CONFIDENCE)
WORDS = ("present", "absent", "unclear")
FIVE_POINTS = Scale(points=[Point(id=f"p{value}", value=value, description=str(value)) for value in range(1, 6)])
PRESENCE = Presence()


@dataclass(frozen=True)
class ContentAnswer:
    """One expert's answers on one item."""

    person: str
    item: ContentItem
    readings: Mapping[str, ParsedAnswer]
    """Question -> answer; without those that were left empty."""
    comment: str

    def points(self, question: str) -> float | None:
        """Return the answer to a question of five points; None without one."""
        return self.readings[question].value if question in self.readings else None

    @property
    def verdict(self) -> str | None:
        """present, absent or unclear; None without a verdict."""
        found = self.readings.get(VERDICT)
        return None if found is None else found.answer or found.status

    @property
    def agrees(self) -> bool | None:
        """Whether the verdict is the intended one; None without a verdict."""
        return None if self.verdict is None else self.verdict == self.item.intended


def read_answers(paths: Sequence[Path], items: Sequence[ContentItem]) -> list[ContentAnswer]:
    """Return the filled-in rows of one or more files. Raises AnnotationError with every fault found."""
    known = {item.item_id: item for item in items}
    answers: list[ContentAnswer] = []
    rows: list[Annotation] = []
    faults: list[str] = []
    for path, person in zip(paths, person_names(paths), strict=True):
        for where, cells in read_cells(path, ("item_id", *QUESTIONS), (COMMENT, "annotator")):
            name = cells["annotator"] or person
            rows.append(Annotation(name, cells["item_id"], "", where))
            if cells["item_id"] not in known:
                faults.append(
                    f"{where}: no item {cells['item_id']!r} in this key; these answers are of another sheet, or the id "
                    f"was changed.{did_you_mean(cells['item_id'], known)}"
                )
            else:
                answers.append(_answer(name, known[cells["item_id"]], cells, where, faults))
    check_faults([*faults, *repeated(rows)])
    filled = [answer for answer in answers if answer.readings or answer.comment]
    if not filled:
        raise AnnotationError(f"No answer in {', '.join(map(str, paths))}: the columns of answers are all empty.")
    return filled


def _answer(person: str, item: ContentItem, cells: Mapping[str, str], where: str, faults: list[str]) -> ContentAnswer:
    readings = {}
    for question in QUESTIONS:
        if not cells[question]:
            continue
        try:
            readings[question] = _read(question, cells[question].lower(), item)
        except InvalidAnswerError as error:
            faults.append(f"{where}, {question}: {error}")
    return ContentAnswer(person, item, readings, cells[COMMENT])


def _read(question: str, text: str, item: ContentItem) -> ParsedAnswer:
    if question != VERDICT:
        if text not in ("1", "2", "3", "4", "5"):
            raise InvalidAnswerError(f"{text[:40]!r} is not an answer. Write 1, 2, 3, 4 or 5, or nothing.")
        return FIVE_POINTS.read(f"p{text}", applies=False)
    if item.intended is None:
        raise InvalidAnswerError(
            f"{text[:40]!r} is a verdict, but this item has no sample reply. Leave the cell empty."
        )
    if text not in WORDS:
        raise InvalidAnswerError(
            f"{text[:40]!r} is not an answer. Write {' / '.join(WORDS)}, or nothing.{did_you_mean(text, WORDS)}"
        )
    return PRESENCE.read(text, applies=False)
