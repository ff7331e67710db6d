"""Simulated data sets with a known truth, thousands at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from helm_impactbench.stats.strata import Strata

METRICS = 12
DATA_SETS = 2_000

Rates = Any
"""Shape that broadcasts to (data sets, metrics)."""


def drawn(
    rng: np.random.Generator, rates: Rates, correlation: float, sizes: np.ndarray, data_sets: int = DATA_SETS
) -> Strata:
    """Return verdicts on base scenarios: clusters within metrics, in many data sets.

    rates: of metrics, from 0 to 1. correlation: of verdicts on one base scenario. sizes: conversations, shape (metrics,
    base scenarios).
    """
    shape = (data_sets, *sizes.shape)
    whole = np.broadcast_to(np.asarray(rates, dtype=float)[..., None], shape)
    inner = np.clip(whole, 1e-6, 1 - 1e-6)
    if correlation:
        weight = (1 - correlation) / correlation
        inner = rng.beta(inner * weight, (1 - inner) * weight)
    chances = np.where((whole > 0) & (whole < 1), inner, whole)
    passed = rng.binomial(sizes.astype(int), chances).astype(float)
    return Strata(passed, np.broadcast_to(sizes, shape).astype(float))


def equal(bases: int, size: int, metrics: int = METRICS) -> np.ndarray:
    """Return `bases` base scenarios per metric, of `size` conversations each."""
    return np.full((metrics, bases), size)


TWO_SIZES = np.array([*[2] * 30, *[18] * 6]).reshape(METRICS, 3)
"""30 base scenarios of 2 conversations and 6 of 18."""
ONE_TO_FORTY = np.geomspace(1, 40, 36).round().reshape(3, METRICS).T
"""36 base scenarios of 1 to 40 conversations, three in each metric."""


def covered(bounds: tuple[np.ndarray, np.ndarray], truth: Any) -> float:
    """Return the share of intervals that hold the truth, in per cent."""
    low, high = bounds
    return 100 * float(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean())


def width(bounds: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the mean width of intervals."""
    return float((bounds[1] - bounds[0]).mean())


def benchmark_truth(rates: Rates, sizes: np.ndarray) -> float:
    """Return the mean over all conversations."""
    found = np.broadcast_to(rates, sizes.shape[:1]) * sizes.sum(1)
    return float(found.sum() / sizes.sum())
