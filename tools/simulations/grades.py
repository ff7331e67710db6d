"""How often a grade that stands alone is the true one, and two equal models get different ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from helm_impactbench.outputs.label.grades import Grade, grade_of, letter_of
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.strata import Strata, strata_bounds

ROWS = ((3, 6, 2), (3, 6, 6), (12, 6, 2), (24, 6, 2), (60, 6, 2))
"""Metrics, base scenarios of each, conversations of each."""
SPREAD, CORRELATION = 0.13, 0.3
"""Standard deviation of metrics' true rates at most, and the resemblance of conversations of a base scenario."""


class GradedRows(NamedTuple):
    """Shares of simulated rows."""

    alone: float
    """Whose grade is a single letter."""
    right: float
    """Of these, whose letter is that of the true rate."""
    held: float
    """Whose span holds the true letter."""
    different: float
    """In which two equal models have a single letter each, and not the same."""


def grade_lines(sets: int) -> Iterator[str]:
    """Yield a table of rows with true means from .55 to .99."""
    yield "| metrics x scenarios x conversations | one letter | of these right | span holds | equal models differ |"
    yield "|---" * 5 + "|"
    for row in ROWS:
        found = graded_rows(*row, sets=sets)
        yield f"| {' x '.join(map(str, row))} | " + " | ".join(f"{share:.1%}" for share in found) + " |"


def graded_rows(metrics: int, bases: int, size: int, sets: int, seed: int = 3) -> GradedRows:
    """Return what becomes of rows; the second of two equal models has other conversations on the same true rates."""
    random, counted = np.random.default_rng(seed), np.zeros(4)
    for _ in range(sets):
        rates = _rates(random, float(random.uniform(0.55, 0.99)), metrics)
        one, other = (_grade(random, rates, bases, size) for _ in range(2))
        true = letter_of(float(rates.mean()))
        single, also = (len(grade.span) == 1 for grade in (one, other))
        counted += (single, single and one.best == true, one.best <= true <= one.worst,
                    single and also and one.best != other.best)  # fmt: skip
    alone, right, held, different = counted.tolist()
    return GradedRows(alone / sets, right / max(alone, 1), held / sets, different / sets)


def _rates(random: np.random.Generator, mean: float, metrics: int) -> Floats:
    spread = min(SPREAD, 0.6 * (mean * (1 - mean)) ** 0.5)
    weight = mean * (1 - mean) / spread**2 - 1
    found: Floats = random.beta(mean * weight, (1 - mean) * weight, metrics)
    return found


def _grade(random: np.random.Generator, rates: Floats, bases: int, size: int) -> Grade:
    weight = (1 - CORRELATION) / CORRELATION
    passing, failing = (np.maximum(share * weight, 1e-9)[:, None] for share in (rates, 1 - rates))
    passed = random.binomial(size, random.beta(passing, failing, (len(rates), bases))).astype(float)
    low, high = strata_bounds(Strata(passed, np.full_like(passed, size)))
    return grade_of(float(passed.mean()) / size, Interval(float(low), float(high)))
