"""How far raters agree: judges of a panel, samples of one variant, people and judges.

Ratings are categories (True and False, or numbers that are only alike or not), or numbers whose distance counts; None
is not a vote. A coefficient is None where it is undefined: no item has two votes, or all votes are the same, so that
agreement cannot be distinguished from a constant answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from helm_impactbench.stats.intervals import Interval

Rating = float | None
"""A category or a number; True and False are 1 and 0."""
Item = Sequence[Rating]
"""The ratings of one item, one per rater."""


def krippendorff_alpha(items: Sequence[Item]) -> float | None:
    """Return Krippendorff's alpha (nominal); missing votes are allowed.

    Source: Krippendorff (2019), Content Analysis, chapter 12; package krippendorff.
    """
    return _alpha(items, "nominal")


def krippendorff_alpha_of_numbers(items: Sequence[Item]) -> float | None:
    """Return Krippendorff's alpha (interval scale): a near miss counts less than a far one; missing votes are allowed.

    Source: as above.
    """
    return _alpha(items, "interval")


def _alpha(items: Sequence[Item], level: Literal["nominal", "interval"]) -> float | None:
    categories = sorted(map(float, _values(items)))
    if len(categories) < 2:
        return None
    import krippendorff

    paired = [item for item in items if _votes(item) >= 2]
    ratings = np.array([[math.nan if vote is None else float(vote) for vote in item] for item in paired]).T
    domain = categories if level == "nominal" else None
    alpha = float(krippendorff.alpha(reliability_data=ratings, value_domain=domain, level_of_measurement=level))
    return None if math.isnan(alpha) else alpha


def mean_distance(items: Sequence[Item]) -> float | None:
    """Return the mean absolute difference of two ratings of an item, every item counting alike; None without a pair."""
    rated = [votes for item in items if len(votes := [vote for vote in item if vote is not None]) >= 2]
    distances = [[abs(a - b) for a, b in combinations(votes, 2)] for votes in rated]
    return math.fsum(sum(found) / len(found) for found in distances) / len(distances) if distances else None


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
    categories = sorted({rating for pair in both for rating in pair})
    table = np.zeros((max(2, len(categories)),) * 2)
    for a, b in both:
        table[categories.index(a), categories.index(b)] += 1
    if len(categories) < 2:
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
    categories = sorted(_values(whole))
    if len(categories) < 2:
        return None
    from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

    counts = np.array([[sum(rating == category for rating in item) for category in categories] for item in whole])
    return float(fleiss(counts, method="fleiss"))


def split_rate(items: Sequence[Item]) -> float | None:
    """Return the share of items with two votes or more on which the votes differ; None without such an item."""
    voted = [set(item) - {None} for item in items if _votes(item) >= 2]
    return sum(len(votes) > 1 for votes in voted) / len(voted) if voted else None


def _votes(item: Item) -> int:
    return sum(rating is not None for rating in item)


def _values(items: Sequence[Item]) -> set[float]:
    """Return the ratings of items that have another rating."""
    return {rating for item in items if _votes(item) >= 2 for rating in item if rating is not None}
