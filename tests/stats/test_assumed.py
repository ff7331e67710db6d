"""A pilot from assumptions: conversations resemble each other exactly as much as was assumed."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.assumed import Assumed, assumed_pilot


@pytest.mark.parametrize("icc", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_the_variance_of_independent_sides_is_the_assumed_one(rate: float, icc: float) -> None:
    """Of a mean of k conversations that correlate by icc: r (1 - r) (1 + (k - 1) icc) / k on each side."""
    pilot = assumed_pilot(Assumed(rate, icc=icc, alike=0.0, variants=4), 0.0)
    expected = 2 * rate * (1 - rate) * (1 + 3 * icc) / 4
    assert pilot.variance == pytest.approx(expected, rel=0.05)
    assert pilot.difference == pytest.approx(0, abs=0.02)
    assert (pilot.conversations, pilot.samples) == (4, 1)


def test_samples_of_one_variant_resemble_each_other_by_repeat() -> None:
    """Two variants of two samples: pairs within a variant by .7, between variants by .3."""
    pilot = assumed_pilot(Assumed(0.6, icc=0.3, repeat=0.7, alike=0.0, variants=2, samples=2), 0.1)
    varied = sum(rate * (1 - rate) for rate in (0.65, 0.55))
    assert pilot.variance == pytest.approx(varied * (1 + 0.7 + 2 * 0.3) / 4, rel=0.04)
    assert pilot.difference == pytest.approx(0.1, abs=0.02)


def test_alike_sides_differ_less() -> None:
    """Base scenarios that are hard for both sides drop out of a difference."""
    variances = [assumed_pilot(Assumed(0.7, icc=0.5, alike=a, variants=6), 0.1).variance for a in (0, 0.5, 1)]
    assert variances == sorted(variances, reverse=True)
    assert variances[-1] < variances[0] / 3


@pytest.mark.parametrize(
    ("assumed", "difference", "words"),
    [
        (Assumed(0.98), 0.1, "rates of 1.030 and 0.930; allowed: from 0 to 1"),
        (Assumed(0.5, icc=0.5, repeat=0.4), 0.1, "allowed: 0 <= icc <= repeat <= 1"),
    ],
)
def test_what_cannot_be_is_refused(assumed: Assumed, difference: float, words: str) -> None:
    """With what was got and what is allowed."""
    with pytest.raises(ValueError, match=words):
        assumed_pilot(assumed, difference)


@pytest.mark.parametrize("extreme", [0.0, 1e-9, 1e-4, 1 - 1e-4, 1.0])
def test_extremes_have_no_gaps(extreme: float) -> None:
    """Rates and correlations at the ends of their ranges give differences from -1 to 1."""
    for assumed in (Assumed(extreme), Assumed(0.5, icc=extreme, repeat=1.0), Assumed(0.5, icc=0, repeat=extreme)):
        found = assumed_pilot(assumed, 0.0).differences
        assert np.isfinite(found).all()
        assert np.abs(found).max() <= 1
