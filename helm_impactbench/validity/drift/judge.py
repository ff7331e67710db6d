"""Did a judge change between two readings of the same anchors? Pure.

A judge that is asked the same thing twice does not always say the same. Each anchor is asked several times in each
suite, and the test asks whether answers differ more between the suites than within them, so that the judge's own noise
need not be known. In which direction it moved follows from the known verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats, clustered
from helm_impactbench.stats.exchange import exchange_test, smallest_share
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval
from helm_impactbench.validity.records.anchors import AnchorRecord
from helm_impactbench.validity.records.answers import JudgedItem, KnownAnswer

FEWEST_ANCHORS = 10
"""With fewer, only a change of nearly every third answer would be found, so nothing is said."""
PRESENCE = "presence"


@dataclass(frozen=True)
class Moved:
    """A share of answers before and after, over the anchors that have it in both readings."""

    before: float
    """nan without an anchor."""
    after: float
    interval: Interval
    """95%, of the difference; metrics are clusters."""
    anchors: int


@dataclass(frozen=True)
class JudgeShift:
    """What two readings of anchors say about their judge."""

    anchors: int
    """Asked in both, with an answer in both."""
    repeats: int
    """The least number of answers to an anchor in a reading."""
    between: float
    """Mean distance, from 0 to 1, of two answers to an anchor from different readings; nan without one."""
    within: float
    """The same from one reading: the judge's noise."""
    p_value: float
    """Of "the judge did not change"; 1.0 where it cannot be told."""
    accuracy: Moved
    """Share of known verdicts that it finds."""
    present: Moved
    """Share of anchors on presence that it calls present."""

    @property
    def can_be_told(self) -> bool:
        """Whether a change could have been found."""
        return self.anchors >= FEWEST_ANCHORS and self.smallest(0.8) < 1

    def smallest(self, probability: float) -> float:
        """Return the least share of answers whose change is found with this probability."""
        return smallest_share(self.anchors, self.repeats, probability)


NO_ANCHORS = JudgeShift(
    0, 0, math.nan, math.nan, 1.0, Moved(math.nan, math.nan, UNKNOWN, 0), Moved(math.nan, math.nan, UNKNOWN, 0)
)


@dataclass(frozen=True)
class RecordFigures:
    """What one reading says of its judge."""

    anchors: int
    """With an answer."""
    noise: float | None
    """Mean distance, from 0 to 1, of two answers to the same anchor; None where none was asked twice."""


def record_figures(record: AnchorRecord) -> RecordFigures:
    """Return the figures of one reading."""
    own = [answer for answer in record.items if _answers(answer)]
    repeated = [_distances(said, ())[0] for answer in own if len(said := _answers(answer)) > 1]
    noise = [float(one.sum()) / (len(one) * (len(one) - 1)) for one in repeated]
    return RecordFigures(len(own), float(np.mean(noise)) if noise else None)


def judge_shift(before: AnchorRecord | None, after: AnchorRecord | None) -> JudgeShift:
    """Return what changed between two readings, over the anchors that both have."""
    if before is None or after is None:
        return NO_ANCHORS
    later = {answer.item: answer for answer in after.items}
    pairs = [
        (first, second)
        for first in before.items
        if (second := later.get(first.item)) is not None and _answers(first) and _answers(second)
    ]
    if not pairs:
        return NO_ANCHORS
    test = exchange_test([_distances(_answers(first), _answers(second)) for first, second in pairs])
    repeats = min(min(len(_answers(first)), len(_answers(second))) for first, second in pairs)
    return JudgeShift(
        anchors=len(pairs),
        repeats=repeats,
        between=test.between,
        within=test.within,
        p_value=test.p_value,
        accuracy=_moved(pairs, _right),
        present=_moved([pair for pair in pairs if pair[0].measure == PRESENCE], _present),
    )


def _answers(answer: JudgedItem) -> list[KnownAnswer]:
    return [said for said in answer.plain if said.is_given]


def _distances(before: Sequence[KnownAnswer], after: Sequence[KnownAnswer]) -> tuple[Floats, int]:
    """Return how far the answers to one anchor are from each other, and how many are from before.

    Numbers by their share of the range of all answers to this anchor; anything else is alike or not.
    """
    said = [*before, *after]
    values = [one.value for one in said if one.value is not None]
    span = max(values) - min(values) if values else 0.0
    found = np.zeros((len(said), len(said)))
    for row, one in enumerate(said):
        for column, other in enumerate(said):
            found[row, column] = _distance(one, other, span)
    return found, len(before)


def _distance(one: KnownAnswer, other: KnownAnswer, span: float) -> float:
    if one.value is None or other.value is None:
        return float(one.status != other.status or one.value is not other.value)
    return abs(one.value - other.value) / span if span > 0 else 0.0


def _right(answer: JudgedItem) -> float | None:
    known = [said.right for said in answer.plain if said.right is not None]
    return sum(known) / len(known) if known else None


def _present(answer: JudgedItem) -> float | None:
    values = [said.value for said in answer.plain if said.value is not None]
    return sum(values) / len(values) if values else None


def _moved(pairs: Sequence[tuple[JudgedItem, JudgedItem]], share: Callable[[JudgedItem], float | None]) -> Moved:
    kept = [
        (first.cluster, old, new)
        for first, second in pairs
        if (old := share(first)) is not None and (new := share(second)) is not None
    ]
    if not kept:
        return Moved(math.nan, math.nan, UNKNOWN, 0)
    found = cluster_interval(clustered((metric, new - old) for metric, old, new in kept), -1.0, 1.0)
    before, after = (float(np.mean([row[place] for row in kept])) for place in (1, 2))
    return Moved(before, after, found, len(kept))
