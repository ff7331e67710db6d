"""Two batches of repeated answers to the same items: do they come from one source?

If nothing changed between the batches, the answers to an item could have come in any order, so every way to share them
out between the batches is as likely as the observed one. What a source's own noise looks like follows from the repeats
within a batch and need not be known; how items differ in it is of no importance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.stats.simultaneous import ALPHA, FLIPS, TIE


@dataclass(frozen=True)
class ExchangeTest:
    """What the answers to all items say together."""

    between: float
    """Mean distance of two answers to one item from different batches; nan without an item."""
    within: float
    """The same from one batch: the noise of the source; nan where no batch has two answers to an item."""
    p_value: float
    """Of "one source", one-sided: answers differ more between batches than within; 1.0 where nothing can be told."""


def exchange_test(items: Sequence[tuple[Floats, int]]) -> ExchangeTest:
    """Return the test of items: (distances, answers in the first batch) each.

    distances: from 0 to 1, shape (answers, answers), those of the first batch first. The statistic is the sum over
    items of the energy distance (between minus within). Sources: Szekely & Rizzo (2004), Testing for equal
    distributions in high dimension, InterStat; Pesarin & Salmaso (2010), Permutation Tests for Complex Data, section
    2.7 (permutation within strata); Phipson & Smyth (2010), Permutation P-values Should Never Be Zero, SAGMB 9.
    """
    usable = [(distances, first) for distances, first in items if 0 < first < len(distances)]
    if not usable:
        return ExchangeTest(math.nan, math.nan, 1.0)
    between = [float(distances[:first, first:].mean()) for distances, first in usable]
    within = [inner for one in usable if not math.isnan(inner := _within(*one))]
    tables = [_table(distances, first) for distances, first in usable]
    rng, tried = np.random.default_rng(SEED), np.zeros(FLIPS)
    observed = math.fsum(float(table[0]) for table in tables)
    for table in tables:
        tried += table[rng.integers(0, len(table), size=FLIPS)] if np.ptp(table) > TIE else table[0]
    reached = int((tried >= observed - TIE).sum()) + 1
    informative = any(np.ptp(table) > TIE for table in tables)
    return ExchangeTest(
        float(np.mean(between)),
        float(np.mean(within)) if within else math.nan,
        reached / (FLIPS + 1) if informative else 1.0,
    )


def smallest_share(items: int, repeats: int, probability: float) -> float:
    """Return the least share of items whose answer has to change for the test to find it with this probability.

    For items with `repeats` answers in each batch, at the level of the first of three tests by Holm's rule; one item
    more than noise-free answers would need, which allows for a few per cent of noise. 1.0 where no change is enough.
    """
    patterns = math.comb(2 * repeats, repeats) / 2
    if patterns <= 1 or not items:
        return 1.0
    needed = math.ceil(math.log(3 / ALPHA) / math.log(patterns)) + 1
    if needed > items:
        return 1.0
    # P(at least k of n) = I_share(k, n - k + 1), the regularised incomplete beta function.
    return float(special.betaincinv(needed, items - needed + 1, probability))


def _within(distances: Floats, first: int) -> float:
    """Return the mean distance of two answers of one batch, the mean over batches with two; nan without any."""
    parts = (distances[:first, :first], distances[first:, first:])
    means = [float(part.sum()) / (len(part) * (len(part) - 1)) for part in parts if len(part) > 1]
    return float(np.mean(means)) if means else math.nan


def _table(distances: Floats, first: int) -> Floats:
    """Return the statistic of one item for every way to share its answers out, the observed one first."""
    size = len(distances)
    chosen: NDArray[np.bool_] = np.zeros((math.comb(size, first), size), dtype=bool)
    for row, places in enumerate(combinations(range(size), first)):
        chosen[row, list(places)] = True
    mine, other = chosen.astype(float), (~chosen).astype(float)
    between = _summed(mine, distances, other) / (first * (size - first))
    table: Floats = 2 * between
    for batch, count in ((mine, first), (other, size - first)):
        if count > 1:
            table = table - _summed(batch, distances, batch) / (count * (count - 1))
    return table


def _summed(left: Floats, distances: Floats, right: Floats) -> Floats:
    found: Floats = np.einsum("ri,ij,rj->r", left, distances, right)
    return found
