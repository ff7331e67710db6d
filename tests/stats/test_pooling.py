"""Pooled rates and gaps, in simulated data with a known truth: their error, against that of raw ones, and coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Clusters, Floats
from helm_impactbench.stats.gap_pooling import pooled_gaps
from helm_impactbench.stats.pooling import FEWEST, Pooled, pooled_rates
from tests.support.outcomes import beta

METRICS = 12
LONG = partial(pytest.param, marks=pytest.mark.long)
NOISE = 0.017
"""What the coverage of 150 data sets of twelve metrics may err (3 standard errors)."""


@dataclass(frozen=True)
class Found:
    """What simulated data sets came to."""

    gain: float
    """By how much the root mean squared error of pooled figures is below that of raw ones, as a share of it."""
    coverage: float
    of_first: float
    """Coverage of the first metric alone."""


def truths(rng: np.random.Generator, mean: float, spread: float, sets: int) -> Floats:
    """Return the true rates of metrics with this mean and standard deviation; shape (sets, METRICS)."""
    return np.asarray(beta(rng, mean, spread**2 / (mean * (1 - mean)), (sets, METRICS)))


def values(
    rng: np.random.Generator, rates: Floats, correlation: float, bases: int, size: int, steps: int = 1
) -> Floats:
    """Return sums of `size` values, in `steps` steps from 0 to 1, by base scenario; shape (sets, METRICS, bases)."""
    inner = np.broadcast_to(np.clip(rates, 1e-9, 1 - 1e-9)[..., None], (*rates.shape, bases))
    chances = beta(rng, inner, correlation, inner.shape) if correlation else inner
    return rng.binomial(size * steps, chances) / steps


def compared(pooled: list[list[Pooled]], raw: Floats, truth: Floats) -> Found:
    """Return how pooled and raw figures compare with the truth."""
    value, low, high = (
        np.array([[of(one) for one in own] for own in pooled])
        for of in (lambda one: one.value, lambda one: one.interval.low, lambda one: one.interval.high)
    )
    error, before = (float(np.sqrt(((figure - truth) ** 2).mean())) for figure in (value, raw))
    holds = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    return Found(1 - error / before, float(holds.mean()), float(holds[:, 0].mean()))


def rates_found(
    mean: float, spread: float, correlation: float, bases: int, size: int, *, fails: bool = False, sets: int = 150
) -> Found:
    """Return how well the rates of simulated metrics are estimated; `fails`: the first one always does."""
    rng = np.random.default_rng(41)
    truth = truths(rng, mean, spread, sets)
    if fails:
        truth[:, 0] = 0.0
    passed = values(rng, truth, correlation, bases, size)
    counts = np.full(bases, float(size))
    pooled = [pooled_rates([Clusters(row, counts) for row in own]) or [] for own in passed]
    return compared(pooled, passed.sum(axis=2) / (bases * size), truth)


SHAPES = [(3, 6), (6, 2)]
FINER = [LONG((0.5, 0.1)), (0.75, 0.05), (0.75, 0.1), (0.9, 0.05)]
"""Mean of the metrics' true rates, and a standard deviation below the noise of a single one."""


@pytest.mark.parametrize(("bases", "size"), SHAPES)
@pytest.mark.parametrize("correlation", [0.0, LONG(0.3), 0.6])
@pytest.mark.parametrize("means", FINER)
def test_pooled_rates_err_less(means: tuple[float, float], correlation: float, bases: int, size: int) -> None:
    """Metrics that differ by less than the noise: at least 15% less error, and 93 to 98.7% of true rates held."""
    found = rates_found(*means, correlation, bases, size)
    assert found.gain >= 0.15
    assert 0.93 - NOISE <= found.coverage <= 0.987


@pytest.mark.long
@pytest.mark.parametrize(("bases", "size"), SHAPES)
def test_coverage_over_all_settings(bases: int, size: int) -> None:
    """1,000 data sets for each mean, spread and correlation: 93 to 97% on average, and 91.5% or more in each."""
    cells = [
        rates_found(mean, spread, correlation, bases, size, sets=1_000)
        for mean, spread in ((0.5, 0.05), (0.5, 0.1), (0.5, 0.2), (0.5, 0.3), (0.75, 0.1), (0.75, 0.2), (0.9, 0.1))
        for correlation in (0.0, 0.3, 0.6)
    ]
    assert 0.93 <= np.mean([found.coverage for found in cells]) <= 0.97
    assert min(found.coverage for found in cells) >= 0.915
    assert min(found.gain for found in cells) >= 0.0


@pytest.mark.parametrize(("bases", "size"), SHAPES)
@pytest.mark.parametrize("correlation", [0.0, LONG(0.3), LONG(0.6)])
def test_one_metric_that_always_fails(correlation: float, bases: int, size: int) -> None:
    """It stays at the bottom, hardly moves the others, and 0 is in its interval; at least 15% less error in all."""
    found = rates_found(0.75, 0.1, correlation, bases, size, fails=True)
    assert found.gain >= 0.15
    assert found.coverage >= 0.93 - NOISE
    assert found.of_first == 1


def rates_of_models_found(
    models: int, metric: float, own: float, correlation: float, bases: int, size: int, sets: int = 24
) -> tuple[Found, Found]:
    """Return how well the rates of three of several models are estimated: with the other models, and without.

    `metric`: standard deviation of the logit of what all models find hard; `own`: of what each finds hard for itself.
    """
    rng, counts = np.random.default_rng(45), np.full(bases, float(size))
    logits = 1 + rng.normal(0, 0.3, (sets, models, 1)) + rng.normal(0, metric, (sets, 1, METRICS))
    truth = 1 / (1 + np.exp(-logits - rng.normal(0, own, (sets, models, METRICS))))
    passed = np.stack([values(rng, truth[:, model], correlation, bases, size) for model in range(models)], axis=1)
    raw = passed.sum(axis=3) / (bases * size)
    shown = range(min(3, models))
    strata = [[Clusters(row, counts) for row in passed[one, model]] for one in range(sets) for model in shown]
    others = [np.delete(raw[one], model, axis=0).mean(axis=0) for one in range(sets) for model in shown]
    flat_raw, flat_truth = (np.concatenate([x[one, list(shown)] for one in range(sets)]) for x in (raw, truth))
    return (
        compared(
            [pooled_rates(s, 1.0, list(o)) or [] for s, o in zip(strata, others, strict=True)], flat_raw, flat_truth
        ),
        compared([pooled_rates(s) or [] for s in strata], flat_raw, flat_truth),
    )


@pytest.mark.parametrize(("bases", "size", "correlation"), [(3, 6, 0.0), LONG(3, 6, 0.3), LONG(3, 6, 0.6), (6, 2, 0.3)])
@pytest.mark.parametrize("metric", [LONG(0.5), 1.0, 1.5])
def test_other_models_tell_which_metrics_are_hard(metric: float, bases: int, size: int, correlation: float) -> None:
    """14 models, metrics that truly differ by much (SD up to .25): at least 25% less error, 93 to 98.5% held."""
    found, alone = rates_of_models_found(14, metric, 0.3, correlation, bases, size)
    assert found.gain >= 0.25
    assert found.gain > alone.gain
    assert 0.93 - NOISE <= found.coverage <= 0.985


@pytest.mark.parametrize(("models", "metric"), [(14, 0.0), (2, 0.0), (2, 1.0)])
def test_other_models_that_tell_nothing_or_little(models: int, metric: float) -> None:
    """Metrics that are hard for one model alone, or a single other model: at most 5 points of the gain are lost."""
    found, alone = rates_of_models_found(models, metric, 0.8, 0.3, 3, 6, sets=60)
    assert found.gain >= alone.gain - 0.05
    assert found.coverage >= 0.93 - NOISE


def test_metrics_that_differ_by_more_than_the_noise() -> None:
    """There is little to gain, and nothing is lost."""
    assert 0 <= rates_found(0.5, 0.3, 0.0, 3, 6).gain < 0.15


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_half_of_the_metrics_always_fail(correlation: float) -> None:
    """No beta distribution: an error at most 12% above that of raw rates, which are exact at 0; 93% or more held."""
    rng, counts = np.random.default_rng(46), np.full(3, 6.0)
    truth = np.tile([0.0, 0.9], (150, METRICS // 2))
    passed = values(rng, truth, correlation, 3, 6)
    pooled = [pooled_rates([Clusters(row, counts) for row in own]) or [] for own in passed]
    found = compared(pooled, passed.sum(axis=2) / 18, truth)
    assert found.gain >= -0.12
    assert found.coverage >= 0.93 - NOISE


def test_a_metric_far_from_all_others_is_held_less_often() -> None:
    """One at .2 among eleven at .9 may be drawn up too far: held in 50 to 93% of data sets, as docs/ say."""
    rng = np.random.default_rng(42)
    truth = np.tile([0.2, *[0.9] * (METRICS - 1)], (150, 1))
    passed = values(rng, truth, 0.6, 3, 6)
    counts = np.full(3, 6.0)
    pooled = [pooled_rates([Clusters(row, counts) for row in own]) or [] for own in passed]
    assert 0.5 <= compared(pooled, passed.sum(axis=2) / 18, truth).of_first <= 0.93


@pytest.mark.parametrize("steps", [2, 4])
def test_scores_between_fail_and_pass(steps: int) -> None:
    """Points of a scale vary less than passes and fails, which is used: not worse than raw rates, 92% or more held."""
    rng, counts = np.random.default_rng(43), np.full(3, 6.0)
    truth = truths(rng, 0.7, 0.1, 100)
    passed = values(rng, truth, 0.0, 3, 6, steps)
    pooled = [pooled_rates([Clusters(row, counts) for row in own], 1 / steps) or [] for own in passed]
    found = compared(pooled, passed.sum(axis=2) / 18, truth)
    assert found.gain >= 0.03
    assert found.coverage >= 0.92


def gaps_found(mean: float, spread: float, correlation: float, bases: int, *, first: float | None = None) -> Found:
    """Return how well the gaps of simulated metrics are estimated, three conversations a side and base scenario."""
    rng, sets, size = np.random.default_rng(44), 150, 3
    rates = truths(rng, 0.7, 0.15, sets)
    others = np.clip(rates + rng.normal(mean, spread, rates.shape), 0, 1)
    if first is not None:
        rates[:, 0], others[:, 0] = 0.5 - first / 2, 0.5 + first / 2
    sums = values(rng, others, correlation, bases, size) - values(rng, rates, correlation, bases, size)
    counts = np.full(bases, float(size))
    pooled = [pooled_gaps([Clusters(row, counts) for row in own]) or [] for own in sums]
    return compared(pooled, sums.sum(axis=2) / (bases * size), others - rates)


@pytest.mark.parametrize(("mean", "spread", "gain"), [(0.0, 0.03, 0.4), (-0.05, 0.1, 0.3), (-0.1, 0.2, 0.1)])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.parametrize("bases", [3, 6])
def test_pooled_gaps_err_less(mean: float, spread: float, gain: float, correlation: float, bases: int) -> None:
    """At least 40% less error if gaps differ by .03, 30% if by .1, 10% if by .2; and 92% or more of true gaps held."""
    found = gaps_found(mean, spread, correlation, bases)
    assert found.gain >= gain
    assert found.coverage >= 0.925 - NOISE


def test_a_gap_far_from_all_others_is_drawn_too_far() -> None:
    """One of -.6 among gaps near 0 is often outside its pooled interval, which docs/decisions/evidence.md says."""
    assert gaps_found(0.0, 0.03, 0.3, 3, first=-0.6).of_first < 0.9


def test_what_cannot_be_pooled() -> None:
    """Fewer metrics than FEWEST, or one base scenario each: no figure rather than one that rests on nothing."""
    one = Clusters(np.array([1.0, 2.0]), np.full(2, 2.0))
    single = Clusters(np.array([1.0]), np.full(1, 2.0))
    assert pooled_rates([one] * (FEWEST - 1)) is None
    assert pooled_gaps([one] * (FEWEST - 1)) is None
    assert pooled_rates([single] * FEWEST) is None
    assert pooled_gaps([single] * FEWEST) is None
    assert pooled_rates([*[one] * FEWEST, single]) is not None


def test_gaps_that_are_all_the_same_are_no_certainty() -> None:
    """Every base scenario has the greatest gap: so has the pooled one, with an interval that has a width."""
    found = (pooled_gaps([Clusters(np.ones(3), np.ones(3))] * METRICS) or [])[0]
    assert found.value == pytest.approx(1)
    assert 0.6 < found.interval.low < 0.95
    assert found.interval.high == 1


def test_pooled_rates_keep_the_order_of_rates_that_rest_on_as_much() -> None:
    """Of as many conversations, a higher rate has a higher pooled rate, nearer to the middle; all pass: up to 1."""
    strata = [Clusters(np.full(3, float(passed)), np.full(3, 6.0)) for passed in (1, 3, 4, 5, 6)]
    found = pooled_rates(strata) or []
    assert [one.value for one in found] == sorted(one.value for one in found)
    assert found[0].value > 1 / 6
    assert found[-1].value < 1
    assert found[-1].interval.high == 1


POOLING = """
import numpy as np
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.gap_pooling import pooled_gaps
from helm_impactbench.stats.pooling import pooled_rates
rng = np.random.default_rng(0)
for metrics in (5, 12, 60):
    groups = [clustered([(str(base), float(rng.random() < 0.6)) for base in range(20)]) for _ in range(metrics)]
    print(pooled_rates(groups, 1.0, rng.random(metrics).tolist()), pooled_gaps(groups))
"""


def test_figures_do_not_depend_on_the_threads_of_a_blas() -> None:
    def pooled(threads: int) -> str:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        command = [sys.executable, "-c", POOLING]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert pooled(1) == pooled(2)
