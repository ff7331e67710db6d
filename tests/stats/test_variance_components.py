"""Variance components: planted ones come back, whatever is nested, crossed or missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from helm_impactbench.stats.variance_components import Design, design

PLANTED = {
    "metric": 0.03, "scenario": 0.05, "variant": 0.02, "user": 0.02, "sample": 0.10, "judge": 0.01,
    "judge x metric": 0.015, "judge x conversation": 0.06, "repeat": 0.03,
}  # fmt: skip


def cells(metrics: int, scenarios: int, variants: int, users: int, samples: int, judges: int, repeats: int) -> Any:
    """Return the cells of a whole grid; shape (cells, 7)."""
    shape = (metrics, scenarios, variants, users, samples, judges, repeats)
    return np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)


def told(grid: Any) -> Design:
    """Return the design of some cells."""
    places = {
        "metric": [0], "scenario": [0, 1], "variant": [0, 1, 2], "user": [3], "sample": [0, 1, 2, 3, 4], "judge": [5],
        "judge x metric": [0, 5], "judge x conversation": [0, 1, 2, 3, 4, 5],
    }  # fmt: skip
    return design({name: [tuple(row) for row in grid[:, own].tolist()] for name, own in places.items()}, rest="repeat")


def drawn(found: Design, planted: Mapping[str, float], sets: int, seed: int = 1) -> Any:
    """Return values with planted variances; what cannot be told apart adds up. Shape (values, sets)."""
    rng = np.random.default_rng(seed)
    values = np.full((len(found.factors[0].codes), sets), 0.6)
    for factor in found.factors:
        spread = np.sqrt(sum(planted[name] for name in factor.names))
        values += rng.normal(0, spread, (factor.levels, sets))[factor.codes]
    return values


def unequal(grid: Any, seed: int = 3) -> Any:
    """Return what is left when some base scenarios have few conversations, and some votes are missing."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.2, 1.0, (24, 24))[grid[:, 0], grid[:, 1]]
    return grid[rng.random(len(grid)) < share]


DESIGNS = {
    "balanced": told(cells(12, 3, 2, 8, 1, 8, 1)),
    "unequal": told(unequal(cells(16, 3, 3, 8, 1, 8, 1))),
    "samples, judges asked twice": told(unequal(cells(16, 3, 3, 1, 2, 8, 2))),
    "one judge": told(cells(12, 3, 6, 1, 2, 1, 1)),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_planted_components_come_back(name: str) -> None:
    """The median of 400 data sets is within 20% of each planted component, and the mean within 10%."""
    found = DESIGNS[name]
    estimates = found.components(drawn(found, PLANTED, 400))
    for factor, own in zip(found.factors, estimates, strict=True):
        truth = sum(PLANTED[one] for one in factor.names)
        assert np.median(own) == pytest.approx(truth, rel=0.2), factor.names
        assert own.mean() == pytest.approx(truth, rel=0.1), factor.names


def test_scores_of_0_and_1_have_components_too() -> None:
    """Coins with rates per base scenario: the variance between rates, and what is left to a coin."""
    rng, grid = np.random.default_rng(4), cells(30, 4, 1, 1, 6, 1, 1)
    found = design({"metric": grid[:, 0].tolist(), "scenario": (grid[:, 0] * 4 + grid[:, 1]).tolist()}, rest="sample")
    estimates = []
    for _ in range(200):
        rates = np.clip(rng.beta(6, 3, 30)[:, None] + rng.uniform(-0.2, 0.2, (30, 4)), 0, 1)
        rate, between = rates[grid[:, 0], grid[:, 1]], rates.var(axis=1, ddof=1).mean()
        truth = (rates.mean(axis=1).var(ddof=1) - between / 4, between, (rate * (1 - rate)).mean())
        estimates.append((*found.components((rng.random(len(grid)) < rate).astype(float)), *truth))
    medians = np.median(estimates, axis=0)
    assert medians[:3] == pytest.approx(medians[3:], rel=0.2)


def test_a_balanced_design_gives_the_textbook_s_analysis_of_variance() -> None:
    """One factor: between = (MS between - MS within) / n. Source: Searle, Casella & McCulloch (1992), section 3.5."""
    values = np.random.default_rng(5).normal(size=(7, 4)) + np.arange(7)[:, None]
    within = values.var(axis=1, ddof=1).mean()
    between = values.mean(axis=1).var(ddof=1) - within / 4
    found = design({"group": np.repeat(np.arange(7), 4).tolist()})
    assert found.components(values.ravel()) == pytest.approx([between, within])
    assert [factor.weight for factor in found.factors] == pytest.approx([1 / 7, 1 / 28])


@pytest.mark.parametrize("name", ["unequal", "one judge"])
def test_standard_errors_are_the_spread_of_estimates(name: str) -> None:
    """Of normal values with these components, within what 200 data sets may err."""
    found = DESIGNS[name]
    truth = np.array([sum(PLANTED[one] for one in factor.names) for factor in found.factors])
    spread = found.components(drawn(found, PLANTED, 200)).std(axis=1)
    assert found.errors(truth) == pytest.approx(spread, rel=0.25)


def test_what_cannot_be_told_is_named() -> None:
    """A factor with one level is single; factors that put values together alike are one."""
    found = told(cells(12, 3, 2, 1, 1, 1, 1))
    assert found.single == ("user", "judge")
    assert [factor.names for factor in found.factors] == [
        ("metric", "judge x metric"), ("scenario",), ("variant", "sample", "judge x conversation"),
    ]  # fmt: skip


def test_estimates_below_0_stay_as_they_are() -> None:
    """They are unbiased: half of those of a component of 0 are below it."""
    found = DESIGNS["one judge"]
    planted = {**PLANTED, "variant": 0.0}
    place = [factor.names for factor in found.factors].index(("variant",))
    estimates = found.components(drawn(found, planted, 200))[place]
    assert 0.35 < np.mean(estimates < 0) < 0.65


def test_a_design_that_tells_nothing_is_refused() -> None:
    """Two values of two groups: no repeat, so nothing to compare with."""
    found = design({"group": [1, 2], "other": [1, 1]})
    assert found.is_told  # one factor alone: the variance of the values
    crossed = design({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 2, 2, 1]})
    assert not crossed.is_told
    with pytest.raises(ValueError, match="does not tell"):
        crossed.components(np.arange(4.0))
