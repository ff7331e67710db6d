"""Rows in which groups of people fare differently, by all situations that each was put, alike or not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.scipy_modules import special

RISK = 1 - LEVEL
"""Share of labels on which a difference may be named although there is none in any row."""


@dataclass(frozen=True)
class Apart:
    """Two groups between which a row differs."""

    worse: GradedRow
    """The row with the conversations of those who fare worse."""
    better: GradedRow


def rows_apart(among: Mapping[LabelRow, Sequence[GradedRow]]) -> dict[LabelRow, Apart]:
    """Return the rows in which two groups differ, with the two that are farthest apart; `among`: each group's part.

    Every pair of every row is a test, and all of them together are wrong in at most RISK of labels (Bonferroni).
    """
    pairs = {
        key: list(combinations([part for part in parts if part.interval.is_known], 2)) for key, parts in among.items()
    }
    tests = sum(map(len, pairs.values()))
    found = {
        key: [_ordered(one, other) for one, other in own if _differ(one, other, tests)] for key, own in pairs.items()
    }
    return {
        key: max(own, key=lambda pair: pair.better.rate.value - pair.worse.rate.value)
        for key, own in found.items()
        if own
    }


def differ(low: tuple[float, Interval], high: tuple[float, Interval], clusters: int, tests: int) -> bool:
    """Return whether the interval of high minus low is above 0, at a level for that many tests.

    low, high: two independent rates with 95% intervals. clusters: of the one with fewer. The interval of the difference
    is put together from theirs, and made wider as quantiles of the t distribution say. Source: Newcombe (1998),
    Statistics in Medicine 17, method 10 (rates); Zou & Donner (2008), Statistics in Medicine 27 (any two estimates).
    """
    freedom = max(clusters - 1, 1)
    wider = special.stdtrit(freedom, 1 - RISK / tests / 2) / special.stdtrit(freedom, 1 - RISK / 2)
    below, above = high[0] - high[1].low, low[1].high - low[0]
    return high[0] - low[0] > float(wider) * math.hypot(below, above)


def _differ(one: GradedRow, other: GradedRow, tests: int) -> bool:
    pair = _ordered(one, other)
    low, high = ((row.rate.value, row.interval) for row in (pair.worse, pair.better))
    return differ(low, high, min(one.scenarios, other.scenarios), tests)


def _ordered(one: GradedRow, other: GradedRow) -> Apart:
    return Apart(one, other) if one.rate.value < other.rate.value else Apart(other, one)
