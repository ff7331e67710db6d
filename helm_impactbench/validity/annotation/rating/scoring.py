"""Score rating sheets: content validity of metrics by experts, or how real openings sound to their readers. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.content_validity import ItemValidity, ScaleValidity, item_validity, scale_validity
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval
from helm_impactbench.validity.annotation.rating.sheet import RatedItem, RatingKey, points_of
from helm_impactbench.validity.annotation.reading import read_annotations

LAST = "last"
"""Item id of what is asked once, at the end."""


@dataclass(frozen=True)
class RatedText:
    """What people said of one item."""

    item: RatedItem
    points: Mapping[str, int]
    """Person -> points."""

    @property
    def mean(self) -> float:
        """Mean of the points; nan without an answer."""
        return math.fsum(self.points.values()) / len(self.points) if self.points else math.nan

    @property
    def validity(self) -> ItemValidity:
        """Of a metric: the indices of content validity."""
        return item_validity(list(self.points.values()))


@dataclass(frozen=True)
class RatingReport:
    """The score of a rating sheet."""

    key: RatingKey
    people: tuple[str, ...]
    texts: tuple[RatedText, ...]

    @property
    def scale(self) -> ScaleValidity:
        """Of a sheet on relevance: the indices of all metrics that somebody rated."""
        return scale_validity(one.validity for one in self.texts if one.points)

    @property
    def complete(self) -> dict[str, list[int]]:
        """Metric -> a rating of each expert, in the order of `people`; without metrics that somebody left out."""
        rated = {one.item.about: one.points for one in self.texts if set(one.points) == set(self.people)}
        return {metric: [points[name] for name in self.people] for metric, points in sorted(rated.items())}

    def realism(self, about: str) -> tuple[float, Interval, int]:
        """Return the mean points of openings of one kind, its 95% interval for others like these, and their number."""
        own = [one for one in self.texts if one.item.about == about and one.points]
        values = clustered((one.item.item_id, float(points)) for one in own for points in one.points.values())
        if not own:
            return math.nan, UNKNOWN, 0
        return values.mean, cluster_interval(values, 1.0, float(len(points_of(self.key.rating)))), len(own)


def score_ratings(key: RatingKey, paths: Sequence[Path]) -> RatingReport:
    """Return the report on files of answers. Raises AnnotationError."""
    most = len(points_of(key.rating))
    readers = {item.item_id: partial(_points, most=most) for item in key.items}
    found = read_annotations(paths, {**readers, LAST: partial(_points, most=0)})
    given = [one for one in found if one.reading is not None]
    points: dict[str, dict[str, int]] = {}
    for one in given:
        assert one.reading is not None
        points.setdefault(one.item_id, {})[one.person] = int(one.reading.value or 0)
    texts = tuple(RatedText(item, points.get(item.item_id, {})) for item in key.items)
    return RatingReport(key, tuple(sorted({one.person for one in given})), texts)


def _points(word: str, most: int) -> ParsedAnswer:
    if word not in map(str, range(1, most + 1)):
        raise InvalidAnswerError(f"{word[:40]!r} is not an answer. Write a number from 1 to {most}, or nothing.")
    return ParsedAnswer("answered", word, float(word))
