"""Content validity indices, worked out by hand."""

from __future__ import annotations

import math

import pytest

from helm_impactbench.stats.content_validity import item_validity, scale_validity


@pytest.mark.parametrize(
    ("experts", "relevant", "index", "kappa"),
    [(3, 3, 1.0, 1.0), (4, 3, 0.75, 2 / 3), (5, 4, 0.8, 0.763), (6, 5, 0.833, 0.816), (8, 7, 0.875, 0.871)],
)
def test_the_index_is_corrected_for_chance(experts: int, relevant: int, index: float, kappa: float) -> None:
    """With 4 experts and 3 who agree chance is 4 x 0.5^4 = 0.25, so kappa is (0.75 - 0.25) / (1 - 0.25)."""
    found = item_validity([3] * relevant + [2] * (experts - relevant))
    assert found.index == pytest.approx(index, abs=0.0005)
    assert found.kappa == pytest.approx(kappa, abs=0.0005)


@pytest.mark.parametrize(
    ("ratings", "kept"),
    [([4, 3, 4, 4, 3], True), ([4, 3, 4, 4, 2], False), ([4] * 5 + [2], True), ([4] * 4 + [2] * 2, False), ([], False)],
)
def test_what_lynn_keeps(ratings: list[int], kept: bool) -> None:
    """All of five experts; .78 of six or more."""
    assert item_validity(ratings).is_kept is kept


def test_a_set_has_two_indices() -> None:
    """The mean of the items' and the share on which all agree; nothing of nothing."""
    found = scale_validity([item_validity([4, 4, 4, 4]), item_validity([4, 4, 4, 1])])
    assert (found.items, found.average, found.universal) == (2, 0.875, 0.5)
    assert math.isnan(scale_validity([]).average)
    assert math.isnan(item_validity([]).index)


def test_an_index_of_few_experts_has_a_wide_interval() -> None:
    """Five of five may be little more than half of all experts."""
    assert item_validity([4] * 5).interval.low == pytest.approx(0.566, abs=0.001)
