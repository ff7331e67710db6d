"""Content validity indices from experts' ratings of relevance on four points.

Sources: Lynn (1986), Determination and quantification of content validity, Nursing Research 35(6), 382-385; Polit &
Beck (2006), The content validity index, Research in Nursing & Health 29(5), 489-497; Polit, Beck & Owen (2007), Is the
CVI an acceptable indicator of content validity?, ibid. 30(4), 459-467.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.stats.intervals import Interval, wilson

RELEVANT = 3
"""Points, of 1 to 4, from which a rating counts as relevant."""
LEAST_ITEM = 0.78
"""I-CVI of an item that is kept, with six experts or more; with five or fewer it is 1 (Lynn, 1986)."""
LEAST_SCALE = 0.90
"""S-CVI/Ave of a set of items that is excellent (Polit & Beck, 2006)."""
FEW_EXPERTS = 5


@dataclass(frozen=True)
class ItemValidity:
    """How relevant experts call one item."""

    experts: int
    index: float
    """I-CVI: share that calls it relevant; nan without an expert."""
    interval: Interval
    """95%, Wilson: for other experts like these."""
    kappa: float
    """I-CVI corrected for agreement on relevance by chance; nan without an expert."""

    @property
    def is_kept(self) -> bool:
        """Whether it reaches what Lynn (1986) asks of so many experts."""
        return self.index >= (1.0 if self.experts <= FEW_EXPERTS else LEAST_ITEM)


@dataclass(frozen=True)
class ScaleValidity:
    """How relevant experts call a set of items."""

    items: int
    average: float
    """S-CVI/Ave: mean of the items' indices; nan without an item."""
    universal: float
    """S-CVI/UA: share of items that all experts call relevant; nan without an item."""


def item_validity(ratings: Sequence[int]) -> ItemValidity:
    """Return the indices of one item from its ratings, 1 to 4, one per expert."""
    experts, relevant = len(ratings), sum(rating >= RELEVANT for rating in ratings)
    if not experts:
        return ItemValidity(0, math.nan, wilson(0, 0), math.nan)
    index = relevant / experts
    chance = math.comb(experts, relevant) * 0.5**experts
    kappa = (index - chance) / (1 - chance) if chance < 1 else math.nan
    return ItemValidity(experts, index, wilson(relevant, experts), kappa)


def scale_validity(items: Iterable[ItemValidity]) -> ScaleValidity:
    """Return the indices of a set of items."""
    indices = [item.index for item in items]
    if not indices:
        return ScaleValidity(0, math.nan, math.nan)
    return ScaleValidity(
        len(indices), math.fsum(indices) / len(indices), sum(one == 1 for one in indices) / len(indices)
    )
