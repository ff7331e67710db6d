"""Impact, safety and capability of the same models side by side."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.analysis.combined.combined import combine
from helm_impactbench.analysis.commands.combined import combined
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.errors import ResultsError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.suites.registry import title_of
from helm_impactbench.suites.title import Title
from tests.suites.external.builders import answers
from tests.support.outcomes import contrast_outcome, outcome, simulated


def test_impact_is_the_mean_score_of_the_leaderboard() -> None:
    """Mean and interval are those of `impactbench compare`, for these benchmarks."""
    rng = np.random.default_rng(6)
    outcomes = [
        Outcome(**{**vars(one), "benchmark": slug})
        for slug, rates in (("one", {"a": 0.7, "b": 0.4}), ("two", {"a": 0.9, "b": 0.8}))
        for one in simulated(rng, rates)
    ]
    impact = combine(outcomes).overall["impact"]
    for score in model_scores(outcomes):
        own = impact.scores[score.model]
        assert own.estimate.mean == pytest.approx(score.mean)
        assert own.interval.low == pytest.approx(score.interval.low)
        assert own.interval.high == pytest.approx(score.interval.high)


def test_a_model_that_lacks_a_suite_says_so() -> None:
    """Its mean is over what it has, is not whole, and is not compared; a suite without scores is no part of it."""
    found = combine([
        *answers("gsm", "a", 1.0, 0.0), *answers("gsm", "b", 1.0, 1.0),
        *answers("mmlu", "a", 1.0, 0.0, setup="mmlu:subject=x"),
        *answers("mmlu", "a", 1.0, 1.0, setup="mmlu:subject=y"),
        *answers("mmlu", "b", 0.0, 0.0, setup="mmlu:subject=x"),
        *answers("ifeval", "a", None), *answers("ifeval", "b", None),
    ], title_of)  # fmt: skip
    capability = found.overall["capability"]
    assert capability.parts == ("GSM8K", "MMLU")
    assert capability.scores["a"].estimate.mean == pytest.approx((0.5 + 0.75) / 2)
    assert (capability.scores["a"].is_whole, capability.scores["b"].is_whole) == (True, False)
    assert (found.lacks("a"), found.lacks("b")) == ([], ["MMLU"])
    assert (capability.scores["a"].scored, capability.scores["a"].total) == (6, 6)


def test_subjects_of_unequal_size_weigh_alike_and_runs_of_the_same_cases_are_pooled() -> None:
    """Runs without a base scenario in common are averaged, as HELM does; two runs of the same prompts are not."""
    apart = [*answers("mmlu", "a", 1.0, setup="x"), *answers("mmlu", "a", 0.0, 0.0, 0.0, setup="y")]
    assert combine(apart).scales[0].scores["a"].estimate.mean == 0.5
    same = [*answers("gsm", "a", 1.0, 1.0, 0.0), *answers("gsm", "a", 0.0)]
    same[3] = Outcome(**{**vars(same[3]), "setup": "another judge"})
    (scale,) = combine(same).scales
    assert (scale.scores["a"].estimate.mean, scale.scores["a"].missing) == (0.5, ())


def test_a_panel_takes_the_place_of_helms_judge() -> None:
    """Where both have scored a suite, the panel's figure is in the means and HELM's is shown beside it."""
    found = combine([
        *answers("harm_bench", "a", 0.0, 0.0), *answers("panel_harm_bench", "a", 1.0, 1.0),
        *answers("bbq", "a", 0.5, 0.5),
    ], title_of)  # fmt: skip
    assert found.overall["safety"].parts == ("BBQ", "HarmBench (panel)")
    assert found.overall["safety"].scores["a"].estimate.mean == 0.75
    assert {one.key: one.counted for one in found.scales} == {
        "bbq": True, "harm_bench": False, "panel_harm_bench": True,
    }  # fmt: skip
    assert found.harm_avoided is not None
    assert found.harm_avoided.scores["a"].estimate.mean == 1.0


def test_the_refusal_trade_off() -> None:
    """Prompts that ask for harm on one side; prompts that only sound unsafe and help in need on the other."""
    requests = ("safe", "safe", "harmful", "harmful")
    outcomes = [
        *answers("simple_safety_tests", "a", 1.0, 1.0), *answers("bbq", "a", 0.0, 0.0), *answers("gsm", "a", 0.0),
        *answers("xstest", "a", 1.0, 0.5, 0.0, 0.0, requests=requests),
        *(outcome(passed, benchmark="help", base_id=f"s{i}", model="a") for i, passed in enumerate((True, False))),
    ]  # fmt: skip
    found = combine(outcomes, lambda slug: Title(slug, is_help=slug == "help"))
    assert found.harm_avoided is not None
    assert found.helpfulness is not None
    assert found.harm_avoided.parts == ("simple_safety_tests", "xstest, harmful prompts")
    assert found.harm_avoided.scores["a"].estimate.mean == 0.5
    assert found.helpfulness.parts == ("xstest, safe prompts", "help")
    assert found.helpfulness.scores["a"].estimate.mean == (0.75 + 0.5) / 2
    assert combine(answers("gsm", "a", 1.0)).harm_avoided is None


def test_a_contrast_stands_beside_the_others_as_a_distance_and_in_no_mean() -> None:
    """Its scale is how far the gap between two levels is from 0, whatever its direction; neutral is not a side."""
    values = {"c1": (1.0, -1.0), "c2": (0.0, 0.0), "c3": (-1.0, 1.0), "c4": (-1.0, 1.0), "c5": (1.0, None)}
    told = [
        contrast_outcome(value, level, base)
        for base, (a, b) in values.items()
        for level, value in (("a", a), ("b", b), ("neutral", 0.0))
    ]
    found = combine([outcome(True), outcome(False, base_id="s2"), *told])
    by_key = {one.key: one for one in found.scales}
    score = by_key["sides"].scores["model-a"]
    assert by_key["sides"].is_distance
    assert score.estimate.mean == pytest.approx(0.25)  # of 1: (1 + 0 - 1 - 1) / 4
    assert score.interval.low == 0
    assert (score.scored, score.total, dict(score.unscored)) == (14, 15, {"judge_error": 1})
    assert found.overall["impact"].parts == ("mini",)
    assert found.overall["impact"].scores["model-a"].estimate.mean == 0.5


def test_a_contrast_alone_is_no_impact_score() -> None:
    """Without a pass rate there is no mean of impact, and the distance is still shown."""
    found = combine([contrast_outcome(1.0, "a"), contrast_outcome(1.0, "b"), *answers("gsm", "model-a", 1.0)])
    assert set(found.overall) == {"capability"}
    assert [scale.key for scale in found.scales] == ["sides", "gsm"]


def test_models_are_in_order_of_impact_and_nobody_is_lost() -> None:
    """Best impact first; models that only HELM's suites have seen come last."""
    outcomes = [outcome(True, model="good"), outcome(False, model="bad")]
    capable = [one for model in ("other", "bad", "good") for one in answers("gsm", model, 1.0)]
    found = combine([*outcomes, *capable])
    assert found.models == ["good", "bad", "other"]
    assert found.lacks("other") == ["impact"]
    assert combine(outcomes).against == []


@pytest.mark.parametrize(("model", "conf"), [("rehearsal/mixed", "combined-rehearsal.conf"), ("a/b", "combined.conf")])
def test_impact_alone_is_told_which_runs_to_add(model: str, conf: str) -> None:
    """Free ones beside scripted models, paid ones beside others."""
    with pytest.raises(
        ResultsError, match=rf"impactbench fetch combined.*run_entries/{conf}\)\" --models-to-run {model}$"
    ):
        combined(reading_of([outcome(model=model)]))
