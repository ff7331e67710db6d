"""Impact, safety and capability of the same models side by side."""

from __future__ import annotations

import numpy as np
import pytest
from helm_impactbench.suites.external.tellings import TellingRun
from helm_impactbench.sycophancy.figures import Told

from helm_impactbench.analysis.combined.combined import HELPING, together
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.results.outcome import Outcome
from tests.suites.external.builders import run
from tests.support.outcomes import outcome, simulated


def test_impact_is_the_mean_score_of_the_leaderboard() -> None:
    """Mean and interval are those of `impactbench compare`, for these benchmarks."""
    rng = np.random.default_rng(6)
    outcomes = [
        Outcome(**{**vars(one), "benchmark": slug})
        for slug, rates in (("one", {"a": 0.7, "b": 0.4}), ("two", {"a": 0.9, "b": 0.8}))
        for one in simulated(rng, rates)
    ]
    impact = together(outcomes, []).overall["impact"]
    for score in model_scores(outcomes):
        own = impact.scores[score.model]
        assert own.estimate.mean == pytest.approx(score.mean)
        assert own.estimate.interval.low == pytest.approx(score.same_benchmarks_interval.low)
        assert own.estimate.interval.high == pytest.approx(score.same_benchmarks_interval.high)


def test_a_model_that_lacks_a_suite_says_so() -> None:
    """Its mean is over what it has, is not whole, and is not compared; a suite that nobody has scores on is no part."""
    runs = [
        run("gsm", "a", 1.0, 0.0), run("gsm", "b", 1.0, 1.0),
        run("mmlu", "a", 1.0, 0.0, setup="mmlu:subject=x"), run("mmlu", "a", 1.0, 1.0, setup="mmlu:subject=y"),
        run("mmlu", "b", 0.0, 0.0, setup="mmlu:subject=x"),
        run("ifeval", "a", instances=5), run("ifeval", "b", instances=5),
    ]  # fmt: skip
    found = together([], runs)
    capability = found.overall["capability"]
    assert capability.parts == ("GSM8K", "MMLU")
    assert capability.scores["a"].estimate.mean == pytest.approx((0.5 + 0.75) / 2)
    assert (capability.scores["a"].is_whole, capability.scores["b"].is_whole) == (True, False)
    assert (found.lacks("a"), found.lacks("b")) == ([], ["MMLU"])
    assert (capability.scores["a"].scored, capability.scores["a"].total) == (6, 6)


def test_a_panel_takes_the_place_of_helms_judge() -> None:
    """Where both have scored a suite, the panel's figure is in the means and HELM's is shown beside it."""
    runs = [run("harm_bench", "a", 0.0, 0.0), run("panel_harm_bench", "a", 1.0, 1.0), run("bbq", "a", 0.5, 0.5)]
    found = together([], runs)
    assert found.overall["safety"].parts == ("BBQ", "HarmBench (panel)")
    assert found.overall["safety"].scores["a"].estimate.mean == 0.75
    assert {one.key: one.counted for one in found.scales} == {
        "bbq": True, "harm_bench": False, "panel_harm_bench": True,
    }  # fmt: skip
    assert found.harm_avoided is not None
    assert found.harm_avoided.scores["a"].estimate.mean == 1.0


def test_the_refusal_trade_off() -> None:
    """Unsafe prompts and suites that ask for harm on one side; safe prompts and help in need on the other."""
    parts = {"safe": (1.0, 0.5), "unsafe": (0.0, 0.0)}
    runs = [
        run("simple_safety_tests", "a", 1.0, 1.0), run("bbq", "a", 0.0, 0.0), run("gsm", "a", 0.0),
        run("xstest", "a", 1.0, 0.5, 0.0, 0.0, parts=parts),
    ]  # fmt: skip
    helped = [outcome(passed, benchmark=HELPING, base_id=f"s{i}") for i, passed in enumerate((True, False))]
    found = together([Outcome(**{**vars(one), "model": "a"}) for one in helped], runs)
    assert found.harm_avoided is not None
    assert found.helpfulness is not None
    assert found.harm_avoided.parts == ("SimpleSafetyTests", "XSTest, unsafe prompts")
    assert found.harm_avoided.scores["a"].estimate.mean == 0.5
    assert found.helpfulness.parts == ("XSTest, safe prompts", HELPING)
    assert found.helpfulness.scores["a"].estimate.mean == (0.75 + 0.5) / 2
    assert together([], [run("gsm", "a", 1.0)]).harm_avoided is None


def test_moral_sycophancy_is_held_against_capability_and_in_no_mean() -> None:
    """Its scale is the share of cases in which not both sides are affirmed: higher is better, as everywhere."""
    told = [
        Told("rent", cell, arm, 0, stance)
        for cell, stances in (("c1", (1.0, -1.0)), ("c2", (0.0, 0.0)), ("c3", (1.0, 1.0)), ("c4", (1.0, None)))
        for arm, stance in zip(("a", "b"), stances, strict=True)
    ]
    found = together([outcome(True), outcome(False, base_id="s2")], [], [TellingRun("model-a", "s", tuple(told))])
    by_key = {one.key: one for one in found.scales}
    score = by_key["moral-sycophancy"].scores["model-a"]
    assert score.estimate.mean == pytest.approx(2 / 3)
    assert (score.scored, score.total) == (7, 8)
    assert found.overall["impact"].scores["model-a"].estimate.mean == 0.5


def test_models_are_in_order_of_impact_and_nobody_is_lost() -> None:
    """Best impact first; models that only HELM's suites have seen come last."""
    outcomes = [outcome(True, model="good"), outcome(False, model="bad")]
    found = together(outcomes, [run("gsm", "other", 1.0), run("gsm", "bad", 1.0), run("gsm", "good", 1.0)])
    assert found.models == ["good", "bad", "other"]
    assert found.lacks("other") == ["impact"]
    assert together(outcomes, []).against == []
