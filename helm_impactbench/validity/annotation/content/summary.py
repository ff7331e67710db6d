"""What experts say of the content: per benchmark and of all, where they differ, and which items to correct first."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval
from helm_impactbench.validity.annotation.consensus import PeopleAgreement, RatedQuestion, consensus
from helm_impactbench.validity.annotation.content.key import ContentItem, ContentKey
from helm_impactbench.validity.annotation.content.reading import (
    CONFIDENCE,
    FIVE_POINTS,
    PRESENCE,
    SCALES,
    VERDICT,
    ContentAnswer,
    read_answers,
)
from helm_impactbench.validity.annotation.reading import Annotation

EVERYTHING = "all benchmarks"
LOW = 2
"""Points at which an answer says that something is wrong."""


@dataclass(frozen=True)
class RatedPoints:
    """The answers to one question of five points."""

    answers: int
    mean: float | None
    """From 1 to 5; None without an answer."""
    interval: Interval
    """95%, for other metrics like these: metrics are clusters."""
    spread: float | None
    """Standard deviation of the answers; None with fewer than two."""


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on sample replies; those without one are not counted."""

    answers: int
    agreeing: float | None
    """Share that is the intended verdict; "unclear" is not. None without a verdict."""
    interval: Interval
    """95%, for other metrics like these: metrics are clusters."""
    unclear: float | None
    """Share that is "unclear"."""


@dataclass(frozen=True)
class ContentRow:
    """What experts say of one benchmark, or of all."""

    name: str
    items: int
    """Items that somebody answered."""
    points: dict[str, RatedPoints]
    """By question: relevance, clarity, realism, confidence."""
    verdicts: Verdicts
    shown: Verdicts
    """On replies that were written to show the behaviour."""
    missed: Verdicts
    """On near misses."""


@dataclass(frozen=True)
class FlaggedItem:
    """An item with which experts found fault."""

    item: ContentItem
    faults: int
    """Verdicts that are not the intended one, and points of LOW or less."""
    verdicts: tuple[str, ...]
    """One per expert who gave one."""
    points: dict[str, tuple[float, ...]]
    """Question -> points, one per expert who gave some."""
    comments: tuple[tuple[str, str], ...]
    """(expert, comment) pairs."""


@dataclass(frozen=True)
class ContentReport:
    """The score of a sheet of content."""

    key: ContentKey
    people: dict[str, int]
    """Expert -> items answered."""
    rows: tuple[ContentRow, ...]
    """All benchmarks first, then each."""
    agreement: tuple[PeopleAgreement, ...]
    """Of experts with each other, by question; none with fewer than two."""
    flagged: tuple[FlaggedItem, ...]
    """Items with faults or comments, those with most faults first."""


def score_content(key: ContentKey, paths: Sequence[Path]) -> ContentReport:
    """Return the report on files of answers. Raises AnnotationError."""
    answers = read_answers(paths, key.items)
    slugs = sorted({answer.item.benchmark for answer in answers})
    people = sorted({answer.person for answer in answers})
    return ContentReport(
        key=key,
        people={name: sum(answer.person == name for answer in answers) for name in people},
        rows=(
            _row(EVERYTHING, answers),
            *(_row(slug, [answer for answer in answers if answer.item.benchmark == slug]) for slug in slugs),
        ),
        agreement=_agreement(key, answers) if len(people) > 1 else (),
        flagged=_flagged_items(key, answers),
    )


def _row(name: str, answers: Sequence[ContentAnswer]) -> ContentRow:
    return ContentRow(
        name=name,
        items=len({answer.item.item_id for answer in answers}),
        points={question: _points(question, answers) for question in (*SCALES, CONFIDENCE)},
        verdicts=_verdicts(answers),
        shown=_verdicts([answer for answer in answers if answer.item.intended == "present"]),
        missed=_verdicts([answer for answer in answers if answer.item.intended == "absent"]),
    )


def _points(question: str, answers: Sequence[ContentAnswer]) -> RatedPoints:
    given = [(answer.item.metric, value) for answer in answers if (value := answer.points(question)) is not None]
    if not given:
        return RatedPoints(0, None, UNKNOWN, None)
    found = clustered(given)
    spread = statistics.stdev(value for _, value in given) if len(given) > 1 else None
    return RatedPoints(len(given), found.mean, cluster_interval(found, *FIVE_POINTS.bounds), spread)


def _verdicts(answers: Sequence[ContentAnswer]) -> Verdicts:
    given = [(answer.item.metric, float(answer.agrees)) for answer in answers if answer.agrees is not None]
    if not given:
        return Verdicts(0, None, UNKNOWN, None)
    found = clustered(given)
    unclear = sum(answer.verdict == "unclear" for answer in answers) / len(given)
    return Verdicts(len(given), found.mean, cluster_interval(found), unclear)


def _agreement(key: ContentKey, answers: Sequence[ContentAnswer]) -> tuple[PeopleAgreement, ...]:
    """Return how far experts agree: every question about an item is an item of its own to `consensus`."""
    annotations = [
        Annotation(answer.person, f"{answer.item.item_id} {question}", reading.answer or reading.status, "", reading)
        for answer in answers
        for question, reading in answer.readings.items()
        if question != CONFIDENCE
    ]
    asked = {
        f"{item.item_id} {question}": RatedQuestion(
            PRESENCE if question == VERDICT else FIVE_POINTS, question, item.metric
        )
        for question in (*SCALES, VERDICT)
        for item in key.items
        if question != VERDICT or item.intended
    }
    return consensus(annotations, asked).agreement


def _flagged_items(key: ContentKey, answers: Sequence[ContentAnswer]) -> tuple[FlaggedItem, ...]:
    by_item: dict[str, list[ContentAnswer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item.item_id, []).append(answer)
    found = [_flagged(item, by_item[item.item_id]) for item in key.items if item.item_id in by_item]
    wanting = [one for one in found if one.faults or one.comments]
    return tuple(sorted(wanting, key=lambda one: (-one.faults, -len(one.comments))))


def _flagged(item: ContentItem, answers: Sequence[ContentAnswer]) -> FlaggedItem:
    points = {
        question: tuple(value for answer in answers if (value := answer.points(question)) is not None)
        for question in SCALES
    }
    low = sum(value <= LOW for values in points.values() for value in values)
    return FlaggedItem(
        item=item,
        faults=low + sum(answer.agrees is False for answer in answers),
        verdicts=tuple(answer.verdict for answer in answers if answer.verdict is not None),
        points=points,
        comments=tuple((answer.person, answer.comment) for answer in answers if answer.comment),
    )
