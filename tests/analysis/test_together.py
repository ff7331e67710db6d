"""Impact beside safety and capability: means and their intervals, what counts, and planted links with capability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from helm_impactbench.suites.external.tellings import TellingRun
from helm_impactbench.sycophancy.figures import Told
from scipy import stats

from helm_impactbench.analysis.combined.capability import Against, Finding, against_capability
from helm_impactbench.analysis.combined.combined import HELPING, together
from helm_impactbench.analysis.combined.scales import Scale, Score
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.correlation import rank_correlation, rho_interval
from helm_impactbench.stats.estimates import NOTHING, Estimate, mean_of, of_clusters, of_values
from helm_impactbench.stats.intervals import cluster_interval, same_groups_interval
from tests.suites.external.builders import run
from tests.support.outcomes import outcome, simulated


def scale(key: str, values: Mapping[str, float], missing: Sequence[str] = ()) -> Scale:
    """Return a scale with these means; models in `missing` lack a part of it."""
    return Scale(key, key, "impact", {
        model: Score(Estimate(value, 0.001, 50, 51), 51, 51, ("a part",) if model in missing else ())
        for model, value in values.items()
    })  # fmt: skip


def numbered(values: Sequence[float]) -> dict[str, float]:
    """Return values by model."""
    return {f"m{i:02d}": float(value) for i, value in enumerate(values)}


# ---- the correlation itself ------------------------------------------------------------------------------------------


def test_a_perfect_order_of_five_is_no_proof() -> None:
    """With five models p cannot be below 2/120, and the interval reaches from little to all."""
    found = rank_correlation([1, 2, 3, 4, 5], [10, 20, 40, 80, 160])
    assert found is not None
    assert (found.value, found.p_value, found.pairs) == (pytest.approx(1), pytest.approx(2 / 120), 5)
    assert found.interval.low == pytest.approx(0.16, abs=0.01)
    assert found.interval.high == 1.0
    other = rank_correlation([1, 2, 3, 4, 5], [-10, -20, -40, -80, -160])
    assert other is not None
    assert (other.value, other.interval.low, other.interval.high) == (
        pytest.approx(-1), -1.0, pytest.approx(-found.interval.low),
    )  # fmt: skip


@pytest.mark.parametrize("count", [6, 7, 12])
def test_rho_and_p_agree_with_scipy(count: int) -> None:
    """rho is scipy's, ties included; p is that of a test by re-pairing, which scipy's formula comes near."""
    rng = np.random.default_rng(count)
    for _ in range(5):
        first, second = rng.integers(0, count, (2, count)).tolist()
        found = rank_correlation(first, second)
        expected = stats.spearmanr(first, second)
        assert found is not None
        assert found.value == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.pvalue, abs=0.06)


@pytest.mark.parametrize(
    ("first", "second"),
    [([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4, 5], [7, 7, 7, 7, 7]), ([], [])],
    ids=["four models", "no spread", "nobody"],
)
def test_no_figure_where_none_can_mean_anything(first: list[float], second: list[float]) -> None:
    """Fewer than five models, or one score for all, give no correlation in place of a misleading one."""
    assert rank_correlation(first, second) is None


@pytest.mark.parametrize(("pairs", "link"), [(5, 0.0), (5, 0.9), (8, 0.6), (14, 0.0), (14, 0.8), (20, 0.95)])
def test_the_interval_holds_the_truth(pairs: int, link: float) -> None:
    """The 95% interval of rho covers the true rank correlation of normal pairs in at least 92% of 1,500 draws."""
    rng = np.random.default_rng(pairs)
    first = rng.standard_normal((1500, pairs))
    second = link * first + math.sqrt(1 - link**2) * rng.standard_normal((1500, pairs))
    ranks = [stats.rankdata(values, axis=1) for values in (first, second)]
    found = 1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum(axis=1) / (pairs * (pairs**2 - 1))
    truth = 6 / math.pi * math.asin(link / 2)
    intervals = [rho_interval(float(rho), pairs) for rho in found]
    assert np.mean([one.low <= truth <= one.high for one in intervals]) >= 0.92


# ---- is it capability? -----------------------------------------------------------------------------------------------


def planted(rng: np.random.Generator, models: int, driven: int, independent: int, noise: float) -> list[Against]:
    """Return benchmarks that follow capability up to noise, and some that do not follow it, held against it."""
    ability = rng.uniform(0.3, 0.9, models)
    scales = [scale(f"driven{i}", numbered(ability + noise * rng.standard_normal(models))) for i in range(driven)]
    scales += [scale(f"free{i}", numbered(rng.uniform(0, 1, models))) for i in range(independent)]
    return against_capability(scales, scale("capability", numbered(ability)))


@pytest.mark.parametrize(("models", "power"), [(8, 0.8), (12, 0.95)])
def test_what_is_driven_by_capability_is_flagged_and_nothing_else(models: int, power: float) -> None:
    """Planted: 3 of 9 benchmarks follow capability (rho about .95). Most are flagged; few flags of a suite are false.

    The expected share is 3.3% (5% of the six ninths that are free); 7% leaves room for 25 simulated suites.
    """
    rng = np.random.default_rng(100 + models)
    suites = [planted(rng, models, driven=3, independent=6, noise=0.05) for _ in range(25)]
    right = [sum(one.finding is Finding.MOSTLY for one in found if one.scale.key[:4] != "free") for found in suites]
    flags = [sum(one.finding.is_flag for one in found) for found in suites]
    assert np.mean(right) / 3 >= power
    assert np.mean([(all_of - good) / max(1, all_of) for all_of, good in zip(flags, right, strict=True)]) <= 0.07


def test_with_nothing_to_find_false_flags_are_rare() -> None:
    """Planted: nothing follows capability. At most 8% of 40 suites with 8 models and 9 benchmarks have any flag."""
    rng = np.random.default_rng(1)
    any_flag = [any(one.finding.is_flag for one in planted(rng, 8, 0, 9, 0)) for _ in range(40)]
    assert np.mean(any_flag) <= 0.08


def test_a_weak_link_over_many_models_is_not_mostly_capability() -> None:
    """A link beyond doubt but small is no flag: rho of .4 over 60 models is said to be not mostly capability."""
    rng = np.random.default_rng(3)
    ability = rng.standard_normal(60)
    weak = 0.4 * ability + math.sqrt(1 - 0.4**2) * rng.standard_normal(60)
    (one,) = against_capability([scale("weak", numbered(weak))], scale("capability", numbered(ability)))
    assert one.adjusted_p_value < 0.05
    assert one.finding is Finding.NOT_MOSTLY
    assert "lies within -0.7 to 0.7" in one.reason


def test_each_finding_has_its_reason() -> None:
    """Opposite order, too few models, one score for all, and what is open are told apart, in words with figures."""
    up = numbered(range(8))
    scales = [
        scale("against", numbered(range(8, 0, -1))),
        scale("few", numbered(range(4))),
        scale("flat", numbered([0.5] * 8)),
        scale("open", numbered([3, 0, 1, 5, 2, 7, 4, 6])),
    ]
    found = {one.scale.key: one for one in against_capability(scales, scale("capability", up))}
    assert {key: one.finding for key, one in found.items()} == {
        "against": Finding.AGAINST, "few": Finding.TOO_FEW, "flat": Finding.NO_SPREAD, "open": Finding.OPEN,
    }  # fmt: skip
    assert [one.finding.is_flag for one in found.values()] == [True, False, False, False]
    assert found["few"].reason.startswith("4 models have all of both scores")
    assert "more capable models do worse" in found["against"].reason
    assert "{" not in "".join(one.reason for one in found.values())


def test_the_family_of_tests_is_corrected() -> None:
    """One and the same order of six models is a flag alone, and none among nine others that are noise."""
    order = [0, 1, 2, 3, 5, 4]
    capability = scale("capability", numbered(range(6)))
    noise = [[2, 5, 0, 3, 1, 4], [1, 4, 2, 0, 5, 3], [5, 2, 3, 1, 4, 0]] * 3
    alone = against_capability([scale("one", numbered(order))], capability)
    among = against_capability([scale("one", numbered(order)), *(scale("n", numbered(n)) for n in noise)], capability)
    assert alone[0].correlation == among[0].correlation
    assert (alone[0].finding, among[0].finding) == (Finding.MOSTLY, Finding.OPEN)


def test_models_that_lack_a_part_are_not_correlated() -> None:
    """A mean over fewer benchmarks or suites is another mean: its model is left out on either side."""
    values = numbered(range(7))
    (one,) = against_capability([scale("s", values, missing=["m01"])], scale("capability", values, missing=["m02"]))
    assert one.models == ("m00", "m03", "m04", "m05", "m06")


# ---- means and their intervals ---------------------------------------------------------------------------------------


def test_nested_means_keep_their_variance() -> None:
    """A mean of means has the interval that same_groups_interval gives; subjects within a suite weigh as one suite."""
    rng = np.random.default_rng(4)
    groups = [clustered((i, rng.random()) for i in range(20)) for _ in range(3)]
    joined = mean_of([of_clusters(group) for group in groups])
    assert joined.interval.low == pytest.approx(same_groups_interval(groups).low)
    assert joined.interval.high == pytest.approx(same_groups_interval(groups).high)
    parts = [of_values([0.0, 1.0] * 10), of_values([0.5] * 8 + [1.0] * 8)]
    nested = mean_of([mean_of(parts), of_values([1.0, 0.0, 1.0])])
    assert nested.mean == pytest.approx(((0.5 + 0.75) / 2 + 2 / 3) / 2)
    assert nested.variance == pytest.approx(
        (sum(p.variance for p in parts) / 4 + of_values([1.0, 0.0, 1.0]).variance) / 4
    )


def test_the_interval_of_a_suite_covers() -> None:
    """Rates near the end of the range, graded scores too: 95% intervals of means cover the truth in 93% or more."""
    rng = np.random.default_rng(5)
    for chances, levels in (((0.05, 0.95), (0.0, 1.0)), ((0.1, 0.2, 0.7), (0.0, 0.5, 1.0))):
        truth = float(np.dot(chances, levels))
        found = [of_values(rng.choice(levels, 60, p=chances).tolist()).interval for _ in range(800)]
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93


def test_clusters_widen_the_interval() -> None:
    """Ten answers to each of two requests are worth little more than two: the interval is that of the clusters."""
    values = [1.0] * 10 + [0.0] * 10 + [1.0, 0.0]
    groups = tuple(name for name in "abcd" for _ in range({"a": 10, "b": 10, "c": 1, "d": 1}[name]))
    alone = together([], [run("air_bench_2024", "a", *values)]).overall["safety"].scores["a"]
    joined = together([], [run("air_bench_2024", "a", *values, clusters=groups)]).overall["safety"].scores["a"]
    assert alone.estimate.mean == joined.estimate.mean == 0.5
    assert joined.estimate.interval == cluster_interval(clustered(zip(groups, values, strict=True)))
    assert joined.estimate.interval.low < alone.estimate.interval.low - 0.1


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    """No spread can be seen in a single answer; without any there is nothing."""
    assert of_values([1.0]).mean == 1.0
    assert not of_values([1.0]).interval.is_known
    assert of_values([]) == mean_of([]) == NOTHING
    assert math.isnan(NOTHING.mean)


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
