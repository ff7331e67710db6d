"""How far raters agree: judges of a panel, samples of one variant, people and judges.

Ratings are True, False or None (no vote). A coefficient that is undefined is None: no item has two votes, or all votes
are the same, so that agreement cannot be told from a constant answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.intervals import Interval

Rating = bool | None
Item = Sequence[Rating]
"""The ratings of one item, one per rater."""


def krippendorff_alpha(items: Sequence[Item]) -> float | None:
    """Return Krippendorff's alpha (nominal); missing votes are allowed.

    Source: Krippendorff (2019), Content Analysis, chapter 12; package krippendorff.
    """
    if sum(_votes(item) >= 2 for item in items) < 1 or len(_values(items)) < 2:
        return None
    import krippendorff

    ratings = np.array([[math.nan if rating is None else float(rating) for rating in item] for item in items]).T
    alpha = float(krippendorff.alpha(reliability_data=ratings, value_domain=[0.0, 1.0], level_of_measurement="nominal"))
    return None if math.isnan(alpha) else alpha


def krippendorff_alpha_of_numbers(items: Sequence[Sequence[float | None]]) -> float | None:
    """Return Krippendorff's alpha (interval scale): a near miss counts less than a far one; missing votes are allowed.

    Source: Krippendorff (2019), Content Analysis, chapter 12; package krippendorff.
    """
    paired = [votes for item in items if len(votes := [vote for vote in item if vote is not None]) >= 2]
    if len({vote for votes in paired for vote in votes}) < 2:
        return None
    import krippendorff

    ratings = np.array([[math.nan if vote is None else vote for vote in item] for item in items]).T
    alpha = float(krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval"))
    return None if math.isnan(alpha) else alpha


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa of two raters."""

    value: float | None
    """None where undefined."""
    interval: Interval | None
    items: int
    """Items that both have rated."""
    agreement: float
    """Share of these on which both say the same; nan without any."""


def cohen_kappa(first: Sequence[Rating], second: Sequence[Rating]) -> Kappa:
    """Return Cohen's kappa over the items that both raters have rated, with its interval.

    Source: Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, section 18.1; statsmodels.
    """
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    agreement = sum(a == b for a, b in both) / len(both) if both else math.nan
    table = np.zeros((2, 2))
    for a, b in both:
        table[int(a), int(b)] += 1
    if not both or (agreement == 1 and table.max() == len(both)):
        return Kappa(None, None, len(both), agreement)
    from statsmodels.stats.inter_rater import cohens_kappa

    with np.errstate(invalid="ignore", divide="ignore"):  # a rater who always says the same leaves no variance
        result = cohens_kappa(table)
    interval = Interval(max(-1.0, float(result.kappa_low)), min(1.0, float(result.kappa_upp)))
    known = interval.is_known and float(result.std_kappa) > 0
    return Kappa(float(result.kappa), interval if known else None, len(both), agreement)


def fleiss_kappa(items: Sequence[Item]) -> float | None:
    """Return Fleiss' kappa over the items that every rater has rated.

    Source: Fleiss (1971), Psychological Bulletin 76; statsmodels.
    """
    whole = [item for item in items if _votes(item) == len(item) >= 2]
    if len(_values(whole)) < 2:
        return None
    from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

    counts = np.array([[sum(r is True for r in item), sum(r is False for r in item)] for item in whole])
    return float(fleiss(counts, method="fleiss"))


def split_rate(items: Sequence[Item]) -> float | None:
    """Return the share of items with two votes or more on which the votes differ; None without such an item."""
    voted = [set(item) - {None} for item in items if _votes(item) >= 2]
    return sum(len(votes) > 1 for votes in voted) / len(voted) if voted else None


def _votes(item: Item) -> int:
    return sum(rating is not None for rating in item)


def _values(items: Sequence[Item]) -> set[bool]:
    return {rating for item in items if _votes(item) >= 2 for rating in item if rating is not None}
