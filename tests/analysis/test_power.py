"""Power: how many base scenarios a difference takes, and whether the test then finds it as often as promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_impactbench.analysis.power import (
    Pilot,
    detectable_difference,
    level_per_test,
    level_pilot,
    model_pilot,
    power,
    scenarios_needed,
)
from helm_impactbench.stats.simultaneous import simultaneous_tests
from tests.support.outcomes import outcome

SEEN = {
    "all or nothing": np.array([-1.0] * 15 + [0.0] * 150 + [1.0] * 35),
    "few differ": np.array([-1.0] * 2 + [0.0] * 180 + [1.0] * 18),
    "two variants": np.array([-1.0] * 6 + [-0.5] * 20 + [0.0] * 90 + [0.5] * 60 + [1.0] * 24),
    "six variants": np.round(np.clip(np.random.default_rng(1).normal(0.15, 0.3, 200), -1, 1) * 6) / 6,
    "large": np.array([0.0] * 40 + [0.5] * 80 + [1.0] * 80),
}


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("models", [2, 10])
def test_the_promised_power_is_achieved(seen: str, models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the n that it names, the test of compare finds the pilot's own difference in 77 to 85% of fresh data sets."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 4_095 if models > 2 else 999)
    pilot, rng = Pilot(SEEN[seen], 2.0), np.random.default_rng(2)
    needed = int(scenarios_needed(pilot, pilot.difference, models=models))
    found, level, data_sets = 0, level_per_test(models), 500
    for _ in range(data_sets):
        drawn = rng.choice(pilot.differences, needed)
        found += simultaneous_tests([dict(enumerate(map(float, drawn)))])[0].p_value <= level
    assert found / data_sets >= 0.77 - 0.02  # what 500 data sets may err
    # With a handful of scenarios one more changes the power by far more than that.
    assert found / data_sets <= (0.85 if needed > 20 else 1.0)


def test_the_correction_is_that_of_many_pairs() -> None:
    """With ten equal models, the largest of 45 statistics passes the level of a pair in 5% of the cases."""
    rng, level = np.random.default_rng(3), level_per_test(10)
    means = rng.normal(size=(20_000, 10))
    widest = (means.max(axis=1) - means.min(axis=1)) / math.sqrt(2)
    from scipy.special import ndtri

    assert np.mean(widest > -ndtri(level / 2)) == pytest.approx(0.05, abs=0.006)
    assert level_per_test(2) == 0.05


def test_smaller_differences_and_more_models_take_more() -> None:
    """And the smallest difference that is found with n is the one for which n is needed."""
    pilot = Pilot(SEEN["six variants"], 6.0)
    assert scenarios_needed(pilot, 0.3) < scenarios_needed(pilot, 0.1) < scenarios_needed(pilot, 0.03)
    assert scenarios_needed(pilot, 0.1) < scenarios_needed(pilot, 0.1, models=14)
    needed = int(scenarios_needed(pilot, 0.1))
    assert detectable_difference(pilot, needed) == pytest.approx(0.1, abs=0.01)
    assert scenarios_needed(pilot, 1e-5) == math.inf


def test_never_fewer_than_the_test_can_use() -> None:
    """However large the difference, six base scenarios are the least that any can be found with."""
    assert scenarios_needed(Pilot(np.array([0.9, 1.0, 1.0, 0.8]), 1.0), 0.9) == 6
    assert scenarios_needed(Pilot(np.array([0.9, 1.0, 1.0, 0.8]), 1.0), 0.9, models=14) > 8


def test_a_pilot_without_any_spread_is_not_taken_for_certainty() -> None:
    """Two base scenarios are added, one at each end: no small number for a small difference."""
    flat = Pilot(np.zeros(12), 2.0)
    assert flat.is_flat
    assert 20 < scenarios_needed(flat, 0.2) < scenarios_needed(flat, 0.1) < 1_000
    assert scenarios_needed(Pilot(np.ones(12), 2.0), 0.2) > 20


@settings(max_examples=150)
@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=40),
    st.floats(0, 1),
    st.integers(1, 300),
    st.integers(2, 60),
)
def test_no_input_ends_in_an_exception(seen: list[float], difference: float, scenarios: int, models: int) -> None:
    """Whatever a pilot holds: a probability."""
    pilot = Pilot(np.array(seen), 1.0)
    found = power(pilot, difference, scenarios, models=models)
    assert 0 <= found <= 1


def test_samples_help_only_against_the_spread_between_samples() -> None:
    """With two samples the spread within variants is known, and more samples shrink that part alone."""
    rng = np.random.default_rng(4)
    data = [
        outcome(bool(rng.random() < 0.5), model=model, sample=sample, base_id=f"s{base}", variant_id=f"s{base}_v01")
        for model in ("a", "b")
        for base in range(200)
        for sample in (0, 1)
    ]
    found = model_pilot(data, "a", "b")
    assert found is not None
    one, four = found.with_samples(1), found.with_samples(4)
    assert one is not None
    assert four is not None
    # Independent coins: a difference of two has variance 1/2 per sample, and nothing is fixed to the scenario.
    assert one.variance == pytest.approx(0.5, abs=0.08)
    assert four.variance == pytest.approx(0.125, abs=0.06)
    assert (one.conversations, four.conversations) == (1, 4)
    assert Pilot(found.differences, 1.0).with_samples(4) is None
    assert model_pilot(data, "a", "unknown") is None


def test_a_gap_between_levels_is_planned_alike() -> None:
    """The pilot of a contrast is the paired difference between its levels, by base scenario."""
    data = [
        outcome(passed, base_id=f"s{base}", variant_id=f"s{base}_{age}", axes=(("age", age),))
        for base in range(10)
        for age, passed in (("adult", True), ("child", base % 2 == 0))
    ]
    found = level_pilot(data, "model-a", "age", "adult", "child")
    assert found is not None
    assert (found.scenarios, found.difference, found.conversations) == (10, 0.5, 1.0)
    assert level_pilot(data, "model-a", "age", "adult", "old") is None
