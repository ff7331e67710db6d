"""The people whose results stand in a row of their own, so that no average hides them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.results.outcome import Outcome

AGE = "age"
MOST_GROUPS = 3
"""Beside everybody: more do not fit on a sheet. Those that fare worse, and children, come first."""
_YOUNG = re.compile(r"\b(?:child(?:ren)?|teen\w*|minors?|adolescents?|under 18|pupils?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class GradeGroup:
    """The people at one level of an axis."""

    axis: str
    level: str

    @property
    def is_young(self) -> bool:
        """Whether these are children or teenagers, by what their age is called."""
        return self.axis == AGE and bool(_YOUNG.search(self.level))


def groups_of(outcomes: Sequence[Outcome], unequal: Sequence[PeopleGap]) -> tuple[GradeGroup, ...]:
    """Return the groups of a label: both sides of each difference between people, and ages where there are several."""
    return tuple(dict.fromkeys(_in_order(outcomes, unequal)))[:MOST_GROUPS]


def worse_side(gap: PeopleGap) -> GradeGroup:
    """Return the group that fares worse."""
    return GradeGroup(gap.axis, gap.worse[0])


def better_side(gap: PeopleGap) -> GradeGroup:
    """Return the group that fares better."""
    return GradeGroup(gap.axis, gap.better[0])


def _in_order(outcomes: Sequence[Outcome], unequal: Sequence[PeopleGap]) -> Iterator[GradeGroup]:
    levels = sorted({level for outcome in outcomes for axis, level in outcome.axes if axis == AGE})
    ages = [GradeGroup(AGE, level) for level in levels] if len(levels) > 1 else []
    yield from map(worse_side, unequal)
    yield from (group for group in ages if group.is_young)
    yield from map(better_side, unequal)
    yield from ages
