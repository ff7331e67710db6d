"""Power: how much data a difference takes."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.analysis.power import detectable_difference, noise, scenarios_needed
from tests.support.outcomes import outcome


def test_power_agrees_with_a_simulation() -> None:
    """The detectable difference is found in about 80% of data sets of that size."""
    from scipy import stats

    rng, sd, scenarios = np.random.default_rng(3), 0.4, 40
    difference = detectable_difference(sd**2, scenarios)
    found = sum(stats.ttest_1samp(rng.normal(difference, sd, scenarios), 0).pvalue <= 0.05 for _ in range(2000))
    assert 0.77 <= found / 2000 <= 0.83
    assert scenarios_needed(sd**2, difference) in (scenarios, scenarios + 1)
    assert scenarios_needed(sd**2, 0.0) is None


def test_samples_help_only_against_the_spread_between_samples() -> None:
    """With two samples the spread within variants is known, and more samples shrink that part alone."""
    rng = np.random.default_rng(4)
    data = [
        outcome(bool(rng.random() < 0.5), model=model, sample=sample, base_id=f"s{base}", variant_id=f"s{base}_v01")
        for model in ("a", "b")
        for base in range(200)
        for sample in (0, 1)
    ]
    found = noise(data, "a", "b")
    assert found is not None
    # Independent coins: a difference of two has variance 1/2 per sample, and nothing is fixed to the scenario.
    assert found.variance_with(1) == pytest.approx(0.5, abs=0.08)
    assert found.variance_with(4) == pytest.approx(0.125, abs=0.06)
    assert noise(data, "a", "unknown") is None
