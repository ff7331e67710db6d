"""The difference estimator on simulated verdicts: what a reference saves, and what a useless one costs.

Verdicts are coin tosses. Of the variance of their probabilities about 70% is between cases, 7% between models, and the
rest is of this model on this case: normal effects on the logit scale, of such a size that about 30% of cases end the
same for all of 14 models and that the mean is .7, as in verdicts published for real models.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from helm_impactbench.stats.difference_estimator import (
    Cases,
    Estimates,
    Frame,
    difference_estimates,
    frame_of,
    shared_slope,
)
from helm_impactbench.stats.intervals import Interval

Floats = NDArray[np.float64]
MEAN, CASE, MODEL, BOTH = 2.1, 10.6, 1.4, 2.0
"""Mean and variances on the logit scale."""


def able(rng: np.random.Generator, *shape: int) -> Floats:
    """Return what models can do, on the logit scale; shape (*shape, 1)."""
    return MEAN + rng.normal(0, MODEL**0.5, (*shape, 1))


def chances(rng: np.random.Generator, ability: Floats, cases: int) -> Floats:
    """Return the probabilities of a pass, of abilities of shape (..., models, 1); shape (..., models, cases)."""
    case = rng.normal(0, CASE**0.5, (*ability.shape[:-2], 1, cases))
    both = rng.normal(0, BOTH**0.5, (*ability.shape[:-1], cases))
    found: Floats = 1 / (1 + np.exp(-(ability + case + both)))
    return found


def true_rate(ability: Floats) -> Floats:
    """Return the rate over all cases there could be; shape without the last axis."""
    grid = special.ndtri((np.arange(2_000) + 0.5) / 2_000) * (CASE + BOTH) ** 0.5
    found: Floats = (1 / (1 + np.exp(-(ability + grid)))).mean(-1)
    return found


def verdicts(rng: np.random.Generator, probabilities: Floats) -> Floats:
    """Return one verdict each, 0 or 1."""
    return (rng.random(probabilities.shape) < probabilities).astype(np.float64)


def frame(reference: Floats) -> tuple[Floats, Frame]:
    """Return the predictions from a reference of shape (..., models, cases), one case to a cluster, and their frame."""
    models = reference.shape[-2]
    others = (reference.sum(-2, keepdims=True) - reference) / (models - 1)
    one = np.ones_like(reference)
    predictions = reference.mean(-2)
    slope = shared_slope(Cases(reference, one, others, one))
    return predictions, frame_of(predictions, np.ones_like(predictions), slope)


def drawn(rng: np.random.Generator, scores: Floats, predictions: Floats, size: int) -> Cases:
    """Return a random part of the cases of each model; shape (..., cases) each."""
    places = np.argsort(rng.random(scores.shape), axis=-1)[..., :size]
    one = np.ones((*scores.shape[:-1], size))
    known = np.broadcast_to(predictions, scores.shape)
    return Cases(np.take_along_axis(scores, places, -1), one, np.take_along_axis(known, places, -1), one)


def covered(found: Estimates, truth: Floats, *, all_cases: bool = False) -> float:
    """Return the share of draws whose interval has the truth in it."""
    of = found.all_cases_interval if all_cases else found.interval
    intervals = [of(place) for place in np.ndindex(found.value.shape)]
    return float(np.mean([i.low <= t <= i.high for i, t in zip(intervals, truth.ravel(), strict=True)]))


def test_the_simulated_verdicts_are_what_is_said_of_them() -> None:
    """Shares of the variance of the probabilities, and cases that end the same for all of 14 models."""
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(20):
        given = chances(rng, able(rng, 14), 2_000)
        rest = given - given.mean(0) - given.mean(1, keepdims=True) + given.mean()
        within = (rest**2).sum() / (13 * 1_999)
        parts = np.array([given.mean(0).var(ddof=1) - within / 14, given.mean(1).var(ddof=1) - within / 2_000, within])
        passes = verdicts(rng, given).mean(0)
        shares.append([*(parts / parts.sum()), np.isin(passes, (0.0, 1.0)).mean(), passes.mean()])
    assert np.mean(shares, axis=0) == pytest.approx([0.70, 0.07, 0.23, 0.30, 0.70], abs=0.025)


@pytest.mark.parametrize("size", [24, 60, 150])
def test_a_reference_is_worth_half_as_many_conversations_again(size: int) -> None:
    """Of 600 models that are not in the reference: the error with n cases is at most that of the mean of 1.5 n."""
    rng = np.random.default_rng(2)
    ours, plain = [], []
    for _ in range(6):
        scores = verdicts(rng, chances(rng, able(rng, 113), 2_000))
        predictions, known = frame(scores[:13])
        own, truth = scores[13:], scores[13:].mean(1)
        for _ in range(6):
            found = difference_estimates(drawn(rng, own, predictions, size), known)
            more = drawn(rng, own, predictions, round(1.5 * size)).scores.mean(-1)
            ours.append(np.mean((found.value - truth) ** 2))
            plain.append(np.mean((more - truth) ** 2))
    assert np.mean(ours) <= np.mean(plain)


@pytest.mark.parametrize("size", [12, 24, 36])
@pytest.mark.parametrize("kind", ["good", "noise", "of another matter"])
def test_intervals_cover_whatever_the_reference_is(kind: str, size: int) -> None:
    """A good one, coin tosses, and models that agree with each other alone: 93 to 98%, for all and for such cases."""
    rng = np.random.default_rng(3)
    ability = able(rng, 1_500, 9)
    scores = verdicts(rng, chances(rng, ability, 150))
    reference = {
        "good": scores[:, 1:],
        "noise": verdicts(rng, np.full((1_500, 8, 150), 0.5)),
        "of another matter": verdicts(rng, chances(rng, ability[:, 1:], 150)),
    }[kind]
    predictions, known = frame(reference)
    found = difference_estimates(drawn(rng, scores[:, 0], predictions, size), known)
    assert 0.93 <= covered(found, true_rate(ability[:, 0])) <= 0.985
    assert 0.93 <= covered(found, scores[:, 0].mean(-1), all_cases=True) <= 0.985


def test_a_useless_reference_costs_next_to_nothing() -> None:
    """Coin tosses for a reference: the mean square error is at most 4% above that of the drawn cases alone."""
    rng = np.random.default_rng(4)
    scores = verdicts(rng, chances(rng, able(rng, 3_000), 500))
    predictions, known = frame(verdicts(rng, np.full((13, 500), 0.5)))
    for size in (12, 36):
        found = difference_estimates(drawn(rng, scores, predictions, size), known)
        errors = [np.mean((value - scores.mean(-1)) ** 2) for value in (found.value, found.plain)]
        assert errors[0] <= 1.04 * errors[1]


def test_what_is_said_to_be_gained_is_gained() -> None:
    """The ratio of the variances, in the median over models, is within a tenth of that of the true errors."""
    rng = np.random.default_rng(5)
    scores = verdicts(rng, chances(rng, able(rng, 2_013), 1_000))
    predictions, known = frame(scores[:13])
    found = difference_estimates(drawn(rng, scores[13:], predictions, 60), known)
    truth = scores[13:].mean(-1)
    gained = np.mean((found.plain - truth) ** 2) / np.mean((found.value - truth) ** 2)
    assert np.median(found.plain_variance / found.variance) == pytest.approx(gained, rel=0.1)


def test_clusters_of_unequal_size_with_verdicts_missing() -> None:
    """Base scenarios of 1 to 6 cases whose conversations are alike, one verdict in five missing: 93% or more."""
    rng = np.random.default_rng(6)
    sets, clusters, drawn_clusters, most = 1_000, 150, 30, 6
    ability = able(rng, sets, 9)
    sizes = rng.integers(1, most + 1, (sets, 1, clusters))
    alike = chances(rng, ability, clusters)
    passes = rng.binomial(sizes, alike).astype(np.float64)
    predictions, counts = passes[:, 1:].sum(1) / 8, sizes[:, 0].astype(np.float64)
    there = rng.binomial(sizes[:, 0] - 1, 0.8) + 1.0  # of each cluster one verdict or more
    scores = rng.binomial(there.astype(int), alike[:, 0]).astype(np.float64)
    places = np.argsort(rng.random((sets, clusters)), axis=-1)[:, :drawn_clusters]
    part = Cases(*(np.take_along_axis(each, places, -1) for each in (scores, there, predictions, counts)))
    found = difference_estimates(part, frame_of(predictions, counts, np.ones(sets)))
    assert 0.93 <= covered(found, true_rate(ability[:, 0])) <= 0.985


def test_all_cases_drawn_is_their_mean() -> None:
    """Nothing is left to estimate: the value is the plain mean, and the variance for these very cases 0."""
    rng = np.random.default_rng(7)
    scores = verdicts(rng, chances(rng, able(rng, 9), 60))
    predictions, known = frame(scores[1:])
    one = np.ones(60)
    found = difference_estimates(Cases(scores[0], one, predictions, one), known)
    assert float(found.value) == pytest.approx(scores[0].mean())
    assert found.all_cases_interval() == Interval(float(found.value), float(found.value))
    assert float(found.variance) == pytest.approx(float(found.plain_variance), rel=0.15)


def test_a_model_that_passes_everywhere_is_not_certain() -> None:
    """No reference makes its rate surer than so few cases can: the lower bound is as far as without one."""
    rng = np.random.default_rng(8)
    predictions, known = frame(verdicts(rng, chances(rng, able(rng, 8), 60)))
    one = np.ones(12)
    found = difference_estimates(Cases(one, one, predictions[:12], one), known)
    assert found.interval().high == 1
    assert found.interval().low < 0.85
    with pytest.raises(ValueError, match="4 or more"):
        difference_estimates(Cases(one[:2], one[:2], one[:2], one[:2]), known)
