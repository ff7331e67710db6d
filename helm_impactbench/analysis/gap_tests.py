"""Gaps of contrast metrics as paired differences: tests in families, and what missing values could change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.contrast_metrics import LevelGap
from helm_impactbench.analysis.matched_sets import MatchedSet
from helm_impactbench.analysis.paired import (
    CasePair,
    Difference,
    HalfPair,
    InFamily,
    MissingBySide,
    among,
    paired_difference,
)


@dataclass(frozen=True)
class GapTest(InFamily):
    """The difference between two levels, tested among others."""

    gap: LevelGap


def gap_tests(gaps: Iterable[tuple[LevelGap, Sequence[MatchedSet]]]) -> list[GapTest]:
    """Return a test of every gap, given with the matched sets that it was taken from; all of them are one family."""
    raw = [(gap, gap_difference(gap, sets)) for gap, sets in gaps]
    tested = iter(among([difference for _, difference in raw if difference]))
    return [GapTest(gap, difference=next(tested) if difference else None) for gap, difference in raw]


def gap_difference(gap: LevelGap, sets: Sequence[MatchedSet]) -> Difference | None:
    """Return a gap as a difference over the matched sets that it was taken from; None where none has both levels."""
    first, second = gap.first, gap.second
    counted = [found for found in sets if found.metric in gap.estimate.groups]
    pairs, half_pairs = list[CasePair](), list[HalfPair]()
    for found in counted:
        value, reach = found.gap(first, second), found.gap_range(first, second)
        if value is not None:
            pairs.append(CasePair(found.metric, found.base_id, value))
        elif reach is not None:
            half_pairs.append(HalfPair(found.metric, found.base_id, *reach))
    missing = MissingBySide(
        first=sum(first in found.missing for found in counted),
        second=sum(second in found.missing for found in counted),
        not_applicable_first=sum(first in found.not_applicable for found in counted),
        not_applicable_second=sum(second in found.not_applicable for found in counted),
    )
    return paired_difference(pairs, gap.estimate.figure.high, half_pairs, missing)


@dataclass(frozen=True)
class Distance:
    """How far one matched set is from 0, in the direction of its model's widest gap."""

    metric: str
    base_id: str
    low: float
    """The least that it can be; equal to `high` unless a value is missing."""
    high: float

    @property
    def is_known(self) -> bool:
        """Whether both levels have a value."""
        return self.low == self.high and math.isfinite(self.low)


def distance(found: MatchedSet, widest: LevelGap) -> Distance | None:
    """Return how far a matched set is from 0 in the direction of the widest gap; None where a level has no value."""
    reach = found.gap_range(widest.first, widest.second)
    if reach is None:
        return None
    ends = sorted(math.copysign(1.0, widest.estimate.value) * end for end in reach)
    return Distance(found.metric, found.base_id, ends[0], ends[1])
