"""Tests of "no difference" for paired values, and what several tests at once do to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import stats

from helm_impactbench.statistics.clusters import SEED, Floats

ALPHA = 0.05
"""Share of false findings that is accepted: of any at all with Holm, among all findings with Benjamini-Hochberg."""
FLIPS = 9_999
MOST_AT_ONCE = 20_000_000
"""Random signs held in memory at a time."""

Correction = Literal["holm", "bh"]
CORRECTIONS: dict[Correction, tuple[str, str]] = {
    "holm": ("holm", "Holm: at most a 5% risk of any false finding in the whole family of tests"),
    "bh": ("fdr_bh", "Benjamini-Hochberg: at most 5% false ones expected among the findings"),
}
"""Our name -> (statsmodels' name, what it promises)."""


def sign_flip_p_value(differences: Floats) -> float:
    """Return the two-sided p value of "the clusters' differences are as often up as down".

    `differences` has one sum per cluster; 1.0 where fewer than two are not 0. Every pattern of signs is counted where
    there are no more than FLIPS of them, so p cannot be below 2 / 2**clusters: three clusters alone prove nothing.
    Otherwise FLIPS random patterns, seeded.
    Source: Fisher (1935), The Design of Experiments, section 21; scipy.stats.permutation_test.
    """
    moved = differences[differences != 0]
    if len(moved) < 2:
        return 1.0
    tested = stats.permutation_test(
        (moved,),
        _sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=FLIPS,
        batch=max(1, MOST_AT_ONCE // len(moved)),
        rng=np.random.default_rng(SEED),
    )
    return min(1.0, float(tested.pvalue))


def smallest_p_value(clusters: int) -> float:
    """Return the smallest p value that this many clusters can give."""
    return min(1.0, max(2.0 / 2.0**clusters, 2.0 / (FLIPS + 1)))


def adjusted(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Return p values adjusted for their number, in their order.

    Sources: Holm (1979), Scandinavian Journal of Statistics 6; Benjamini & Hochberg (1995), JRSS B 57; statsmodels.
    """
    if not p_values:
        return []
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, alpha=ALPHA, method=CORRECTIONS[correction][0])[1]]


def _sum(values: Floats, axis: int = -1) -> Floats:
    total: Floats = values.sum(axis=axis)
    return total
