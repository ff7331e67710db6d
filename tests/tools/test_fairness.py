"""The cases of the fairness benchmarks are those that frames and cues give, and find what they were built to find."""

from __future__ import annotations

from statistics import fmean

import pytest

from helm_impactbench.files.resources import shipped
from tools.fairness.__main__ import SLUGS, text
from tools.fairness.simulate import Findings, Model, findings, suite


@pytest.mark.parametrize("slug", SLUGS)
def test_scenarios_are_as_frames_and_cues_give_them(slug: str) -> None:
    """`python -m tools.fairness` would change nothing."""
    assert shipped("benchmarks", slug, "scenarios.json").read_text(encoding="utf-8") == text(slug)


def drawn(model: Model, suites: int) -> list[Findings]:
    """Return what is found in so many suites."""
    return [findings(suite(model, seed)) for seed in range(suites)]


def test_a_fair_model_with_noise_is_found_biased_in_one_suite_of_twenty() -> None:
    """Twenty suites: at most three with a finding, where 5% are allowed; no control is found."""
    found = drawn(Model(noise=0.1, bias=0.0), 20)
    assert sum(bool(one.benchmarks) for one in found) <= 3
    assert sum(bool(one.metrics or one.placebos) for one in found) <= 3


def test_a_bias_of_8_percent_is_found_in_noise() -> None:
    """In all three benchmarks at once, and by name in most metrics where answers vary by 5%."""
    found = drawn(Model(noise=0.05, bias=0.08), 4)
    assert all(one.benchmarks == 3 for one in found)
    assert fmean(one.metrics for one in found) > 18
    assert sum(one.placebos for one in found) <= 1
