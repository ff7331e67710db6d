"""Several people who label the same items and err: how often each does, and what their labels say of the truth.

A latent class model: given the truth, people err independently of each other and of the judge. With the judge's answer
as two populations, two people are enough to tell their errors from the truth (four parameters and two shares from six
frequencies). Fitted by EM, which needs no library: crowd-kit, which the field uses, brings transformers and nltk with
it. Errors that several people and the judge make on the same hard items are not independent, and are seen as truth.

Sources: Dawid & Skene (1979), Applied Statistics 28 (EM); Hui & Walter (1980), Biometrics 36 (two tests in two
populations).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.scipy_modules import special

Mask = NDArray[np.bool_]

REPLICATES = 200
"""Of the cluster bootstrap."""
ROUNDS = 200
FEWEST_SHARED = 30
"""Items with two labels, below which nothing is said of people's errors."""
_CERTAIN, _SETTLED, _EDGE = 1e-6, 1e-5, 1e-3


@dataclass(frozen=True)
class Labeller:
    """One person's errors against the truth that the model finds."""

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
                if np.nanmax(np.abs(share - before)) < _SETTLED:
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
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    size = int(codes.max()) + 1
    drawn = np.random.default_rng(SEED).multinomial(size, np.full(size, 1 / size), size=REPLICATES)
    times = np.vstack([np.ones(len(codes)), drawn[:, codes].astype(float)])
    given = ~np.isnan(labels)
    if int((given.sum(axis=1) >= 2).sum()) < FEWEST_SHARED:
        votes = np.where(given, 2 * np.nan_to_num(labels) - 1, 0.0).sum(axis=1)
        return Labels(np.tile(np.sign(votes) * -np.log(_CERTAIN), (len(times), 1)), times)
    rows = np.column_stack([np.where(given, labels, -1.0), np.asarray(judged, dtype=float)])
    patterns, which = np.unique(rows, axis=0, return_inverse=True)
    rates = _fit(patterns, times @ np.eye(len(patterns))[which.ravel()])
    return Labels(_log_odds(patterns[:, :-1], *rates)[:, which.ravel()], times, _labellers(*rates))


def _fit(patterns: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Return sensitivities and specificities, shape (1 + REPLICATES, people), by EM within the judge's two answers.

    `patterns` are labels (-1 for none) with the judge's answer last; `times` is how many items of a replicate have it.
    """
    labels, judged = patterns[:, :-1], patterns[:, -1] == 1
    present, absent = (labels == 1).astype(float), (labels == 0).astype(float)
    rates = np.full((len(times), labels.shape[1]), 0.9), np.full((len(times), labels.shape[1]), 0.9)
    shares = np.full((len(times), 2), 0.5)
    for _ in range(ROUNDS):
        before = rates
        prior = np.where(judged, shares[:, 1:], shares[:, :1])
        truth = special.expit(special.logit(prior) + _log_odds(labels, *rates))
        true, false = times * truth, times * (1 - truth)
        rates = _ratio(true @ present, true @ (present + absent)), _ratio(false @ absent, false @ (present + absent))
        found = [_ratio(true[:, s].sum(axis=1), times[:, s].sum(axis=1), _CERTAIN) for s in (~judged, judged)]
        shares = np.stack(found, axis=1)
        if max(float(np.abs(new - old).max()) for new, old in zip(rates, before, strict=True)) < _SETTLED:
            break
    return rates


def _ratio(hits: Floats, size: Floats, least: float = 0.5) -> Floats:
    """Return shares from `least` to almost 1: a person is no worse than a coin, or truth and error change sides."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.clip(np.where(size > 0, hits / size, 0.5), least, 1 - _CERTAIN)
    return found


def _log_odds(labels: Floats, sensitivity: Floats, specificity: Floats) -> Floats:
    for_true = np.log(sensitivity) - np.log1p(-specificity)
    for_false = np.log(specificity) - np.log1p(-sensitivity)
    found: Floats = for_true @ (labels == 1).T - for_false @ (labels == 0).T
    return found


def _labellers(sensitivity: Floats, specificity: Floats) -> tuple[Labeller, ...]:
    def ends(replicates: Floats) -> Interval:
        low, high = np.quantile(replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(float(low), float(high))

    return tuple(
        Labeller(float(a[0]), ends(a[1:]), float(b[0]), ends(b[1:]))
        for a, b in zip(sensitivity.T, specificity.T, strict=True)
    )
