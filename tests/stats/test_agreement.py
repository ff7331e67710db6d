"""Agreement of raters: the figures of other packages."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from helm_impactbench.stats.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, split_rate

RATINGS = [
    [bool(value) if value < 2 else None for value in row]
    for row in np.random.default_rng(5).choice([0, 1, 1, 2], (60, 3)).tolist()
]


def test_alpha_and_kappa_are_the_libraries() -> None:
    """Missing votes included, to 1e-9."""
    numbers = np.array([[math.nan if r is None else float(r) for r in item] for item in RATINGS]).T
    expected = krippendorff.alpha(numbers, level_of_measurement="nominal")
    assert krippendorff_alpha(RATINGS) == pytest.approx(expected, abs=1e-9)
    first, second = [item[0] for item in RATINGS], [item[1] for item in RATINGS]
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    found = cohen_kappa(first, second)
    assert found.items == len(both)
    assert found.value == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)), abs=1e-9)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_fleiss_kappa_is_the_librarys() -> None:
    """Over items that all have rated, to 1e-9."""
    whole = [item for item in RATINGS if None not in item]
    counts = [[item.count(True), item.count(False)] for item in whole]
    assert fleiss_kappa(RATINGS) == pytest.approx(reference_fleiss(np.array(counts)), abs=1e-9)


@pytest.mark.parametrize(
    "items",
    [[], [[True, None]], [[True, True], [True, True]], [[None, None]]],
    ids=["nothing", "one vote", "all alike", "no vote"],
)
def test_undefined_agreement_is_none(items: list[list[bool | None]]) -> None:
    """Agreement of habit, or of nobody, is not a number."""
    assert krippendorff_alpha(items) is None
    assert fleiss_kappa(items) is None
    assert cohen_kappa([item[0] for item in items], [item[1] for item in items]).value is None


def test_split_votes() -> None:
    """Only items with two votes count."""
    assert split_rate([[True, False, None], [True, True, None], [None, True, None]]) == 0.5
    assert split_rate([[True, None]]) is None


def test_two_raters_who_never_differ_are_not_certain() -> None:
    """A perfect kappa has a lower bound, which more items raise; it read "unknown"."""
    few, many = ([True, False] * count for count in (10, 100))
    lows = [found.low for ratings in (few, many) if (found := cohen_kappa(ratings, ratings).interval)]
    assert 0.5 < lows[0] < lows[1] < 1
    assert cohen_kappa([True, False], [True, False], ["one", "one"]).interval is None


@pytest.mark.parametrize("resemblance", [0.0, 0.5])
def test_kappa_intervals_know_of_clusters(resemblance: float) -> None:
    """36 base scenarios of 6 conversations: 91% or more; taken as independent, down to 74 to 87%."""
    rng, truth_of = np.random.default_rng(41), 200_000

    def ratings(count: int) -> tuple[list[bool], list[bool], list[int]]:
        base = np.repeat(np.arange(count), 6)
        hard = (rng.random(count) < 0.5)[base]  # disagreements come together where a base scenario is hard
        error = np.where(hard, 0.16 + 0.3 * resemblance, 0.16 - 0.3 * resemblance)
        said = (rng.random(count) < 0.5)[base] if resemblance else rng.random(len(base)) < 0.5
        other = said ^ (rng.random(len(base)) < error)
        return said.tolist(), other.tolist(), base.tolist()

    truth = cohen_kappa(*ratings(truth_of // 6)).value
    assert truth is not None
    covered = 0
    for _ in range(300):
        found = cohen_kappa(*ratings(36)).interval
        assert found is not None
        covered += found.low <= truth <= found.high
    assert covered / 300 >= 0.91
