"""The judge against people where answers differ by a distance: same side, mean distance, alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.agreement import Rating, krippendorff_alpha_of_numbers
from helm_impactbench.stats.agreement_intervals import alpha_interval
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval
from helm_impactbench.validity.annotation.consensus import RatedQuestion
from helm_impactbench.validity.annotation.evidence import AnnotationEvidence, AnsweredItem
from helm_impactbench.validity.annotation.reading import Annotation
from helm_impactbench.validity.annotation.sampling import side_of


@dataclass(frozen=True)
class DistanceRow:
    """The judge on one measure, or on one metric of it, over the items of the sheet as they are."""

    name: str
    """The measure, or slug/id of a metric."""
    items: int
    answers: int
    """People's answers on them."""
    same_side: float | None
    """Share of answers on the side of the measure's middle that the judge's value is on; None without ends."""
    same_side_interval: Interval
    """95%; items are clusters."""
    distance: float
    """Mean distance of an answer from the judge's value, in the units of the measure."""
    distance_interval: Interval
    alpha: float | None
    """Krippendorff's, people and judge; None where it is undefined."""
    alpha_interval: Interval = UNKNOWN
    """95%, for other base scenarios like these."""


Ratings = Mapping[str, Sequence[Rating]]
"""Item id -> the people's values, one per person."""


def distance_rows(
    evidence: AnnotationEvidence, annotations: Sequence[Annotation], asked: Mapping[str, RatedQuestion]
) -> list[DistanceRow]:
    """Return a row per measure whose answers differ by a distance, and one per metric where it has several."""
    ratings = _ratings(annotations, asked)
    items = [
        found
        for found in evidence.items
        if found.outcome.scale == "interval"
        and found.outcome.value is not None
        and any(rating is not None for rating in ratings[found.item.item_id])
    ]
    groups: dict[str, list[AnsweredItem]] = {}
    for found in items:
        groups.setdefault(asked[found.item.item_id].group, []).append(found)
    rows = []
    for group, own in groups.items():
        metrics = sorted({found.outcome.metric for found in own})
        rows.append(_row(group, own, ratings))
        rows += [
            _row(metric, [found for found in own if found.outcome.metric == metric], ratings)
            for metric in (metrics if len(metrics) > 1 else ())
        ]
    return rows


def _ratings(annotations: Sequence[Annotation], asked: Mapping[str, RatedQuestion]) -> Ratings:
    values = {(a.person, a.item_id): a.reading.value for a in annotations if a.reading is not None}
    people = sorted({annotation.person for annotation in annotations})
    return {item: [values.get((person, item)) for person in people] for item in asked}


def _row(name: str, items: Sequence[AnsweredItem], ratings: Ratings) -> DistanceRow:
    pairs = [
        (found.item.item_id, found.outcome, rating, found.outcome.value)
        for found in items
        for rating in ratings[found.item.item_id]
        if rating is not None and found.outcome.value is not None
    ]
    rated = [[*ratings[found.item.item_id], found.outcome.value] for found in items]
    far = clustered((item, abs(rating - value)) for item, _, rating, value in pairs)
    near = [(item, _same(outcome, rating, value)) for item, outcome, rating, value in pairs if outcome.bounds]
    same = clustered(near) if near else None
    span = max((o.bounds[1] - o.bounds[0] if o.bounds else float("inf") for _, o, _, _ in pairs), default=1.0)
    return DistanceRow(
        name=name,
        items=len(items),
        answers=len(pairs),
        same_side=same.mean if same else None,
        same_side_interval=cluster_interval(same) if same else UNKNOWN,
        distance=far.mean,
        distance_interval=cluster_interval(far, 0.0, span),
        alpha=krippendorff_alpha_of_numbers(rated),
        alpha_interval=alpha_interval(rated, [found.outcome.cluster for found in items], nominal=False),
    )


def _same(outcome: Outcome, rating: float, value: float) -> float:
    return float(side_of(outcome, rating) == side_of(outcome, value))
