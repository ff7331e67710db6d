"""Tests of "no difference", and their correction for number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test
from statsmodels.stats.multitest import multipletests

from helm_impactbench.stats.tests import Correction, adjusted, sign_flip_p_value, smallest_p_value


def test_sign_flips_count_every_pattern_of_few_clusters() -> None:
    """Three clusters that all went up: 2 of 8 patterns are as extreme; no fewer can be."""
    assert sign_flip_p_value(np.array([1.0, 1.0, 1.0])) == 0.25 == smallest_p_value(3)
    assert sign_flip_p_value(np.array([1.0, -1.0, 1.0, -1.0])) == 1.0
    assert sign_flip_p_value(np.zeros(5)) == sign_flip_p_value(np.array([0.0, 0.5])) == 1.0


@pytest.mark.parametrize("clusters", [2, 5, 13, 20, 300, 700])
def test_sign_flips_are_scipys(clusters: int) -> None:
    """Where every pattern counts, exactly; with random patterns, as near as two draws are to each other."""
    rng = np.random.default_rng(clusters)
    for shift in (0.0, 0.05, 0.2):
        differences = rng.integers(-3, 4, clusters) / 7 + shift
        moved = differences[differences != 0]
        tested = permutation_test((moved,), np.sum, permutation_type="samples", vectorized=True, n_resamples=9_999,
                                  batch=500, rng=np.random.default_rng(1))  # fmt: skip
        exact = 2 ** len(moved) <= 9_999
        assert sign_flip_p_value(differences) == pytest.approx(min(1.0, tested.pvalue), abs=1e-12 if exact else 0.04)


def test_sign_flips_agree_with_the_sign_test() -> None:
    """For differences of equal size the test is the exact sign test, up to its random patterns."""
    from scipy.stats import binomtest

    differences = np.array([1.0] * 20 + [-1.0] * 8)
    assert sign_flip_p_value(differences) == pytest.approx(binomtest(20, 28).pvalue, abs=0.01)


def test_adjustments_are_the_textbooks() -> None:
    """Holm and Benjamini-Hochberg on a small example, in the given order."""
    assert adjusted([0.04, 0.01, 0.03], "holm") == pytest.approx([0.06, 0.03, 0.06])
    assert adjusted([0.04, 0.01, 0.03], "bh") == pytest.approx([0.04, 0.03, 0.04])
    assert adjusted([], "holm") == []


@pytest.mark.parametrize(("correction", "method"), [("holm", "holm"), ("bh", "fdr_bh")])
@pytest.mark.parametrize("number", [1, 2, 40, 253])
def test_adjusted_p_values_are_statsmodels(correction: Correction, method: str, number: int) -> None:
    """Ties included, none above 1."""
    p_values = np.random.default_rng(number).integers(0, 60, number) / 59
    assert adjusted([*p_values], correction) == [float(p) for p in multipletests(p_values, method=method)[1]]
