"""How far models differ on an item, shares beyond a bar, and areas under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.items import area_of, auroc, beyond, spread_of_models
from tests.support.looped import looped

BAR = 0.05


def cells(rng: np.random.Generator, sets: int, models: int, repeats: int, size: int, spread: float) -> Floats:
    """Return tables of rates; models differ with this standard deviation, and base scenarios are harder or easier."""
    rates = 0.6 + rng.normal(0, spread, (sets, models, 1)) + rng.normal(0, 0.08, (sets, 1, repeats))
    drawn: Floats = rng.binomial(size, np.clip(rates, 0.01, 0.99)) / size
    return drawn


@looped(("models", "repeats", "size"), [(3, 3, 6), (4, 3, 6), (14, 3, 6), (14, 6, 2)])
@looped("spread", [0.0, 0.05, 0.1])
def test_the_spread_of_models_is_found_without_the_noise(models: int, repeats: int, size: int, spread: float) -> None:
    """Intervals cover it in 93 to 99% of 1,000 data sets; models that differ that much are seldom called alike."""
    tables = cells(np.random.default_rng(21), 1_000, models, repeats, size, spread)
    found = [spread_of_models(table, size, BAR) for table in tables]
    covered = np.mean([one.interval.low <= spread <= one.interval.high for one in found])
    assert 0.93 - 0.014 <= covered <= 0.99
    if spread >= BAR:
        for level in (0.05, 0.05 / 12):
            assert np.mean([one.within_p <= level for one in found]) <= level + 2.5 * np.sqrt(level / 1_000)


def test_models_that_are_alike_are_shown_to_be_with_enough_data() -> None:
    """Thirty models, sixty base scenarios of two conversations."""
    tables = cells(np.random.default_rng(5), 100, 30, 60, 2, 0.0)
    assert np.mean([spread_of_models(table, 2, BAR).within_p <= BAR for table in tables]) >= 0.8


def test_models_that_are_all_the_same_leave_the_uncertainty_of_their_number() -> None:
    """Nine of nine pass with each of three models: how they differ is not known to be zero."""
    found = spread_of_models(np.ones((3, 3)), 1, BAR)
    assert found.value == 0
    assert found.interval.high > BAR
    assert found.within_p > BAR
    assert np.isnan(spread_of_models(np.ones((1, 3)), 1, BAR).value)


@pytest.mark.parametrize("models", [2, 3, 6])
def test_a_spread_is_no_wider_than_rates_can_be_apart(models: int) -> None:
    """Half of the models never pass, half always; with few models, chance alone would leave a far wider one open."""
    widest = 0.5 * np.sqrt(models / (models - 1))
    apart = np.repeat((np.arange(models) % 2)[:, None], 4, axis=1).astype(float)
    found = [spread_of_models(table, 1, BAR) for table in (apart, np.abs(apart - 0.25), np.eye(models))]
    for one in found:
        assert one.interval.low <= one.value <= one.interval.high <= widest + 1e-12
    assert found[0].interval.high == pytest.approx(widest)


def test_shares_are_tested_as_by_the_binomial_distribution() -> None:
    """Exactly scipy's; a part of a conversation is between its neighbours."""
    assert beyond(59, 59, 0.95) == pytest.approx(stats.binomtest(59, 59, 0.95, alternative="greater").pvalue)
    assert beyond(7, 20, 0.2) == pytest.approx(stats.binomtest(7, 20, 0.2, alternative="greater").pvalue)
    assert beyond(8, 20, 0.2) < beyond(7.5, 20, 0.2) < beyond(7, 20, 0.2)
    assert beyond(0, 20, 0.2) == 1
    assert np.isnan(beyond(0, 0, 0.2))


def roc_tables(rng: np.random.Generator, clusters: int, good: float, bad: float) -> Floats:
    """Return counts of scores 0 and 1 of two anchors, six conversations each per base scenario."""
    ones = np.stack([rng.binomial(6, rate, clusters) for rate in (bad, good)], axis=1)
    return np.stack([6.0 - ones, ones], axis=2)


def test_areas_are_scikit_learns() -> None:
    """From counts of three scores, to 1e-9."""
    rng = np.random.default_rng(2)
    truth, scores = rng.random(80) < 0.5, rng.choice([0.0, 0.5, 1.0], 80)
    table = np.array([[np.sum((truth == side) & (scores == value)) for value in (0, 0.5, 1)] for side in (0, 1)])
    assert float(auroc(table.astype(float))) == pytest.approx(roc_auc_score(truth, scores), abs=1e-9)


@pytest.mark.parametrize("good", [0.5, 0.7, 0.9])
def test_intervals_of_areas_cover_them(good: float) -> None:
    """Twelve base scenarios: 93% or more of 500 data sets, less what so many may err."""
    rng, truth = np.random.default_rng(3), 0.5 + (good - 0.3) / 2
    found = [area_of(roc_tables(rng, 12, good, 0.3)).interval for _ in range(500)]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93 - 0.02


def test_an_inverted_area_is_told_beyond_chance() -> None:
    """Anchors that are alike are called inverted in 5% of data sets at most; turned round, they are."""
    rng = np.random.default_rng(4)
    alike = [area_of(roc_tables(rng, 8, 0.5, 0.5)).inverted_p for _ in range(500)]
    assert np.mean([p <= 0.05 for p in alike]) <= 0.05 + 0.02
    assert area_of(roc_tables(rng, 8, 0.1, 0.9)).inverted_p < 0.01
    assert area_of(np.array([[[0.0, 1.0], [1.0, 0.0]]] * 10)).inverted_p == 0.5**10
