"""What is said of contrast metrics beside pass rates: the widest gap's distance from 0, and what chance alone gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helm_impactbench.analysis.contrast_scores import contrast_scores, models_with_gaps
from helm_impactbench.analysis.matched_sets import matched_sets, ratios
from helm_impactbench.analysis.widest_gap import units_apart, widest_gap
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import contrast_outcome

LEVELS = ["x", "y", "z"]
PAY = Contrast(axis="name", levels=LEVELS, reference="none", relative=True)
RENT = Contrast(axis="name", levels=LEVELS, reference="none", better="low")
PLACEBO = Contrast(axis="control", levels=LEVELS, reference="none", placebo=True)


def answers(contrast: Contrast, metric: str, first: float, noise: float = 0.0, seed: int = 0) -> list[Outcome]:
    """Return 16 cases: `first` at the first level, 50 at the others, and noise on all."""
    random = np.random.default_rng([seed, *metric.encode()])
    bounds = None if contrast.relative else (0.0, 100.0)
    return [
        contrast_outcome(
            (first if level == "x" else 50.0) + noise * random.normal(), level, f"{metric}_s{base:03d}",
            contrast=contrast, metric_id=metric, bounds=bounds,
        )
        for base in range(16)
        for level in (*LEVELS, "none")
    ]  # fmt: skip


def test_amounts_are_compared_as_ratios() -> None:
    """8% less is 0.083 of natural logarithm, whatever the amount is; nothing at all is the least there can be."""
    found = ratios({"x": 92.0, "y": 100.0, "none": 100.0}, "none")
    assert found == {"x": pytest.approx(math.log(0.92)), "y": 0.0, "none": 0.0}
    assert ratios({"x": 0.0, "y": 10.0}, None) == {"x": -1.0, "y": 0.0}


def test_a_ratio_favours_neither_side_by_noise_alone() -> None:
    """A plain percentage of a noisy reference is 4% too high at 20% noise; the mean of logarithms is not."""
    random = np.random.default_rng(1)
    pairs = 100 * np.exp(0.2 * random.normal(size=(4000, 2)))
    logs = [ratios({"x": a, "none": b}, "none")["x"] for a, b in pairs]
    assert np.mean(pairs[:, 0] / pairs[:, 1]) > 1.03
    assert abs(np.mean(logs)) < 0.015


def test_gaps_count_who_does_better() -> None:
    """Less pay and a higher rent for the first level add up; without the sign they would cancel."""
    both = answers(PAY, "m01", 46.0) + answers(RENT, "m02", 54.0)
    widest = widest_gap(list(matched_sets(both)))
    assert widest.left_out == ()
    assert units_apart(both) == []
    assert widest.gap
    assert (widest.gap.first, widest.gap.estimate.value < -0.03) == ("x", True)


def test_a_placebo_is_in_no_gap_of_its_benchmark() -> None:
    """Its levels differ most and are not named; alone it is all there is."""
    whole = answers(RENT, "m01", 54.0) + answers(PLACEBO, "m13", 90.0)
    (score,) = contrast_scores(whole)
    assert score.chance.size == pytest.approx(0.04)
    assert score.placebo
    assert score.placebo.size == pytest.approx(0.4)
    assert widest_gap(list(matched_sets(answers(PLACEBO, "m13", 90.0)))).size == pytest.approx(0.4)


def test_noise_alone_is_no_gap_and_a_bias_in_it_is() -> None:
    """A fair model has a widest gap too; what counts is whether exchanged levels give as wide a one."""
    metrics = [f"m{i:02d}" for i in range(1, 13)]
    fair = [one for name in metrics for one in answers(RENT, name, 50.0, noise=5.0)]
    biased = [one for name in metrics for one in answers(RENT, name, 54.0, noise=5.0)]
    (quiet,), (loud,) = contrast_scores(fair), contrast_scores(biased)
    assert quiet.chance.size > 0
    assert models_with_gaps([quiet]) == {}
    assert models_with_gaps([loud]) == {"model-a": ["sides"]}
    assert loud.beyond_chance > 0.02
