"""Contrasts between people along any axis."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.analysis.level_contrasts import level_contrasts
from tests.analysis.builders import FAILED, PASSED, row
from tests.support.outcomes import outcome, simulated


def test_contrasts_work_for_any_axes_and_values() -> None:
    """Three values make three contrasts; an axis is contrasted with the other axes held fixed."""
    data = []
    for base in range(12):
        for age in ("adult", "child"):
            for origin in ("x", "y", "z"):
                name = f"m01_s{base:03d}"
                data.append(
                    outcome(
                        origin != "z",
                        base_id=name,
                        variant_id=f"{name}_{age}{origin}",
                        axes=(("age", age), ("origin", origin)),
                    )
                )
    found = {(c.axis, c.first, c.second): c for c in level_contrasts(data, ["overall"])}
    assert set(found) == {
        ("age", "adult", "child"),
        ("origin", "x", "y"),
        ("origin", "x", "z"),
        ("origin", "y", "z"),
    }
    assert {key: c.difference.value for key, c in found.items() if c.found} == {
        ("origin", "x", "z"): 1.0,
        ("origin", "y", "z"): 1.0,
    }
    assert found["age", "adult", "child"].difference.pairs == 36
    assert (found["origin", "x", "z"].first_rate, found["origin", "x", "z"].second_rate) == (1.0, 0.0)


def test_the_rates_differ_by_the_difference() -> None:
    """Over benchmarks of unequal size too, where rates of all pairs together would have the other sign."""
    data = [
        outcome(passed, benchmark=slug, base_id=f"{slug}{base}", variant_id=f"{slug}{base}{age}", axes=(("age", age),))
        for slug, bases, adult in (("large", 9, False), ("small", 1, True), ("tiny", 1, True))
        for base in range(bases)
        for age, passed in (("adult", adult), ("child", not adult))
    ]
    (found,) = level_contrasts(data, ["overall"])
    assert (found.first_rate, found.second_rate) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert found.first_rate - found.second_rate == pytest.approx(found.difference.value)


def test_no_axis_no_contrast() -> None:
    """A benchmark without axes has nothing to contrast, nor has one value alone."""
    assert level_contrasts(row([PASSED, FAILED], axes=())) == []
    assert level_contrasts(row([PASSED, FAILED])) == []


def test_too_few_scenarios_are_named() -> None:
    """A metric with three base scenarios cannot show anything by itself, and says so."""
    data = simulated(np.random.default_rng(1), {"a": 0.99}, child_rates={"a": 0.01}, correlation=0.01)
    by_level = {level: [c for c in level_contrasts(data) if c.level == level] for level in ("overall", "metric")}
    assert [c.found for c in by_level["overall"]] == [True]
    assert not any(c.found or c.can_be_found for c in by_level["metric"])
