"""Several samples of one case."""

from __future__ import annotations

import pytest

from helm_impactbench.stats.repeats import pass_hat_k, single_sample_agreement, unanimity


def test_repeats() -> None:
    """Two variants with three samples, one of them unanimous; a lone sample counts nowhere but in pass^1."""
    variants = [[True, True, True], [True, False, True], [False]]
    assert unanimity(variants) == 0.5
    assert single_sample_agreement(variants) == pytest.approx((1 + 2 / 3) / 2)
    assert pass_hat_k(variants, 1) == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert pass_hat_k(variants, 2) == pytest.approx((1 + 1 / 3) / 2)
    assert pass_hat_k(variants, 3) == 0.5
    assert pass_hat_k(variants, 4) is unanimity([[True]]) is None
