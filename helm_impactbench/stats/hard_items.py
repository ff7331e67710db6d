"""What becomes of a judge's error rates if people and judge err on the same hard items.

Models of readers who err independently of each other take shared errors for the truth. Here the correlation of errors
is assumed: given the truth, every two answers to an item correlate by so much. People are taken to be alike, so that
two answers to each item are enough for the five unknowns. Sources: Bahadur (1961) for the joint distribution (pairs
alone); Vacek (1985), Biometrics 41, for what dependent errors do to estimated error rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.scipy_modules import optimize, special

FEWEST_SHARED = 30
"""Items with two answers, below which nothing is said of people's errors."""
CORRELATIONS = (0.0, 0.1, 0.2)
"""Of errors; hard items that a quarter are, with errors in 40% there and in 3% elsewhere, come to .24."""
_LEAST = 1e-9


@dataclass(frozen=True)
class IfShared:
    """What answers come to if errors are correlated so."""

    correlation: float
    present: float
    """Share of the conversations that have the behaviour."""
    sensitivity: float
    """Of the judge."""
    specificity: float
    people_sensitivity: float
    """Of one person."""
    people_specificity: float


def if_shared(labels: Floats, judged: Floats, weights: Floats) -> list[IfShared]:
    """Return the figures for each of CORRELATIONS; nothing where fewer than FEWEST_SHARED items have two answers.

    labels: 1, 0 or nan, shape (items, people); judged: 1 or 0, and weights, shape (items,).
    """
    given = (~np.isnan(labels)).sum(axis=1)
    if int((given >= 2).sum()) < FEWEST_SHARED:
        return []
    rows = np.column_stack([np.nansum(labels, axis=1), given, judged])[given > 0]
    cells, which = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), weights[given > 0])
    return list(_fitted(cells, counts / counts.sum()))


def _fitted(cells: Floats, shares: Floats) -> Iterator[IfShared]:
    """Yield the likeliest figures for each correlation, each search from those of the one before."""
    place = special.logit(np.array([0.3, 0.85, 0.85, 0.85, 0.85]))
    limits = [(-7.0, 7.0), *[(0.05, 7.0)] * 4]  # every reader is better than chance
    for correlation in CORRELATIONS:

        def unlikely(unknown: Floats, correlation: float = correlation) -> float:
            return -float(shares @ np.log(np.maximum(_probable(cells, special.expit(unknown), correlation), _LEAST)))

        place = optimize.minimize(unlikely, place, method="L-BFGS-B", bounds=limits).x
        present, *rates = map(float, special.expit(place))
        yield IfShared(correlation, present, rates[0], rates[1], rates[2], rates[3])


def _probable(cells: Floats, figures: Sequence[float] | Floats, correlation: float) -> Floats:
    """Return how probable each cell (answers present, answers, judge's) is; figures: as in IfShared."""
    present, sensitivity, specificity, people_sensitivity, people_specificity = figures
    if_true = _given(cells, people_sensitivity, sensitivity, correlation)
    if_false = _given(cells, 1 - people_specificity, 1 - specificity, correlation)
    found: Floats = present * if_true + (1 - present) * if_false
    return found


def _given(cells: Floats, person: float, judge: float, correlation: float) -> Floats:
    """Return how probable cells are where each person says present with one probability and the judge with another."""
    said, asked, judged = cells.T
    spread, judge_spread = np.sqrt(person * (1 - person)), np.sqrt(judge * (1 - judge))
    of_judge = (judged - judge) / judge_spread
    total = (said - asked * person) / spread
    squares = (said * (1 - person) ** 2 + (asked - said) * person**2) / spread**2
    pairs = (total**2 - squares) / 2 + of_judge * total
    apart = person**said * (1 - person) ** (asked - said) * np.where(judged > 0, judge, 1 - judge)
    found: Floats = np.maximum(apart * (1 + correlation * pairs), 0.0)
    return found
