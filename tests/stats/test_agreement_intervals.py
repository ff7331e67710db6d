"""Intervals of agreement: the same coefficients as the packages', and honest about clusters."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats import agreement_intervals as intervals
from helm_impactbench.stats.agreement import fleiss_kappa, krippendorff_alpha, krippendorff_alpha_of_numbers
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.jackknife import jackknife_interval
from tests.support.looped import looped

RATINGS = [
    [None if rating == 3 else float(rating) for rating in item]
    for item in np.random.default_rng(5).choice([0, 1, 1, 2, 3], (60, 3)).tolist()
]


def test_sums_over_items_give_the_packages_coefficients() -> None:
    """Alpha of both kinds with missing votes, and Fleiss' kappa, to 1e-9: what is left out is the same figure."""
    voted = [votes for votes, _ in intervals._rated(RATINGS, range(60))]
    whole = [item for item in voted if len(item) == 3]
    nominal = np.array([intervals._paired(votes, [0, 1, 2]) for votes in voted]).sum(axis=0)
    numbers = np.array([intervals._spread(votes) for votes in voted]).sum(axis=0)
    fleiss = np.array([[1.0, *intervals._paired(votes, [0, 1, 2])] for votes in whole]).sum(axis=0)
    assert intervals._nominal_alpha(nominal) == pytest.approx(krippendorff_alpha(RATINGS), abs=1e-9)
    assert intervals._interval_alpha(numbers) == pytest.approx(krippendorff_alpha_of_numbers(RATINGS), abs=1e-9)
    assert intervals._fleiss(fleiss) == pytest.approx(fleiss_kappa(RATINGS), abs=1e-9)


def test_every_figure_of_agreement_has_an_interval_around_it() -> None:
    """Twenty base scenarios of three items; one base scenario alone says nothing."""
    clusters = [item // 3 for item in range(60)]
    alpha = krippendorff_alpha(RATINGS)
    assert alpha is not None
    found = intervals.alpha_interval(RATINGS, clusters, nominal=True)
    assert found.low < alpha < found.high
    for known in (
        intervals.alpha_interval(RATINGS, clusters, nominal=False),
        intervals.fleiss_interval(RATINGS, clusters),
        intervals.split_interval(RATINGS, clusters),
        intervals.distance_interval(RATINGS, clusters, 2.0),
    ):
        assert known.is_known
        assert known.low < known.high
    assert not intervals.alpha_interval(RATINGS, [0] * 60, nominal=True).is_known
    assert not intervals.split_interval([], []).is_known


def test_perfect_agreement_is_not_certain() -> None:
    """More base scenarios raise the lower bound of an alpha of 1."""
    lows = [
        intervals.alpha_interval([[0.0, 0.0], [1.0, 1.0]] * count, range(2 * count), nominal=nominal).low
        for count in (5, 50)
        for nominal in (True, False)
    ]
    assert 0 < lows[0] < lows[1] < lows[3] < 1
    assert lows[0] < lows[2]


def sums(rng: np.random.Generator, sets: int, clusters: int, items: int, error: float, uneven: float) -> Floats:
    """Return what clusters add to nominal alpha; two raters, who differ more in half of the clusters."""
    more = np.where(rng.random((sets, clusters)) < 0.5, 1 + uneven, 1 - uneven)
    often = rng.beta(2, 2, (sets, clusters)) if uneven else np.full((sets, clusters), 0.5)
    first = rng.random((sets, clusters, items)) < often[..., None]
    second = first ^ (rng.random((sets, clusters, items)) < error * more[..., None])
    ones = (first.sum(axis=-1) + second.sum(axis=-1)).astype(float)
    return np.stack([2.0 * (first ^ second).sum(axis=-1), 2 * items - ones, ones], axis=-1)


@looped("uneven", [0.0, 0.9])
@looped(("clusters", "items"), [(6, 6), (36, 2), (36, 6)])
@looped("error", [0.1, 0.2])
def test_intervals_of_alpha_cover_it(error: float, clusters: int, items: int, uneven: float) -> None:
    """In 93 to 98% of 1,000 data sets, less what so many may err, also where disagreements come together."""
    rng = np.random.default_rng(11)
    truth = float(intervals._nominal_alpha(sums(rng, 1, 100_000, items, error, uneven)[0].sum(axis=0)))
    found = [
        jackknife_interval(one, intervals._nominal_alpha, intervals._beyond_chance(one[:, 0], one[:, 1:]))
        for one in sums(rng, 1_000, clusters, items, error, uneven)
    ]
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.93 - 0.014 <= covered <= 0.98 + 0.014
