"""How often a judge errs, measured on a sample that people have annotated.

`judged` is the judge's answer, `truth` the people's. The sample may have been drawn in strata by the judge's answer:
all figures start from the share that is true among items judged so (the predictive values), which such a sample shows
without bias, and from how often the judge gives each answer, which is known for every conversation.

Intervals: each of these shares gets its Jeffreys distribution, Beta(k + 1/2, n - k + 1/2), with an effective n that
allows for unequal weights and for clusters; the figure is computed from DRAWS seeded draws of all of them, and its
interval holds the middle 95%. At 0 or 1 of few labels this stays honest where a normal interval has width 0. Sources:
Brown, Cai & DasGupta (2001), Statistical Science 16 (Jeffreys); Flor, Weiss, Selhorst, Mueller-Graf & Greiner (2020),
BMC Public Health 20 (corrected rates by this method against the delta method).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.agreement import Kappa
from helm_impactbench.stats.clusters import SEED, Clusters, Floats, mean_variance
from helm_impactbench.stats.intervals import LEVEL, TINY, UNKNOWN, Interval, wilson
from helm_impactbench.stats.labellers import Labels
from helm_impactbench.stats.scipy_modules import special

Bools = NDArray[np.bool_]
Codes = NDArray[np.int64]

DRAWS = 2_000
_NONE = 1e-4
LEAST_INFORMATION = 0.1
"""Sensitivity + specificity - 1 (Youden's J) below which nothing is corrected: the correction divides by it."""


@dataclass(frozen=True)
class LabelledShare:
    """A share and what it rests on."""

    value: float
    size: float
    """Effective number of independent values; nan where unknown (a single cluster)."""
    items: int

    def draws(self, rng: np.random.Generator) -> Floats:
        """Return draws from the share's Jeffreys distribution; shape (DRAWS,), nan where the size is unknown."""
        if math.isnan(self.size):
            return np.full(DRAWS, math.nan)
        hits = self.value * self.size
        drawn: Floats = rng.beta(hits + 0.5, max(0.0, self.size - hits) + 0.5, DRAWS)
        return drawn


def judged_share(clusters: Clusters) -> LabelledShare:
    """Return the share of a judge's answers over whole clusters. Raises ValueError when there is none.

    Its effective size is what the variance of whole clusters is worth, made smaller where there are few clusters
    by the square of normal over t quantile; without any variance it is the number of clusters.
    """
    mean = min(1.0, max(0.0, clusters.mean))  # a sum of floats may be slightly outside
    if clusters.size < 2:
        return LabelledShare(mean, math.nan, clusters.values)
    (variance, freedom), spread = mean_variance(clusters), mean * (1 - mean)
    size = spread / variance if variance > TINY and spread > 0 else float(clusters.size)
    level = (1 + LEVEL) / 2
    few = float(special.ndtri(level) / special.stdtrit(freedom, level)) ** 2
    return LabelledShare(mean, size * few, clusters.values)


@dataclass(frozen=True)
class Labelled:
    """Items with the judge's answer and the people's. All arrays have shape (items,)."""

    judged: Bools
    truth: Bools
    weights: Floats
    """How many conversations each item stands for; above 0."""
    clusters: Codes
    """Equal for items that are not independent of each other; from 0."""
    labels: Labels | None = None
    """What several people say of each item; without it, `truth` is known."""

    def __len__(self) -> int:
        return len(self.judged)

    def where(self, chosen: Bools) -> Labelled:
        """Return the chosen items."""
        labels = self.labels.where(chosen) if self.labels else None
        return Labelled(self.judged[chosen], self.truth[chosen], self.weights[chosen], self.clusters[chosen], labels)

    def unweighted(self) -> Labelled:
        """Return the items as they are, each standing for itself."""
        return replace(self, weights=np.ones(len(self)))

    @cached_property
    def probable(self) -> Floats:
        """How probable it is that each item is True; shape (items,)."""
        found = self.truth.astype(float)
        for judged, share in zip((False, True), self.true_when, strict=True):
            if self.labels and share:
                side = self.judged == judged
                found[side] = self.labels.where(side).posterior(share.value)
        return found

    @cached_property
    def true_when(self) -> tuple[LabelledShare | None, LabelledShare | None]:
        """Shares of truth among items judged False and among those judged True; None without such an item."""
        return self._true_when(False), self._true_when(True)

    def _true_when(self, judged: bool) -> LabelledShare | None:
        chosen = self.judged == judged
        if self.labels and chosen.any():
            return LabelledShare(*self.labels.where(chosen).share(self.weights[chosen]), int(chosen.sum()))
        return _weighted_share(self.truth[chosen], self.weights[chosen], self.clusters[chosen])


def _weighted_share(truth: Bools, weights: Floats, clusters: Codes) -> LabelledShare | None:
    """Return a weighted share; its size is Kish's for the weights, over the design effect of the clusters if above 1.

    Sources: Kish (1965), Survey Sampling, section 11.7; Binder (1983), International Statistical Review 51 (the
    variance of a weighted share over clusters by linearisation).
    """
    if not len(truth):
        return None
    total = float(weights.sum())
    value = _share_of(weights, truth)
    kish = total**2 / float((weights**2).sum())
    independent = value * (1 - value) / kish
    used = np.unique(clusters).size
    if independent <= 0 or used < 2:
        return LabelledShare(value, kish, len(truth))
    residuals = np.bincount(clusters, weights * (truth - value)) / total
    effect = float((residuals**2).sum()) * used / (used - 1) / independent
    return LabelledShare(value, kish / max(1.0, effect), len(truth))


def _share_of(weights: Floats, chosen: Bools) -> float:
    """Return the weighted share of the chosen: exactly 0 without any and 1 without others, in whichever order they are.

    Two sums of the same weights may differ in the last bit, and a side that seems to have a weight needs an item.
    """
    inside, outside = float(weights[chosen].sum()), float(weights[~chosen].sum())
    return inside / (inside + outside)


@dataclass(frozen=True)
class ErrorRate:
    """Sensitivity or specificity."""

    value: float
    """Weighted: over all conversations that the sample stands for."""
    interval: Interval
    hits: float
    """Labelled items on which the judge was right; where people err, their expected number."""
    items: float
    """Labelled items of this truth; likewise."""

    @property
    def unweighted(self) -> float:
        """The share over the labelled items as they are."""
        return self.hits / self.items

    @property
    def wilson(self) -> Interval:
        """Wilson's interval of the unweighted share."""
        return wilson(self.hits, self.items)


@dataclass(frozen=True)
class ErrorRates:
    """A judge against people. A rate is None where no labelled item, or no item of that truth, shows it."""

    sensitivity: ErrorRate | None
    specificity: ErrorRate | None
    information: float | None
    """Sensitivity + specificity - 1, Youden's J: 1 is perfect, 0 is chance; None where a rate is missing."""
    information_interval: Interval

    @property
    def problem(self) -> str:
        """Why nothing can be corrected with these rates; empty when it can."""
        if self.sensitivity is None or self.specificity is None or self.information is None:
            missing = "present" if self.sensitivity is None else "absent"
            return f"no annotated conversation shows how the judge does where people say {missing}"
        if self.information < LEAST_INFORMATION or not self.information_interval.low > 0:
            return (
                f"sensitivity + specificity - 1 is {self.information:.2f} ({self.information_interval}): the judge "
                "is not distinguishable from chance well enough to correct for its errors"
            )
        return ""


def error_rates(labelled: Labelled, judged: LabelledShare | None = None) -> ErrorRates:
    """Return the judge's sensitivity and specificity over the conversations that the sample stands for.

    `judged` is how often the judge says True over all of them; by the weights when None. Its size is the number of
    conversations, without regard to clusters: scenarios that differ in how often the behaviour is there change this
    share and the predictive ones together, and the error rates not at all. With q = judged and the predictive shares
    t1, t0, sensitivity = q t1 / (q t1 + (1 - q) t0); for equal weights and q of the sample it is the plain recall.
    Source: Begg & Greenes (1983), Biometrics 39, whose correction for a sample chosen by the test's answer this is.
    """
    over_all = _by_weights(labelled) if judged is None else judged
    q = over_all.value
    when = sides_of(labelled, q)
    if when is None:
        return ErrorRates(None, None, None, UNKNOWN)
    rng = np.random.default_rng(SEED)
    drawn = rates_of(when[0].draws(rng), when[1].draws(rng), over_all.draws(rng))
    values = rates_of(np.array(when[0].value), np.array(when[1].value), np.array(q))
    sensitivity, specificity = (
        _rate(labelled, truth, float(value), draws)
        for truth, value, draws in zip((True, False), values, drawn, strict=True)
    )
    if sensitivity is None or specificity is None:
        return ErrorRates(sensitivity, specificity, None, UNKNOWN)
    information = sensitivity.value + specificity.value - 1
    return ErrorRates(sensitivity, specificity, information, middle(drawn[0] + drawn[1] - 1, information))


def modelled_kappa(labelled: Labelled) -> Kappa:
    """Return Cohen's kappa and agreement of the judge with the truth on the sheet as it is, where people err too."""
    own = labelled.unweighted()
    q = _by_weights(own)
    when = sides_of(own, q.value)
    if when is None:
        return Kappa(None, None, len(own), math.nan)
    rng = np.random.default_rng(SEED)
    agreement, kappa = _agreement_of(np.array(when[0].value), np.array(when[1].value), q.value)
    _, drawn = _agreement_of(when[0].draws(rng), when[1].draws(rng), q.value)
    known = not math.isnan(float(kappa))
    interval = middle(drawn, float(kappa)) if known else UNKNOWN
    found = interval if interval.is_known else None
    return Kappa(float(kappa) if known else None, found, len(own), float(agreement))


def _agreement_of(when_absent: Floats, when_present: Floats, q: float) -> tuple[Floats, Floats]:
    present = q * when_present + (1 - q) * when_absent
    agreement, chance = q * when_present + (1 - q) * (1 - when_absent), q * present + (1 - q) * (1 - present)
    with np.errstate(invalid="ignore", divide="ignore"):
        return agreement, (agreement - chance) / (1 - chance)


def _by_weights(labelled: Labelled) -> LabelledShare:
    total = float(labelled.weights.sum())
    value = _share_of(labelled.weights, labelled.judged) if len(labelled) else math.nan
    return LabelledShare(value, total, round(total))


def sides_of(labelled: Labelled, q: float) -> tuple[LabelledShare, LabelledShare] | None:
    """Return the shares of truth where judged False and True; None when one is needed and nothing shows it."""
    absent, present = labelled.true_when
    if absent is None and q == 1:
        absent = LabelledShare(0.0, 0.0, 0)  # has no weight
    if present is None and q == 0:
        present = LabelledShare(0.0, 0.0, 0)
    return None if absent is None or present is None else (absent, present)


def rates_of(when_absent: Floats, when_present: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Return sensitivity and specificity, nan where nothing is true or nothing false."""
    true_found, true_missed = q * when_present, (1 - q) * when_absent
    false_found, false_cleared = q * (1 - when_present), (1 - q) * (1 - when_absent)
    with np.errstate(invalid="ignore", divide="ignore"):
        return true_found / (true_found + true_missed), false_cleared / (false_cleared + false_found)


def _rate(labelled: Labelled, truth: bool, value: float, draws: Floats) -> ErrorRate | None:
    probable = labelled.probable if truth else 1 - labelled.probable
    items = float(probable.sum())
    if not items > _NONE or math.isnan(value):
        return None
    return ErrorRate(value, middle(draws, value), float(probable @ (labelled.judged == truth)), items)


def middle(draws: Floats, value: float, lowest: float = -1.0, highest: float = 1.0) -> Interval:
    """Return the middle LEVEL of the draws within bounds, with `value` in it; unknown when a draw is.

    A Jeffreys interval is taken to end at 0 or 1 where the estimate does (Brown, Cai & DasGupta 2001, section 3.1).
    """
    if bool(np.isnan(draws).any()):
        return UNKNOWN
    low, high = np.quantile(np.clip(draws, lowest, highest), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(min(float(low), value), max(float(high), value))
