"""Several samples of one case."""

from __future__ import annotations

import pytest

from helm_impactbench.stats.repeats import (
    RepeatShare,
    pass_hat_k,
    pass_hat_k_bounds,
    single_sample_agreement,
    unanimity,
)

VARIANTS = [[True, True, True], [True, False, True], [False, False, False], [True, True, True]]
BASES = ["a", "a", "b", "c"]


def test_repeats() -> None:
    """Three of four variants are unanimous, two of them in passing; each figure says of how many it is."""
    found = unanimity(VARIANTS, BASES)
    assert (found.value, found.variants) == (0.75, 4)
    assert single_sample_agreement(VARIANTS, BASES).value == pytest.approx((3 + 2 / 3) / 4)
    assert pass_hat_k(VARIANTS, BASES).value == 0.5
    assert unanimity([], []) == pass_hat_k([], []) == RepeatShare(None)


def test_intervals_are_over_base_scenarios() -> None:
    """Around the figure; narrower with more base scenarios, unknown with one."""
    few, many = pass_hat_k(VARIANTS, BASES).interval, pass_hat_k(VARIANTS * 5, range(20)).interval
    assert 0 < few.low < 0.5 < few.high < 1
    assert few.low < many.low < 0.5 < many.high < few.high
    assert not pass_hat_k(VARIANTS, ["a"] * 4).interval.is_known


def test_missing_verdicts_bound_pass_hat_k() -> None:
    """A missing verdict may be a fail or a pass; beside a fail it changes nothing."""
    assert pass_hat_k_bounds([[True, None], [False, None], [True, True]]) == pytest.approx((1 / 3, 2 / 3))
    assert pass_hat_k_bounds([]) is None


def test_one_sample_against_the_majority_needs_three() -> None:
    """Two that differ have no majority, and two that are alike would always be right; a tie is a coin's toss."""
    assert single_sample_agreement([[1, 1], [1, 0]], BASES[:2]).value is None
    assert single_sample_agreement([[1, 1, 0, 0], [1, 1, 1, 1]], BASES[:2]).value == 0.75
