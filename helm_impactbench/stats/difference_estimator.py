"""A mean over many cases of which a new model met a few, with the help of what other models did on all of them.

Every case has a prediction, known for all: what other models scored there. The drawn cases say how far the new model
is from it: estimate = drawn mean + slope x (mean prediction of all cases - of the drawn ones). Whatever the predictions
are worth, the drawn residuals alone decide how certain the estimate is. Sources: Sarndal, Swensson & Wretman (1992),
Model Assisted Survey Sampling, chapters 6 and 8; Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient
Prediction-Powered Inference, arXiv:2311.01453 (the same with a tuned slope, for labels and predictions of models).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import TINY, Interval, score_interval

PRIOR_CLUSTERS = 10.0
"""The slope that the other models have among each other counts as much as this many drawn clusters. With 12 drawn
clusters, a slope from these alone can do more harm than good; a fixed one would stay where it does not fit the model.
"""
FEWEST_CLUSTERS = 4
"""Drawn clusters below which nothing is estimated."""


@dataclass(frozen=True)
class Cases:
    """What the cases of each cluster add up to; arrays of one shape (..., clusters)."""

    scores: Floats
    """Sum of the scores."""
    scored: Floats
    """Cases that have a score."""
    predictions: Floats
    """Sum of the predictions of all cases, with a score or without."""
    cases: Floats
    """All cases."""

    @property
    def deviations(self) -> Floats:
        """By how much each cluster moves the mean score, times the number of clusters; they add up to 0."""
        return _deviations(self.scores, self.scored)

    @property
    def prediction_deviations(self) -> Floats:
        """By how much each cluster moves the mean prediction, times the number of clusters; they add up to 0."""
        return _deviations(self.predictions, self.cases)


@dataclass(frozen=True)
class Frame:
    """All cases, drawn or not. Arrays have the shape (...) of the draws."""

    mean: Floats
    """Mean prediction."""
    spread: Floats
    """Variance of the clusters' prediction deviations."""
    slope: Floats
    """By how much a model's score rises where the others' mean is 1 higher, among models that met all cases."""
    clusters: int
    cases: Floats


@dataclass(frozen=True)
class Estimates:
    """What draws say, each of its own model; arrays of shape (...)."""

    value: Floats
    slope: Floats
    """Of scores on predictions, as used."""
    sampling: Floats
    """Variance of `value` that is left to the draw, if few of very many cases were drawn."""
    share: Floats
    """Of all cases that were drawn."""
    plain: Floats
    """The drawn cases' mean score."""
    plain_variance: Floats
    """Of `plain`, for cases like these."""
    shared_variance: Floats
    """Of `value`, from the choice of all cases: other ones would have other predictions."""
    clusters: int
    """Drawn."""

    @property
    def variance(self) -> Floats:
        """Of `value`, for cases like these."""
        return self.sampling + self.shared_variance

    def interval(self, place: tuple[int, ...] = ()) -> Interval:
        """Return the 95% interval of one draw, for cases like these."""
        return self._interval(float(self.variance[place]), place)

    def all_cases_interval(self, place: tuple[int, ...] = ()) -> Interval:
        """Return the 95% interval of one draw, for exactly these cases: of no width when all are drawn."""
        value, left = float(self.value[place]), 1 - float(self.share[place])
        return self._interval(left * float(self.sampling[place]), place) if left > TINY else Interval(value, value)

    def _interval(self, variance: float, place: tuple[int, ...]) -> Interval:
        return score_interval(float(self.value[place]), variance, self.clusters - 1, units=self.clusters)


def frame_of(predictions: Floats, cases: Floats, slope: Floats) -> Frame:
    """Return the frame from the predictions' sum and the number of cases in every cluster; shape (..., clusters)."""
    spread: Floats = (_deviations(predictions, cases) ** 2).mean(-1)
    return Frame(predictions.sum(-1) / cases.sum(-1), spread, slope, predictions.shape[-1], cases.sum(-1))


def shared_slope(models: Cases) -> Floats:
    """Return the slope of models' scores on the predictions from all others; 0 where predictions do not vary.

    Arrays of shape (..., models, clusters); a model without a score takes no part.
    """
    predicted = models.prediction_deviations * (models.scored.sum(-1, keepdims=True) > 0)
    below = (predicted**2).sum((-1, -2))
    moved = (models.deviations * predicted).sum((-1, -2))
    slope: Floats = np.divide(moved, below, out=np.zeros_like(below), where=below > TINY)
    return slope


def difference_estimates(drawn: Cases, frame: Frame) -> Estimates:
    """Return the estimates from drawn clusters. Raises ValueError with fewer than FEWEST_CLUSTERS of them.

    The slope minimises the squares of the residuals, and of those that PRIOR_CLUSTERS clusters with the other models'
    slope would add. A residual is divided by one minus its cluster's leverage on the slope, because a line through
    few clusters runs too close to each of them (the jackknife; MacKinnon & White 1985, Journal of Econometrics 29).
    """
    clusters = drawn.scores.shape[-1]
    if clusters < FEWEST_CLUSTERS:
        raise ValueError(f"got {clusters} drawn clusters; allowed: {FEWEST_CLUSTERS} or more")
    own, predicted = drawn.deviations, drawn.prediction_deviations
    below = (predicted**2).sum(-1) + PRIOR_CLUSTERS * frame.spread
    moved = (own * predicted).sum(-1) + PRIOR_CLUSTERS * frame.spread * frame.slope
    # A model that scored the same everywhere has shown no residuals: a slope from others would make it look certain.
    varies = (np.abs(own) > TINY).any(-1) & (below > TINY)
    slope = np.divide(moved, below, out=np.zeros_like(below), where=varies)
    leverage = np.divide(predicted, below[..., None], out=np.zeros_like(predicted), where=varies[..., None])
    distance = frame.mean - drawn.predictions.sum(-1) / drawn.cases.sum(-1)
    residuals = (own - slope[..., None] * predicted) / (1 - leverage * predicted)
    weights = 1 / clusters + leverage * distance[..., None]
    sampling = ((weights * residuals) ** 2).sum(-1) * clusters / (clusters - 1)
    plain = drawn.scores.sum(-1) / drawn.scored.sum(-1)
    return Estimates(
        value=np.clip(plain + slope * distance, 0.0, 1.0),
        slope=slope,
        sampling=sampling,
        share=np.clip(drawn.cases.sum(-1) / frame.cases, 0.0, 1.0),
        plain=plain,
        plain_variance=(own**2).sum(-1) / (clusters * (clusters - 1)),
        shared_variance=slope**2 * frame.spread / frame.clusters,
        clusters=clusters,
    )


def _deviations(sums: Floats, counts: Floats) -> Floats:
    total = np.maximum(counts.sum(-1, keepdims=True), TINY)
    found: Floats = sums.shape[-1] * (sums - sums.sum(-1, keepdims=True) / total * counts) / total
    return found
