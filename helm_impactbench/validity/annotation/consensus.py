"""What people say: how far they agree, and the one answer per item that a judge is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from helm_impactbench.benchmark.measures.base import Measure, ParsedAnswer
from helm_impactbench.stats.agreement import (
    Kappa,
    Rating,
    cohen_kappa,
    krippendorff_alpha,
    krippendorff_alpha_of_numbers,
)
from helm_impactbench.stats.agreement_intervals import alpha_interval
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.validity.annotation.reading import Annotation

HALF = 0.5
"""The value of a tie between present and absent: what people say of it is modelled, and not left out."""


@dataclass(frozen=True)
class RatedQuestion:
    """What people were asked about one item."""

    measure: Measure
    group: str
    """Name of the measure, within which values mean the same."""
    cluster: Hashable = None
    """The base scenario that it is about; None for one of its own."""


@dataclass(frozen=True)
class Truth:
    """People's answer to one item."""

    status: Literal["answered", "not_applicable"]
    value: float | None
    """None unless answered; HALF where as many say present as absent."""
    tied: bool = False
    """Whether as many say present as absent."""


@dataclass(frozen=True)
class Annotator:
    """One annotator's counts over the whole sheet."""

    name: str
    words: Mapping[str, int]
    """Answer -> how often; numbers are counted as "a number"."""
    unanswered: int
    """Items without an answer, those that are not in the person's file included."""


@dataclass(frozen=True)
class PeopleAgreement:
    """How far people agree with each other on one measure."""

    measure: str
    pairs: tuple[tuple[str, str, Kappa], ...]
    """Nominal: Cohen's kappa of every two people over the items that both have rated."""
    alpha: float | None
    """Krippendorff's over all people; None where it is undefined."""
    alpha_interval: Interval = UNKNOWN
    """95%, for other base scenarios like these."""

    @property
    def is_chance(self) -> bool:
        """Whether people do not agree more than answers at random would: the interval of alpha includes 0."""
        return self.alpha is not None and (
            self.alpha <= 0 or (self.alpha_interval.is_known and self.alpha_interval.low <= 0)
        )


@dataclass(frozen=True)
class Consensus:
    """The people's answer to every item, and how it came about."""

    truth: dict[str, Truth]
    """Item id -> answer, in the order of the sheet: the majority's, or the median of numbers and points."""
    ties: tuple[str, ...]
    """Items on which the answers balance between points, or between an answer and none; they are left out."""
    unrated: tuple[str, ...]
    """Items that nobody answered, or nobody but with "unclear"."""
    people: tuple[Annotator, ...]
    agreement: tuple[PeopleAgreement, ...]
    """By measure; none with fewer than two people."""
    halves: tuple[str, ...] = ()
    """Items on which as many say present as absent; they are kept."""


def consensus(annotations: Sequence[Annotation], items: Mapping[str, RatedQuestion]) -> Consensus:
    """Return what people say of the items of a sheet (item id -> what was asked). "unclear" is not a rating."""
    own: dict[str, dict[str, Annotation]] = {}
    for annotation in annotations:
        own.setdefault(annotation.person, {})[annotation.item_id] = annotation
    people = sorted(own)
    truths = {
        item: _truth([found.reading for name in people if (found := own[name].get(item))], asked.measure)
        for item, asked in items.items()
    }
    groups = dict.fromkeys(asked.group for asked in items.values())
    return Consensus(
        truth={item: truth for item, truth in truths.items() if isinstance(truth, Truth)},
        ties=tuple(item for item, truth in truths.items() if truth == "tie"),
        halves=tuple(item for item, truth in truths.items() if isinstance(truth, Truth) and truth.tied),
        unrated=tuple(item for item, truth in truths.items() if truth is None),
        people=tuple(_person(name, own[name], len(items)) for name in people),
        agreement=tuple(_agreement(group, own, items) for group in groups if len(people) > 1),
    )


def _truth(readings: Sequence[ParsedAnswer | None], measure: Measure) -> Truth | Literal["tie"] | None:
    said = [reading for reading in readings if reading is not None and reading.status != "unclear"]
    if not said:
        return None
    values = [reading.value for reading in said if reading.value is not None]
    silent = len(said) - len(values)
    if silent == len(values):
        return "tie"
    if silent > len(values):
        return Truth("not_applicable", None)
    value = measure.combine(values)
    if value is None and measure.scale == "nominal" and measure.bounds == (0.0, 1.0):
        return Truth("answered", HALF, tied=True)
    return "tie" if value is None else Truth("answered", value)


def _agreement(
    group: str, own: Mapping[str, Mapping[str, Annotation]], items: Mapping[str, RatedQuestion]
) -> PeopleAgreement:
    asked = {item: found for item, found in items.items() if found.group == group}
    nominal = next(iter(asked.values())).measure.scale == "nominal"
    ratings: dict[str, list[Rating]] = {
        name: [_value(found.get(item)) for item in asked] for name, found in sorted(own.items())
    }
    rated = list(zip(*ratings.values(), strict=True))
    clusters = [found.cluster or item for item, found in asked.items()]
    return PeopleAgreement(
        measure=group,
        pairs=tuple(
            (a, b, cohen_kappa(ratings[a], ratings[b], clusters)) for a, b in combinations(ratings, 2) if nominal
        ),
        alpha_interval=alpha_interval(rated, clusters, nominal=nominal),
        alpha=krippendorff_alpha(rated) if nominal else krippendorff_alpha_of_numbers(rated),
    )


def _value(annotation: Annotation | None) -> float | None:
    return annotation.reading.value if annotation and annotation.reading else None


def _person(name: str, own: Mapping[str, Annotation], items: int) -> Annotator:
    words = Counter(_counted(annotation.word) for annotation in own.values() if annotation.word)
    return Annotator(name, dict(sorted(words.items())), items - words.total())


def _counted(word: str) -> str:
    return "a number" if word.lstrip("+-")[:1].isdigit() else word
