"""How far raters agree: judges of a panel, samples of one variant, people and judges.

Ratings are categories (True and False, or numbers that are only alike or not), or numbers whose distance counts; None
is not a vote. A coefficient is None where it is undefined: no item has two votes, or all votes are the same, so that
agreement cannot be distinguished from a constant answer.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import Interval, wilson
from helm_impactbench.stats.jackknife import jackknife_interval

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


def cohen_kappa(first: Sequence[Rating], second: Sequence[Rating], clusters: Sequence[Hashable] | None = None) -> Kappa:
    """Return Cohen's kappa over the items that both raters have rated, with its 95% interval.

    `clusters`: which items resemble each other, as conversations of one base scenario do; None for items that do not.
    The interval is the jackknife's over whole clusters. Two raters who never differ leave no variance: there, the lower
    bound is that of their agreement (Wilson's, over the clusters). Source: Cohen (1960), Educational and Psychological
    Measurement 20.
    """
    names = range(len(first)) if clusters is None else clusters
    both = [(a, b, c) for a, b, c in zip(first, second, names, strict=True) if a is not None and b is not None]
    agreement = sum(a == b for a, b, _ in both) / len(both) if both else math.nan
    categories = {rating: place for place, rating in enumerate(sorted({r for a, b, _ in both for r in (a, b)}))}
    if len(categories) < 2:
        return Kappa(None, None, len(both), agreement)
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(c for *_, c in both))}
    tables = np.zeros((len(places), len(categories), len(categories)))
    for a, b, cluster in both:
        tables[places[cluster], categories[a], categories[b]] += 1
    value = float(_kappas(tables.sum(axis=0)))
    found = jackknife_interval(tables, _kappas, _beyond_chance(tables))
    return Kappa(value, found if found.is_known else None, len(both), agreement)


def _kappas(tables: Floats) -> Floats:
    """Return the kappas of tables of counts; shape (..., categories, categories) -> (...); nan where undefined."""
    total = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / total
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / total**2
        found: Floats = (observed - expected) / (1 - expected)
    return found


def _beyond_chance(tables: Floats) -> float:
    """Return the lower bound of a kappa of 1: the agreement that clusters leave open, beyond what chance gives."""
    whole = tables.sum(axis=0)
    expected = float((whole.sum(axis=0) * whole.sum(axis=1)).sum() / whole.sum() ** 2)
    return (wilson(len(tables), len(tables)).low - expected) / (1 - expected)


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
