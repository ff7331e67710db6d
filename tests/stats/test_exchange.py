"""Repeated answers from two batches: one source, or two?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.exchange import exchange_test, smallest_share


def item(before: str, after: str) -> tuple[Floats, int]:
    """Return an item whose answers are letters, which are alike or not."""
    said = np.array(list(before + after))
    return (said[:, None] != said[None, :]).astype(float), len(before)


def test_the_distances_are_those_of_the_answers() -> None:
    """Between batches 4 of 9 pairs and all of them differ; within a batch 2 of 3 pairs, in one of four batches."""
    found = exchange_test([item("aab", "aab"), item("aaa", "bbb")])
    assert found.between == pytest.approx((4 / 9 + 1) / 2)
    assert found.within == pytest.approx((2 / 3 + 0) / 2)


def test_p_values_are_shares_of_the_ways_to_share_answers_out() -> None:
    """Of 20 ways for each changed item, 2 part it as cleanly; items without a change say nothing."""
    for changed in (1, 2):
        items = [item("aaa", "bbb")] * changed + [item("ccc", "ccc")] * 5
        assert exchange_test(items).p_value == pytest.approx((2 / 20) ** changed, abs=0.01)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([], id="nothing"),
        pytest.param([item("aaa", "aaa")] * 9, id="no change"),
        pytest.param([item("a", "b")] * 9, id="a single answer in each batch"),
        pytest.param([item("aaa", "")] * 9, id="one batch"),
    ],
)
def test_nothing_is_said_where_nothing_can_be_told(items: list[tuple[Floats, int]]) -> None:
    """The p value is 1."""
    assert exchange_test(items).p_value == 1.0


def test_without_an_item_there_are_no_distances() -> None:
    """nan, not 0."""
    found = exchange_test([])
    assert math.isnan(found.between)
    assert math.isnan(found.within)


def test_noise_alone_is_rejected_in_one_of_twenty() -> None:
    """Whatever share of items is noisy: 400 data sets with 40 items each."""
    rng = np.random.default_rng(1)
    for noise in (0.04, 0.3):
        found = [
            exchange_test([item(*_noisy(rng, noise)) for _ in range(40)]).p_value <= 0.05 for _ in range(200)
        ]  # fmt: skip
        assert np.mean(found) <= 0.09


def test_the_smallest_share_is_found_as_often_as_it_says() -> None:
    """40 items with three answers each, 4% noise: a tenth of the items is found with probability .8."""
    assert smallest_share(40, 3, 0.8) == pytest.approx(0.105, abs=0.002)
    assert smallest_share(40, 2, 0.8) == pytest.approx(0.163, abs=0.002)
    assert smallest_share(40, 1, 0.8) == smallest_share(2, 3, 0.8) == smallest_share(0, 3, 0.8) == 1.0
    rng, share = np.random.default_rng(2), smallest_share(40, 3, 0.8)
    found = []
    for _ in range(200):
        moved = rng.random(40) < share
        items = [item(_noisy(rng, 0.04)[0], _noisy(rng, 0.96 if move else 0.04)[0]) for move in moved]
        found.append(exchange_test(items).p_value <= 0.05 / 3)
    assert 0.7 <= np.mean(found) <= 0.9


def _noisy(rng: np.random.Generator, noise: float) -> tuple[str, str]:
    said = "".join(np.where(rng.random(6) < noise, "b", "a"))
    return said[:3], said[3:]
