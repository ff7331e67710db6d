"""Did texts that answer the same situations change between two suites? Pure; whose texts they are is the caller's.

Each text is a vector of named numbers. Dimensions are tested together by sign flips over base scenarios (max-T).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from helm_impactbench.stats.simultaneous import ALPHA, FamilyTest, simultaneous_tests

Style = Mapping[str, float]
"""Dimension -> its value in one text; a dimension that a text does not have is left out or nan."""


@dataclass(frozen=True)
class TextPair:
    """Two texts on the same case, one from each suite."""

    cluster: Hashable
    """The base scenario, across benchmarks."""
    before: Style
    after: Style
    identical: bool
    """Whether they are the same text, letter by letter."""
    group: str = ""
    """Whose texts they are, where several are tested together: the target."""


@dataclass(frozen=True)
class Dimension:
    """One dimension of texts, second suite minus first."""

    group: str
    name: str
    before: float
    after: float
    test: FamilyTest
    """Among all dimensions of all groups."""


@dataclass(frozen=True)
class TextShift:
    """What pairs of texts say together."""

    pairs: int
    scenarios: int
    """Base scenarios: the clusters."""
    identical: float
    """Share of pairs with the same text; nan without a pair."""
    dimensions: tuple[Dimension, ...]
    """The smallest p value first."""

    @property
    def p_value(self) -> float:
        """Of "the texts did not change", corrected for the dimensions; 1.0 where nothing can be told."""
        return min((one.test.adjusted for one in self.dimensions), default=1.0)

    @property
    def is_copied(self) -> bool:
        """Whether all texts are the same: answers from the cache, or of a script."""
        return self.identical == 1.0

    @property
    def can_be_told(self) -> bool:
        """Whether a change could have been found."""
        return self.pairs > 0 and (self.is_copied or any(one.test.smallest * 3 <= ALPHA for one in self.dimensions))

    def moved(self, factor: float = 1.0) -> tuple[Dimension, ...]:
        """Return the dimensions that moved, where p values are multiplied by a factor for further tests."""
        return tuple(one for one in self.dimensions if one.test.adjusted * factor <= ALPHA)


def text_shift(pairs: Sequence[TextPair]) -> TextShift:
    """Return what changed between pairs of texts."""
    if not pairs:
        return TextShift(0, 0, math.nan, ())
    names = list(dict.fromkeys((pair.group, name) for pair in pairs for name in (*pair.before, *pair.after)))
    columns = {name: _column(pairs, *name) for name in names}
    kept = [name for name, column in columns.items() if column[2]]
    tests = simultaneous_tests([columns[name][2] for name in kept])
    found = [Dimension(*name, *columns[name][:2], test) for name, test in zip(kept, tests, strict=True)]
    return TextShift(
        pairs=len(pairs),
        scenarios=len({pair.cluster for pair in pairs}),
        identical=fmean(pair.identical for pair in pairs),
        dimensions=tuple(sorted(found, key=lambda one: (one.test.adjusted, one.test.p_value, one.group, one.name))),
    )


def _column(pairs: Sequence[TextPair], group: str, name: str) -> tuple[float, float, dict[Hashable, float]]:
    """Return the means of a dimension before and after, and what each base scenario adds to their difference."""
    rows = [
        (pair.cluster, old, new)
        for pair in pairs
        if pair.group == group
        and not math.isnan(old := pair.before.get(name, math.nan))
        and not math.isnan(new := pair.after.get(name, math.nan))
    ]
    moves: dict[Hashable, float] = {}
    for cluster, old, new in rows:
        moves[cluster] = moves.get(cluster, 0.0) + (new - old) / len(rows)
    if not rows:
        return math.nan, math.nan, {}
    return fmean(old for _, old, _ in rows), fmean(new for *_, new in rows), moves
