"""Several people who label the same items and err: how often each does, and what their labels say of the truth.

A latent class model (latent_class): given the truth, people err independently of each other and of the judge. The
judge's two answers are its strata, so that two people are enough to tell their errors from the truth (four parameters
and two shares from six frequencies). Errors that several people and the judge make on the same hard items are not
independent, and are seen as truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.latent_class import (
    CERTAIN,
    ROUNDS,
    SETTLED,
    Errors,
    drawn_clusters,
    fit_errors,
    log_odds,
    patterns_of,
)
from helm_impactbench.stats.scipy_modules import special

Mask = NDArray[np.bool_]

FEWEST_SHARED = 30
"""Items with two labels, below which nothing is said of people's errors."""
_EDGE = 1e-3


@dataclass(frozen=True)
class Labeller:
    """One reader's errors against the truth that the model finds."""

    sensitivity: float
    sensitivity_interval: Interval
    """95%, by bootstrap over clusters."""
    specificity: float
    specificity_interval: Interval


@dataclass(frozen=True)
class Labels:
    """What people's labels say of each item. First row: the estimate; the others: bootstrap replicates."""

    log_odds: Floats
    """Shape (1 + REPLICATES, items): log of how much likelier the labels are if the truth is True than if False."""
    times: Floats
    """Shape (1 + REPLICATES, items): how often the item's cluster is in the replicate."""
    labellers: tuple[Labeller, ...] = ()
    """One per person; empty where too few items have two labels."""

    def where(self, chosen: Mask) -> Labels:
        """Return the evidence on the chosen items."""
        return Labels(self.log_odds[:, chosen], self.times[:, chosen], self.labellers)

    def turned(self, turn: Mask) -> Labels:
        """Return the evidence on the opposite of the truth for the items where `turn`."""
        return Labels(np.where(turn, -self.log_odds, self.log_odds), self.times, self.labellers)

    def share(self, weights: Floats) -> tuple[float, float]:
        """Return the share that is True and the effective number of independent values that it is worth.

        The variance is that over the replicates, which people's unknown errors are part of. At 0 and 1 there is none:
        there, what an item tells is compared with what one would tell whose truth is known.
        """
        shares = self.shares(weights)
        value, kish = float(shares[0]), float(weights.sum()) ** 2 / float((weights**2).sum())
        if _EDGE < value < 1 - _EDGE:
            variance = float(np.nanvar(shares[1:]))
            return value, min(kish, value * (1 - value) / variance) if variance > 0 else kish
        near = (kish * round(value) + 0.5) / (kish + 1)
        odds = np.exp(np.clip(self.log_odds[0] if value > 0.5 else -self.log_odds[0], -30, 30))
        near = max(near, 1 - near)
        told = np.maximum(0.0, (odds - 1) * near / (near * odds + 1 - near)) ** 2
        return float(round(value)), kish * float(weights @ told) / float(weights.sum())

    def shares(self, weights: Floats) -> Floats:
        """Return the share that is True, of the estimate and of each replicate; nan where a replicate has no item."""
        weighed = self.times * weights
        total = weighed.sum(axis=1)
        share = np.full(len(total), 0.5)
        with np.errstate(invalid="ignore", divide="ignore"):
            for _ in range(ROUNDS):
                before, share = share, (weighed * self._posterior(share)).sum(axis=1) / total
                if np.nanmax(np.abs(share - before)) < SETTLED:
                    break
        return share

    def posterior(self, share: float) -> Floats:
        """Return how probable True is for each item, where this share is True; shape (items,)."""
        found: Floats = self._posterior(np.full(len(self.log_odds), share))[0]
        return found

    def _posterior(self, shares: Floats) -> Floats:
        found: Floats = special.expit(special.logit(shares)[:, None] + self.log_odds)
        return found


def read_labels(labels: Floats, judged: Mask, clusters: Sequence[int]) -> Labels:
    """Return what labels say; `labels` has shape (items, people): 1, 0, or nan where a person has none.

    Where fewer than FEWEST_SHARED items have two labels, the majority counts as truth, and a tie for neither side.
    """
    times = drawn_clusters(clusters)
    given = ~np.isnan(labels)
    if int((given.sum(axis=1) >= 2).sum()) < FEWEST_SHARED:
        votes = np.where(given, 2 * np.nan_to_num(labels) - 1, 0.0).sum(axis=1)
        return Labels(np.tile(np.sign(votes) * -np.log(CERTAIN), (len(times), 1)), times)
    patterns, strata, which = patterns_of(labels, np.asarray(judged, dtype=int))
    errors = fit_errors(patterns, strata, times @ np.eye(len(patterns))[which])
    odds = log_odds(patterns, errors.sensitivity, errors.specificity)
    return Labels(odds[:, which], times, labellers_of(errors))


def labellers_of(errors: Errors) -> tuple[Labeller, ...]:
    """Return each reader's error rates with the middle 95% of the replicates."""

    def ends(replicates: Floats) -> Interval:
        low, high = np.quantile(replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(float(low), float(high))

    return tuple(
        Labeller(float(a[0]), ends(a[1:]), float(b[0]), ends(b[1:]))
        for a, b in zip(errors.sensitivity.T, errors.specificity.T, strict=True)
    )
