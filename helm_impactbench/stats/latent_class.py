"""A latent class model of several readers who err: the error rates of each, without any known truth.

Given the truth, readers err independently of each other. Items come in strata whose shares of True differ while error
rates do not: a judge's two answers, when people label them, or types of metrics. Fitted by EM, which needs no library:
crowd-kit, which the field uses, brings transformers and nltk with it. Errors that several readers make on the same hard
items are not independent, and are seen as truth.

Sources: Dawid & Skene (1979), Applied Statistics 28 (EM); Hui & Walter (1980), Biometrics 36 (strata).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.scipy_modules import special

Integers = NDArray[np.intp]

REPLICATES = 200
"""Of the cluster bootstrap."""
ROUNDS = 200
CERTAIN = 1e-6
"""A share that stands for 0 where a logarithm is taken."""
SETTLED = 1e-5
"""Change of a share below which it is taken as found."""
_START = 0.9


@dataclass(frozen=True)
class Errors:
    """Readers' error rates and what they leave open. First row: the estimate; the others: bootstrap replicates."""

    sensitivity: Floats
    """Shape (1 + REPLICATES, readers)."""
    specificity: Floats
    """The same."""
    shares: Floats
    """Shape (1 + REPLICATES, strata): share of True."""


def drawn_clusters(clusters: Sequence[Any]) -> Floats:
    """Return how often each item is in a replicate; shape (1 + REPLICATES, items), the first row once each."""
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    size = int(codes.max()) + 1
    drawn = np.random.default_rng(SEED).multinomial(size, np.full(size, 1 / size), size=REPLICATES)
    return np.vstack([np.ones(len(codes)), drawn[:, codes].astype(float)])


def patterns_of(labels: Floats, strata: Integers) -> tuple[Floats, Integers, Integers]:
    """Return the different rows of labels (-1 for none) within strata, the stratum of each, and which an item has."""
    rows = np.column_stack([np.where(np.isnan(labels), -1.0, labels), strata.astype(float)])
    patterns, which = np.unique(rows, axis=0, return_inverse=True)
    return patterns[:, :-1], patterns[:, -1].astype(int), which.ravel()


def fit_errors(labels: Floats, strata: Integers, times: Floats) -> Errors:
    """Return the error rates by EM. `labels` has shape (patterns, readers): 1, 0, or -1 for none; `strata` (patterns,).

    times: shape (1 + REPLICATES, patterns), how many items of a replicate have a pattern.
    """
    present, absent = (labels == 1).astype(float), (labels == 0).astype(float)
    readers, kinds = labels.shape[1], np.eye(int(strata.max()) + 1)[strata]
    sensitivity, specificity = np.full((len(times), readers), _START), np.full((len(times), readers), _START)
    shares = np.full((len(times), kinds.shape[1]), 0.5)
    for _ in range(ROUNDS):
        before = sensitivity, specificity
        truth = special.expit(special.logit(shares[:, strata]) + log_odds(labels, sensitivity, specificity))
        true, false = times * truth, times * (1 - truth)
        sensitivity = _ratio(true @ present, true @ (present + absent))
        specificity = _ratio(false @ absent, false @ (present + absent))
        shares = _ratio(true @ kinds, times @ kinds, CERTAIN)
        moved = (np.abs(sensitivity - before[0]).max(), np.abs(specificity - before[1]).max())
        if max(float(one) for one in moved) < SETTLED:
            break
    return Errors(sensitivity, specificity, shares)


def _ratio(hits: Floats, size: Floats, least: float = 0.5) -> Floats:
    """Return shares from `least` to almost 1: a reader is no worse than a coin, or truth and error change sides."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.clip(np.where(size > 0, hits / size, 0.5), least, 1 - CERTAIN)
    return found


def log_odds(labels: Floats, sensitivity: Floats, specificity: Floats) -> Floats:
    """Return how much likelier labels are if the truth is True than if False, as logarithms.

    Shapes: labels (patterns, readers), rates (replicates, readers), result (replicates, patterns).
    """
    for_true = np.log(sensitivity) - np.log1p(-specificity)
    for_false = np.log(specificity) - np.log1p(-sensitivity)
    found: Floats = for_true @ (labels == 1).T - for_false @ (labels == 0).T
    return found
