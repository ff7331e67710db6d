"""Power: how many base scenarios a difference takes, and whether the test then finds it as often as promised."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats

from helm_impactbench.stats.assumed import Assumed, assumed_pilot
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import (
    Planned,
    detectable_difference,
    level_of_pairs,
    level_of_tests,
    scenarios_needed,
)
from helm_impactbench.stats.simultaneous import simultaneous_tests
from tests.support.looped import looped

SEEN = {
    "all or nothing": np.array([-1.0] * 15 + [0.0] * 150 + [1.0] * 35),
    "few differ": np.array([-1.0] * 2 + [0.0] * 180 + [1.0] * 18),
    "two variants": np.array([-1.0] * 6 + [-0.5] * 20 + [0.0] * 90 + [0.5] * 60 + [1.0] * 24),
    "six variants": np.round(np.clip(np.random.default_rng(1).normal(0.15, 0.3, 200), -1, 1) * 6) / 6,
    "large": np.array([0.0] * 40 + [0.5] * 80 + [1.0] * 80),
}
Draw = Callable[[np.random.Generator, tuple[int, int]], Any]


@dataclass(frozen=True)
class Setting:
    """A truth, the pilot that planning has of it, and the level of the test."""

    pilot: Pilot
    difference: float
    level: float
    draw: Draw
    """Fresh differences of base scenarios, from a generator and a shape."""


def _of(pilot: Pilot, level: float) -> Setting:
    return Setting(
        replace(pilot, is_sample=False),
        pilot.difference,
        level,
        lambda rng, shape: rng.choice(pilot.differences, shape),
    )


def _assumed(assumed: Assumed, difference: float, level: float) -> Setting:
    return Setting(assumed_pilot(assumed, difference), difference, level,
                   lambda rng, shape: fresh(rng, shape, assumed, difference))  # fmt: skip


def rates(rng: np.random.Generator, normal: Any, mean: float, assumed: Assumed) -> Any:
    """Return the rates of variants: of base scenarios by their places, and around these; shape (variants, *shape)."""
    base = np.full(normal.shape, mean)
    if assumed.icc:
        weight = 1 / assumed.icc - 1
        table = scipy_stats.beta.ppf((np.arange(4_000) + 0.5) / 4_000, mean * weight, (1 - mean) * weight)
        base = table[np.minimum((special.ndtr(normal) * 4_000).astype(int), 3_999)]
    own = (assumed.same_case - assumed.icc) / (1 - assumed.icc)
    several = np.broadcast_to(base, (assumed.variants, *base.shape))
    return rng.beta(several * (1 / own - 1), (1 - several) * (1 / own - 1)) if own else several


def fresh(rng: np.random.Generator, shape: tuple[int, int], assumed: Assumed, difference: float) -> Any:
    """Return differences of base scenarios from conversations that pass or fail."""
    common = rng.standard_normal(shape)
    sides = []
    for mean in (assumed.rate + difference / 2, assumed.rate - difference / 2):
        normal = math.sqrt(assumed.alike) * common + math.sqrt(1 - assumed.alike) * rng.standard_normal(shape)
        chance = np.clip(rates(rng, normal, mean, assumed), 0, 1)
        sides.append(rng.binomial(assumed.samples, chance).mean(axis=0) / assumed.samples)
    return sides[0] - sides[1]


SETTINGS = {
    **{f"{name}, {models} models": _of(Pilot(seen, 2.0), level_of_pairs(models))
       for name, seen in SEEN.items() for models in (2, 10, 40)},
    "assumed coins": _assumed(Assumed(0.5, icc=0, alike=0), 0.2, level_of_pairs(2)),
    "assumed copies, 10 models": _assumed(Assumed(0.7, icc=0.8, variants=6), 0.1, level_of_pairs(10)),
    "assumed samples": _assumed(Assumed(0.7, icc=0.3, repeat=0.7, variants=2, samples=3), 0.15, level_of_pairs(2)),
    "assumed near the top": _assumed(Assumed(0.95, icc=0.3, alike=0.8, variants=2), 0.06, level_of_pairs(2)),
    "a gap among 12 contrasts": _assumed(Assumed(0.8, icc=0.4, alike=0.9, variants=2), 0.1, level_of_tests(12)),
    "a metric alone": _assumed(Assumed(0.6, icc=0.3, variants=6), 0.4, level_of_pairs(2)),
}  # fmt: skip
DATA_SETS = 2_000


def found(data: Any, level: float) -> float:
    """Return how often the sign-flip test finds a difference, by flipping signs; data of shape (data sets, n)."""
    flips = 999 if level > 0.01 else 99_999 if data.shape[1] < 40 else 19_999
    rng, sums = np.random.default_rng(7), np.abs(data.sum(axis=1))
    reached, done = np.ones(len(data)), 0
    while done < flips:
        signs = rng.integers(0, 2, size=(data.shape[1], min(1_000, flips - done)), dtype=np.int8) * np.float32(2) - 1
        reached += (np.abs(data.astype(np.float32) @ signs) >= sums[:, None] * (1 - 1e-5)).sum(axis=1)
        done += signs.shape[1]
    return float(np.mean((reached / (flips + 1) <= level) & (sums > 0)))


@looped("name", SETTINGS)
def test_the_promised_power_is_achieved(name: str) -> None:
    """At the n that it names, a sign-flip test finds the true difference in 77 to 84% of fresh data sets."""
    setting, rng = SETTINGS[name], np.random.default_rng(2)
    needed = int(scenarios_needed(setting.pilot, setting.difference, level=setting.level))
    sets = DATA_SETS if setting.level > 0.01 or needed < 100 else DATA_SETS // 2
    assert found(setting.draw(rng, (sets, needed)), setting.level) >= 0.77
    # Of a handful each one changes the power by several points: then a few less are too few.
    fewer = needed if needed > 20 else needed - 2
    assert found(setting.draw(rng, (sets, fewer)), setting.level) <= 0.84


@pytest.mark.parametrize("models", [5, pytest.param(40, marks=pytest.mark.long)])
def test_it_is_the_power_of_the_whole_family(models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all pairs of models tested by max-T, as compare does, the planned pair is found as often."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 399)
    assumed, difference, rng, times = Assumed(0.7, icc=0.3, variants=4), 0.15, np.random.default_rng(5), 250
    needed = int(scenarios_needed(assumed_pilot(assumed, difference), difference, level=level_of_pairs(models)))
    hits = 0
    for _ in range(times):
        common, sides = rng.standard_normal(needed), []
        for model in range(models):
            mean = assumed.rate + difference / 2 * {0: 1, 1: -1}.get(model, 0)
            normal = math.sqrt(0.5) * common + math.sqrt(0.5) * rng.standard_normal(needed)
            sides.append(rng.binomial(1, rates(rng, normal, mean, assumed)).mean(axis=0))
        family = [dict(enumerate((sides[a] - sides[b]).tolist())) for a in range(models) for b in range(a + 1, models)]
        hits += simultaneous_tests(family)[0].found
    assert 0.77 - 0.03 <= hits / times <= 0.84 + 0.03  # what 250 data sets may err


def test_the_correction_is_that_of_many_pairs() -> None:
    """With ten equal models, the largest of 45 statistics passes the level of a pair in 5% of the cases."""
    rng, level = np.random.default_rng(3), level_of_pairs(10)
    means = rng.normal(size=(20_000, 10))
    widest = (means.max(axis=1) - means.min(axis=1)) / math.sqrt(2)
    assert np.mean(widest > -special.ndtri(level / 2)) == pytest.approx(0.05, abs=0.006)
    assert level_of_pairs(1) == level_of_pairs(2) == level_of_tests(1) == pytest.approx(0.05)
    assert 1 - (1 - level_of_tests(12)) ** 12 == pytest.approx(0.05)


def test_smaller_differences_and_more_models_take_more() -> None:
    """And the smallest difference that is found with n is the one for which n is needed."""
    pilot, fourteen = Pilot(SEEN["six variants"], 6.0, is_sample=False), level_of_pairs(14)
    assert scenarios_needed(pilot, 0.3) < scenarios_needed(pilot, 0.1) < scenarios_needed(pilot, 0.03)
    assert scenarios_needed(pilot, 0.1) < scenarios_needed(pilot, 0.1, level=fourteen)
    needed = int(scenarios_needed(pilot, 0.1))
    assert detectable_difference(pilot, needed) == pytest.approx(0.1, abs=0.005)
    assert scenarios_needed(pilot, 1e-5) == math.inf


def test_never_fewer_than_the_test_can_use() -> None:
    """However large the difference, six base scenarios are the least that any can be found with."""
    pilot = Pilot(np.array([0.9, 1.0, 1.0, 0.8]), 1.0, is_sample=False)
    assert scenarios_needed(pilot, 0.9) == 6
    assert scenarios_needed(pilot, 0.9, level=level_of_pairs(14)) > 8


def test_what_a_pilot_leaves_open_takes_more() -> None:
    """Base scenarios that could have been others: more are needed, with a range around them, and less with more."""
    small, large = (Pilot(SEEN["six variants"][:size], 6.0) for size in (20, 200))
    certain = scenarios_needed(replace(small, is_sample=False), 0.1)
    for pilot in (small, large):
        planned = Planned.of(pilot, 0.1)
        assert planned.needed(0.1) <= planned.needed() <= planned.needed(0.9)
    assert certain < scenarios_needed(small, 0.1)
    wide, narrow = (Planned.of(pilot, 0.1) for pilot in (small, large))
    assert wide.needed(0.9) / wide.needed(0.1) > narrow.needed(0.9) / narrow.needed(0.1)


def test_a_pilot_without_any_spread_is_not_taken_for_certainty() -> None:
    """Two base scenarios are added, one at each end: no small number for a small difference."""
    flat = Pilot(np.zeros(12), 2.0)
    assert flat.is_flat
    assert 20 < scenarios_needed(flat, 0.2) < scenarios_needed(flat, 0.1) < 1_000
    assert scenarios_needed(Pilot(np.ones(12), 2.0), 0.2) > 20
