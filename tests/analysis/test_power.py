"""Planning from a suite, from assumptions, and from whatever there is: pilots, families, conversations."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.analysis.power import (
    PowerQuestion,
    assumed_plans,
    gap_pilot,
    gap_tests,
    level_pilot,
    model_pilot,
    plans,
)
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.assumed import Assumed
from helm_impactbench.stats.pilot import Pilot
from tests.support.outcomes import contrast_outcome, judged, outcome, simulated


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


def test_the_difference_of_a_pilot_is_that_of_compare() -> None:
    """Benchmarks count alike, however many base scenarios each has."""
    rng = np.random.default_rng(6)
    data = [*simulated(rng, {"a": 0.8, "b": 0.4}, metrics=2, scenarios=3)]
    data += [
        outcome(model == "a", benchmark="other", model=model, base_id=f"s{base}", variant_id=f"s{base}_v01")
        for model in ("a", "b")
        for base in range(20)
    ]
    found, (pair,) = model_pilot(data, "a", "b"), compare(data).pairs
    assert found is not None
    assert pair.difference is not None
    assert found.difference == pytest.approx(pair.difference.value)


def test_the_family_of_a_gap_is_that_of_contrasts() -> None:
    """Of one model: all pairs of levels, overall, or of every metric where one is planned for."""
    data = simulated(np.random.default_rng(8), {"a": 0.5}, metrics=3)
    for metric, level in ((None, "overall"), ("mini/m01", "metric")):
        assert gap_tests(data, metric) == len([c for c in level_contrasts(data) if c.level == level])
    assert gap_tests([]) == 1


def test_a_gap_of_contrast_metrics_is_a_share_of_the_range() -> None:
    """Stance goes from -1 to 1: a difference of 1 is half of it. Nothing without both levels, or without a range."""
    data = [
        contrast_outcome(value, level, f"rent_{base}", sample=sample)
        for base in range(6)
        for sample in (0, 1)
        for level, value in (("a", 0.5), ("b", -0.5 - 0.1 * sample))
    ]
    found = gap_pilot(data, "model-a", "teller", "a", "b")
    assert found is not None
    assert (found.scenarios, found.samples, found.conversations) == (6, 2, 2.0)
    assert found.difference == pytest.approx(0.525)
    assert gap_pilot(data, "model-a", "teller", "a", "c") is None


def test_conversations_are_of_all_models_and_levels() -> None:
    """Scenarios x conversations of one x models, and twice that where two levels are compared."""
    pilot = Pilot(np.array([0.0, 0.5, 1.0] * 20), 6.0)
    (models,) = plans(pilot, PowerQuestion("impact", 0.3, models=5, tests=1), 60)
    (levels,) = plans(pilot, PowerQuestion("impact", 0.3, models=5, tests=5, levels=2), 60)
    assert models.per_side == models.scenarios * 6
    assert models.conversations == models.scenarios * 6 * 5
    assert levels.conversations == levels.scenarios * 6 * 5 * 2


OUTER = [0.0, 1.0, -1.0, 0.5, 1e-12, 1e-300, -1e-7, 1 / 3]


def random_pilot(rng: random.Random) -> Pilot:
    """Return a pilot: smooth, coarse, sparse, flat or of nothing but ends."""
    size = rng.choice([2, 2, 3, 5, 12, 40])
    smooth, flat = [rng.uniform(-1, 1) for _ in range(size)], [rng.choice(OUTER)] * size
    coarse, ends = rng.choices([-1, -0.5, 0, 0.5, 1], k=size), rng.choices(OUTER, k=size)
    sparse = [float(rng.random() < 0.1) for _ in range(size)]
    values = rng.choice([smooth, flat, coarse, ends, sparse])
    samples = rng.choice([1, 1, 2, 5])
    within = rng.choice([math.nan, 0.0, 1e-9, 0.2, 5.0]) if samples > 1 else math.nan
    return Pilot(np.array(values, dtype=float), rng.choice([0.2, 1.0, 6.0]), samples, within)


def random_assumed(rng: random.Random) -> Assumed:
    """Return assumptions, also ones that cannot be."""
    rate, icc, repeat, alike = (rng.choice([0.0, 1.0, rng.random(), 1e-9, 1 - 1e-9]) for _ in range(4))
    return Assumed(rate, icc, rng.choice([None, repeat]), alike, rng.choice([1, 2, 9]), rng.choice([1, 3]))


@pytest.mark.parametrize("times", [40, pytest.param(10_000, marks=pytest.mark.long)])
def test_no_input_ends_in_an_exception(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pilot and question: plans with probabilities and counts, or a reason why there is none."""
    monkeypatch.setattr("helm_impactbench.stats.power.SIMULATIONS", 40)
    monkeypatch.setattr("helm_impactbench.stats.pilot.RESAMPLED", 2)
    monkeypatch.setattr("helm_impactbench.stats.assumed.BASES", 200)
    uniform = np.random.default_rng(1).random((40, 512))
    monkeypatch.setattr("helm_impactbench.stats.power._uniform", lambda: uniform)
    monkeypatch.setattr("helm_impactbench.analysis.power.SAMPLES", (1,))
    rng, possible = random.Random(9), 0
    for _ in range(times):
        models, levels = rng.choice([1, 2, 3, 40, 1_000]), rng.choice([0, 2])
        wanted = rng.choice([1.0, 0.001, 1e-9, rng.uniform(1e-6, 1)])
        question = PowerQuestion("impact", wanted, models, models * rng.choice([1, 15]), levels)
        scenarios = rng.choice([2, 7, 60, 1_000_000])
        found = list(plans(random_pilot(rng), question, scenarios))
        assumed = random_assumed(rng)
        if assumed.icc <= assumed.same_case and wanted / 2 <= assumed.rate <= 1 - wanted / 2:
            found += assumed_plans(assumed, question, scenarios)
            possible += 1
        else:
            with pytest.raises(ValueError, match="allowed"):
                list(assumed_plans(assumed, question, scenarios))
        for plan in found:
            assert math.isnan(plan.detectable) or 0 <= plan.detectable <= 1
            assert plan.scenarios >= 2
            assert plan.conversations > 0
    assert times / 20 < possible < times / 2


def scattered(rng: random.Random) -> list[Outcome]:
    """Return outcomes with gaps: verdicts missing, levels missing, a model alone on a benchmark."""
    data: list[Outcome] = []
    for model in ("a", "b"):
        for base in range(rng.randrange(5)):
            for age in rng.sample(["child", "adult", "old"], rng.randrange(4)):
                changes: dict[str, Any] = {"model": model, "axes": (("age", age),), "sample": rng.randrange(2)}
                slug = rng.choice(["mini", "other"])
                passed = rng.choice([True, False, None])
                data.append(outcome(passed, benchmark=slug, base_id=f"s{base}", variant_id=f"s{base}_{age}", **changes))
                told = {"model": model, "sample": rng.randrange(2)}
                data.append(contrast_outcome(rng.choice([None, 0.5, -1.0]), rng.choice("ab"), f"rent_{base}", **told))
    return data


@pytest.mark.parametrize("times", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_no_suite_ends_in_an_exception(times: int) -> None:
    """Whatever outcomes there are: a pilot of finite differences with two base scenarios or more, or none."""
    rng, none = random.Random(10), 0
    for _ in range(times):
        data = scattered(rng)
        for found in (
            model_pilot(data, "a", "b"),
            level_pilot(data, "a", "age", "child", "adult"),
            gap_pilot(data, "a", "teller", "a", "b"),
        ):
            none += found is None
            if found is not None:
                assert found.scenarios >= 2
                assert np.isfinite(found.differences).all()
                assert found.samples == 1 or found.within >= 0
        assert gap_tests(data) >= 1
    assert 0 < none < 3 * times


def test_a_plan_reckons_with_the_base_scenarios_that_are_lost() -> None:
    """Where a third of the pilot lacks a verdict on one side, half as many scenarios more are needed."""
    question = PowerQuestion("impact", 0.3, models=2, tests=1)
    pilot = Pilot(np.array([0.0, 0.5, 1.0] * 20), 6.0)
    (whole,), (lossy,) = plans(pilot, question, 60), plans(replace(pilot, usable=2 / 3), question, 90)
    assert lossy.scenarios == math.ceil(whole.scenarios * 1.5)
    assert lossy.conversations == lossy.scenarios * 6 * 2
    assert lossy.detectable == whole.detectable


def test_a_pilot_knows_what_it_has_lost() -> None:
    """Of pairs of models and of gaps: the share of base scenarios that have a verdict on both sides."""
    data = simulated(np.random.default_rng(3), {"a": 0.5, "b": 0.7}, metrics=2, scenarios=6)
    lost = [judged(o, None) if o.model == "b" and o.base_id.endswith(("1", "2")) else o for o in data]
    whole, part = (model_pilot(outcomes, "a", "b") for outcomes in (data, lost))
    assert whole is not None
    assert part is not None
    assert (whole.usable, part.usable) == (1.0, pytest.approx(8 / 12))
