"""Would so wide a gap between levels come about by chance? The levels of each case are exchanged at random.

If nothing depends on the level, each case could as well have got its values in any other order: an exact test that
needs no correction for the number of pairs, because what is compared is the widest gap of each exchange. Source:
Pesarin & Salmaso (2010), Permutation Tests for Complex Data, chapter 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import TINY

EXCHANGES = 1_999


@dataclass(frozen=True)
class ChanceGap:
    """The widest gap, and those that chance alone gives."""

    size: float
    """How far the widest gap is from 0."""
    by_chance: float
    """How far it is on average where levels are exchanged at random: what a fair model with such answers has."""
    p_value: float
    """The share of exchanges, and of what was seen, with a gap as wide or wider."""


def chance_gap(groups: Mapping[str, Floats], exchanges: int = EXCHANGES) -> ChanceGap | None:
    """Return the widest gap beside those of exchanges; None where no case has two levels.

    groups: metric -> values of its cases by level, shape (cases, levels), nan where missing. A gap is the mean over
    metrics of the means over the cases that have both levels. Values are exchanged between the levels that a case has.
    """
    random = np.random.default_rng(SEED)
    seen, drawn = [], []
    for _, values in sorted(groups.items()):
        cases = values[(~np.isnan(values)).sum(axis=1) > 1]
        if len(cases):
            seen.append(_gaps(cases[None]))
            drawn.append(_gaps(_exchanged(np.broadcast_to(cases, (exchanges, *cases.shape)), random)))
    if not seen:
        return None
    widest = float(_widest(seen)[0])
    sizes = _widest(drawn)
    return ChanceGap(widest, float(sizes.mean()), float(((sizes >= widest - TINY).sum() + 1) / (exchanges + 1)))


def _exchanged(cases: Floats, random: np.random.Generator) -> Floats:
    """Return the cases with values in another order of levels, the last axis; what is missing stays where it is."""
    keys = np.where(np.isnan(cases), np.inf, random.random(cases.shape))
    present = ~np.isnan(cases)
    ranks = np.maximum(np.cumsum(present, axis=-1) - 1, 0)
    places = np.take_along_axis(np.argsort(keys, axis=-1), ranks, axis=-1)
    return np.where(present, np.take_along_axis(cases, places, axis=-1), np.nan)


def _gaps(cases: Floats) -> Floats:
    """Return the mean gap of every two levels; cases: shape (sets, cases, levels), returned (sets, pairs)."""
    pairs = [cases[:, :, a] - cases[:, :, b] for a, b in combinations(range(cases.shape[2]), 2)]
    stacked = np.stack(pairs, axis=2)
    counts = (~np.isnan(stacked)).sum(axis=1)
    sums: Floats = np.nansum(stacked, axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _widest(metrics: list[Floats]) -> Floats:
    """Return the widest of the pairs' means over metrics, for every set."""
    stacked = np.stack(metrics)
    counts = (~np.isnan(stacked)).sum(axis=0)
    means = np.nansum(stacked, axis=0) / np.maximum(counts, 1)
    sizes: Floats = np.abs(means).max(axis=1)
    return sizes
