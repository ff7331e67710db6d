"""Whether a stated confidence holds: figures by hand, and simulated answers whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.reliability import Reliability, calibration_error, reliability
from helm_impactbench.stats.scipy_modules import special

LEVELS, SHARES = np.array([0.6, 0.75, 0.85, 0.9, 0.95, 0.98]), np.array([0.08, 0.1, 0.2, 0.22, 0.25, 0.15])
"""What a judge says, and how often."""
ANSWERS, METRICS = 494, 190


def test_figures_by_hand() -> None:
    """Ten answers at .9 with nine right, ten at .6 with three right: 15 points too sure."""
    found = reliability([0.9] * 10 + [0.6] * 10, [True] * 9 + [False] + [True] * 3 + [False] * 7, list(range(20)))
    assert found is not None
    assert (found.answers, found.said, found.right.value) == (20, pytest.approx(0.75), pytest.approx(0.6))
    assert found.excess.value == pytest.approx(0.15)
    assert found.brier.value == pytest.approx((9 * 0.01 + 0.81 + 3 * 0.16 + 7 * 0.36) / 20)
    assert found.constant == pytest.approx(0.24)
    assert found.area.value == pytest.approx((9 * 7 + (9 * 1 + 3 * 7) / 2) / (12 * 8))


def test_bins_have_about_equal_mass_and_keep_equal_confidences_together() -> None:
    """No bin rests on a handful, and no confidence is in two."""
    rng = np.random.default_rng(1)
    said = rng.choice(LEVELS, p=SHARES, size=ANSWERS)
    found = reliability(said.tolist(), (rng.random(ANSWERS) < said).tolist(), (np.arange(ANSWERS) % METRICS).tolist())
    assert found is not None
    assert sum(one.answers for one in found.bins) == ANSWERS
    assert all(one.answers >= 20 for one in found.bins)
    assert all(one.high < other.low for one, other in zip(found.bins, found.bins[1:], strict=False))
    assert reliability([], [], []) is None


def test_few_metrics_say_nothing_of_others() -> None:
    """Five clusters: Wilson's interval of the share, and no other."""
    found = reliability([0.9] * 20, [True] * 15 + [False] * 5, [0, 1, 2, 3, 4] * 4)
    assert found is not None
    assert found.right.interval.is_known
    assert not found.excess.interval.is_known
    assert not found.error.interval.is_known
    assert math.isnan(found.area.value)


def test_the_error_without_what_chance_adds() -> None:
    """Known bins: nothing is taken off where the share has no variance, more where it has much."""
    certain = np.array([[100.0, 90.0, 100.0]])
    assert float(calibration_error(certain)) == pytest.approx(0.1)
    few, many = (float(calibration_error(np.array([[n, 0.8 * n, 0.7 * n]]))) for n in (10.0, 10_000.0))
    assert few < many < 0.1 + 1e-12
    assert many == pytest.approx(0.1, abs=1e-3)


def _simulated(rng: np.random.Generator, excess: Floats, correlation: float) -> Reliability:
    """Return what is found of a judge that is right less often by `excess` than it says; metrics are clusters."""
    which = rng.choice(len(LEVELS), p=SHARES, size=ANSWERS)
    metrics = np.arange(ANSWERS) % METRICS
    own = math.sqrt(correlation) * rng.normal(size=METRICS)[metrics]
    right = special.ndtr(own + math.sqrt(1 - correlation) * rng.normal(size=ANSWERS)) < (LEVELS - excess)[which]
    found = reliability(LEVELS[which].tolist(), right.tolist(), metrics.tolist())
    assert found is not None
    return found


@pytest.mark.parametrize("correlation", [0.0, 0.4])
@pytest.mark.parametrize("excess", [0.0, 0.03, 0.1])
def test_intervals_cover_the_truth_and_errors_are_hardly_biased(excess: float, correlation: float) -> None:
    """250 judges: the error is within half a point, and where it is 0 at most what the figure beside it says."""
    rng = np.random.default_rng(7)
    found = [_simulated(rng, np.full(len(LEVELS), excess), correlation) for _ in range(250)]
    for covered in (
        [one.excess.interval.low <= excess <= one.excess.interval.high for one in found],
        [one.error.interval.low <= excess <= one.error.interval.high for one in found],
    ):
        assert np.mean(covered) >= 0.91
    mean = float(np.mean([one.error.value for one in found]))
    chance = float(np.mean([one.chance for one in found]))
    assert mean == pytest.approx(excess if excess else chance, abs=0.006)
    assert np.mean([one.said - one.right.value for one in found]) == pytest.approx(excess, abs=0.005)


def test_confidence_that_tells_nothing_has_an_area_of_a_half() -> None:
    """Always right in 85%, whatever it says."""
    rng = np.random.default_rng(3)
    found = [_simulated(rng, LEVELS - 0.85, 0.3) for _ in range(100)]
    assert np.mean([one.area.value for one in found]) == pytest.approx(0.5, abs=0.02)
    assert np.mean([one.area.interval.low <= 0.5 <= one.area.interval.high for one in found]) >= 0.9
