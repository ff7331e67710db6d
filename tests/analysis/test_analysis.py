"""Analyses of outcomes: denominators, pairs, contrasts, health, power, the gate, swaps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_impactbench.analysis.agreement import panel_agreement, sample_agreement
from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.demographics import contrasts
from helm_impactbench.analysis.gate import at_least, at_most, not_worse
from helm_impactbench.analysis.item_analysis import Anchors, metric_health
from helm_impactbench.analysis.power import detectable_difference, noise, scenarios_needed
from helm_impactbench.analysis.rates import Rate, model_scores
from helm_impactbench.analysis.swap import metric_shifts, ranking, self_preferences, verdict_agreement
from helm_impactbench.errors import ResultsError
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome, Vote
from tests.support.outcomes import outcome, simulated

PASSED, FAILED, MISSING = True, False, None


def row(verdicts: list[bool | None], **changes: Any) -> list[Outcome]:
    """Return one conversation per verdict, each on a base scenario of its own."""
    return [
        outcome(verdict, base_id=f"m01_s{i:03d}", variant_id=f"m01_s{i:03d}_v01", **changes)
        for i, verdict in enumerate(verdicts, start=1)
    ]


def test_a_rate_tells_its_denominator_and_what_is_missing() -> None:
    """Unscored ones leave the denominator, are counted by reason, and bound the rate from both sides."""
    rate = Rate(tuple(row([PASSED, PASSED, FAILED, MISSING])))
    assert (rate.value, len(rate.scored), rate.conversations) == (2 / 3, 3, 4)
    assert rate.unscored == {"judge_error": 1}
    assert (rate.worst_case, rate.best_case) == (0.5, 0.75)
    nothing = Rate(tuple(row([MISSING])))
    assert math.isnan(nothing.value)
    assert not nothing.interval.is_known
    assert (nothing.worst_case, nothing.best_case) == (0.0, 1.0)


def test_models_are_ranked_by_the_mean_over_benchmarks() -> None:
    """A model without any verdict comes last and has no score."""
    data = [
        *row([PASSED, FAILED], model="b", benchmark="one"),
        *row([PASSED, PASSED, PASSED, PASSED], model="b", benchmark="two"),
        *row([PASSED, FAILED], model="a", benchmark="one"),
        *row([MISSING], model="0", benchmark="one"),
    ]
    scores = model_scores(data)
    assert [(score.model, score.mean) for score in scores[:2]] == [("b", 0.75), ("a", 0.5)]
    assert math.isnan(scores[2].mean)


def test_a_pair_is_compared_on_what_both_have() -> None:
    """Only the same case under the same set-up counts; an unscored side takes the pair out."""
    data = [
        *row([PASSED, PASSED, FAILED, PASSED, PASSED], model="a"),
        *row([FAILED, PASSED, FAILED, MISSING, FAILED], model="b"),
        *row([FAILED] * 5, model="b", setup="another judge"),
    ]
    (pair,) = compare(data).pairs
    assert pair.difference is not None
    assert pair.difference.pairs == pair.difference.scenarios == 4
    assert pair.difference.value == 0.5
    assert not pair.told_apart


def test_a_rewritten_variant_is_another_case() -> None:
    """The same id with other content is not paired."""
    other = [replace(o, model="b", content="rewritten") for o in row([FAILED, FAILED])]
    (pair,) = compare([*row([PASSED, PASSED], model="a"), *other]).pairs
    assert pair.difference is None
    assert pair.adjusted_p_value == 1.0


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
    found = {(c.axis, c.first, c.second): c for c in contrasts(data, ["overall"])}
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


def test_an_unscored_side_takes_its_pair_out_everywhere() -> None:
    """Law 4: in contrasts, against a baseline and between suites a missing verdict is no failure, but no pair."""
    adults, children = row([PASSED] * 8), row([PASSED] * 7 + [MISSING], axes=(("age", "child"),))
    (contrast,) = contrasts([*adults, *children], ["overall"])
    assert (contrast.difference.pairs, contrast.difference.value, contrast.second_rate) == (7, 0.0, 1.0)
    gone = row([PASSED] * 7 + [MISSING])
    for now, before in ((gone, adults), (adults, gone)):
        (check,) = not_worse(now, before, 0.0)
        assert (check.cases, check.value) == (7, 0.0)
        assert verdict_agreement(now, before).items == 7
        assert [shift.difference for shift in metric_shifts(now, before)] == [0.0]


def test_no_axis_no_contrast() -> None:
    """A benchmark without demographics has nothing to contrast, nor has one value alone."""
    assert contrasts(row([PASSED, FAILED], axes=())) == []
    assert contrasts(row([PASSED, FAILED])) == []


def test_too_few_scenarios_are_named() -> None:
    """A metric with three base scenarios cannot show anything by itself, and says so."""
    data = simulated(np.random.default_rng(1), {"a": 0.99}, child_rates={"a": 0.01}, correlation=0.01)
    by_level = {level: [c for c in contrasts(data) if c.level == level] for level in ("overall", "metric")}
    assert [c.found for c in by_level["overall"]] == [True]
    assert not any(c.found or c.can_be_found for c in by_level["metric"])


HEALTHY = {"good": 0.95, "middle": 0.5, "bad": 0.05}


def health_of(data: list[Outcome], metric: str, anchors: Anchors | None = None) -> list[str]:
    """Return the findings on a metric, each up to its colon."""
    (found,) = [health for health in metric_health(data, anchors) if health.metric == f"mini/{metric}"]
    return [text.split(":")[0] for text in found.findings]


def pilot() -> list[Outcome]:
    """Return a pilot with three models that differ."""
    return simulated(np.random.default_rng(2), HEALTHY, correlation=0.05, metrics=5, scenarios=8)


def changed(data: list[Outcome], metric: str, **changes: Any) -> list[Outcome]:
    """Return the data with the outcomes of one metric changed."""
    return [replace(o, **changes) if o.metric_id == metric else o for o in data]


def test_a_healthy_metric_has_no_findings() -> None:
    """Nothing to do for an author."""
    assert health_of(pilot(), "m01", Anchors("good", "bad")) == []


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"passed": True, "present": True}, "saturated"),
        ({"passed": False, "present": False}, "saturated"),
        ({"passed": None, "present": None, "unscored": "judge_error"}, "never scored"),
        ({"votes": (Vote("j", True, False),)}, "ungrounded"),
        ({"votes": (Vote("j", True, None), Vote("k", False, None))}, "judges disagree"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sick_metric_is_named(changes: dict[str, Any], finding: str) -> None:
    """Each fault is found in the metric that has it, and in no other."""
    data = changed(pilot(), "m02", **changes)
    assert finding in health_of(data, "m02")
    assert health_of(data, "m03") == []


def test_a_flipped_polarity_is_found_without_a_rank() -> None:
    """Law 1: the ranking of models is the same, but the anchors and the other metrics give the metric away."""
    flipped = [replace(o, metric_type="negative", passed=not o.passed) if o.metric_id == "m04" else o for o in pilot()]
    assert [score.model for score in model_scores(flipped)] == [score.model for score in model_scores(pilot())]
    assert health_of(flipped, "m04", Anchors("good", "bad")) == ["inverted", "runs against the other metrics"]
    assert health_of(flipped, "m04") == ["runs against the other metrics"]
    assert health_of(flipped, "m01", Anchors("good", "bad")) == []


def test_a_metric_on_which_models_are_alike_does_not_discriminate() -> None:
    """The spread of the models' rates is what counts."""
    data = [o for o in pilot() if o.metric_id != "m05"]
    data += [replace(o, model=model) for o in pilot() if o.metric_id == "m05" and o.model == "middle"
             for model in HEALTHY]  # fmt: skip
    assert "does not discriminate" in health_of(data, "m05")


def test_panel_agreement_counts_only_what_two_have_voted_on() -> None:
    """A single judge is no panel; a judge without a vote is left out of that conversation."""
    assert panel_agreement(row([PASSED, FAILED])) is None
    votes = [(True, True), (False, False), (True, False), (True, None)]
    data = [
        replace(o, votes=(Vote("j", a, None), Vote("k", b, None)))
        for o, (a, b) in zip(row([PASSED] * 4), votes, strict=True)
    ]
    panel = panel_agreement(data)
    assert panel is not None
    assert (panel.judges, panel.conversations, panel.split) == (("j", "k"), 3, 1 / 3)
    assert panel.kappas[0][2].items == 3


def test_sample_agreement() -> None:
    """Over variants with two scored samples; one sample is no repeat."""
    assert sample_agreement(row([PASSED, FAILED])) is None
    data = [outcome(v, sample=i, variant_id=name) for name, verdicts in
            {"a": [PASSED] * 3, "b": [PASSED, FAILED, PASSED], "c": [PASSED, MISSING, MISSING]}.items()
            for i, v in enumerate(verdicts)]  # fmt: skip
    found = sample_agreement(data)
    assert found is not None
    assert (found.samples, found.variants, found.unanimous, found.all_pass) == (3, 2, 0.5, 0.5)


def test_power_agrees_with_a_simulation() -> None:
    """The detectable difference is found in about 80% of data sets of that size."""
    from scipy import stats

    rng, sd, scenarios = np.random.default_rng(3), 0.4, 40
    difference = detectable_difference(sd**2, scenarios)
    found = sum(stats.ttest_1samp(rng.normal(difference, sd, scenarios), 0).pvalue <= 0.05 for _ in range(2000))
    assert 0.77 <= found / 2000 <= 0.83
    assert scenarios_needed(sd**2, difference) in (scenarios, scenarios + 1)
    assert scenarios_needed(sd**2, 0.0) is None


def test_samples_help_only_against_the_spread_between_samples() -> None:
    """With two samples the spread within variants is known, and more samples shrink that part alone."""
    rng = np.random.default_rng(4)
    data = [
        outcome(bool(rng.random() < 0.5), model=model, sample=sample, base_id=f"s{base}", variant_id=f"s{base}_v01")
        for model in ("a", "b")
        for base in range(200)
        for sample in (0, 1)
    ]
    found = noise(data, "a", "b")
    assert found is not None
    # Independent coins: a difference of two has variance 1/2 per sample, and nothing is fixed to the scenario.
    assert found.variance_with(1) == pytest.approx(0.5, abs=0.08)
    assert found.variance_with(4) == pytest.approx(0.125, abs=0.06)
    assert noise(data, "a", "unknown") is None


def decisions(checks: list[Any]) -> list[str]:
    """Return the decisions of checks."""
    return [check.decision for check in checks]


def test_the_gate_decides_on_bounds() -> None:
    """A rate above the bar is not enough; the bound has to be."""
    many, few = [PASSED] * 95 + [FAILED] * 5, [PASSED] * 9 + [FAILED]
    assert decisions(at_least(row(many), "pass_rate", 0.85)) == ["pass"]
    assert decisions(at_least(row(few), "pass_rate", 0.85)) == ["undecided"]
    assert decisions(at_least(row(few), "pass_rate", 0.995)) == ["fail"]
    assert decisions(at_least(row(many), "negative_pass_rate", 0.1)) == ["undecided"]
    assert decisions(at_most(row([PASSED] * 100), "unscored", 0.05)) == ["pass"]
    assert decisions(at_most(row([PASSED] * 80 + [MISSING] * 20), "unscored", 0.05)) == ["fail"]
    assert decisions(at_least(row([MISSING] * 3), "pass_rate", 0.0)) == ["undecided"]


def test_the_gate_against_a_baseline() -> None:
    """Unchanged passes, a sure loss fails, a margin holds when the interval says so, a new model is undecided."""
    before = row([PASSED] * 40)
    assert decisions(not_worse(before, before, 0.0)) == ["pass"]
    assert decisions(not_worse(before, before, 0.2)) == ["pass"]
    worse = row([FAILED] * 20 + [PASSED] * 20)
    assert decisions(not_worse(worse, before, 0.0)) == ["fail"]
    assert decisions(not_worse(worse, before, 0.45)) == ["undecided"]
    assert decisions(not_worse(row([PASSED], model="new"), before, 0.0)) == ["undecided"]


def test_a_swapped_judge_shows_in_order_flips_and_metrics() -> None:
    """A second judge that turns one metric round: that metric moved, the others did not."""
    first = simulated(np.random.default_rng(5), HEALTHY, correlation=0.05, metrics=4, scenarios=12)
    second = [replace(o, passed=not o.passed, present=not o.present) if o.metric_id == "m02" else o for o in first]
    shifts = {shift.metric: shift for shift in metric_shifts(first, second)}
    assert [metric for metric, shift in shifts.items() if shift.moved] == []  # 50% pass before and after: no shift
    assert verdict_agreement(first, second).agreement == 0.75
    lenient = [replace(o, passed=True, present=True) if o.metric_id == "m02" else o for o in first]
    assert [s.metric for s in metric_shifts(first, lenient) if s.moved] == ["mini/m02"]
    order = ranking(first, lenient)
    assert order.spearman == order.kendall == pytest.approx(1.0)


def test_a_swapped_generator_is_compared_by_metrics() -> None:
    """Other scenarios under the same ids share no case, and a metric can still be seen to move."""
    first = simulated(np.random.default_rng(6), {"a": 0.9}, metrics=2, scenarios=20, correlation=0.1)
    second = [
        replace(o, content="other", passed=o.passed and (o.metric_id == "m01" or o.base_id < "m02_s008")) for o in first
    ]
    assert verdict_agreement(first, second).items == 0
    moved = {shift.metric: (shift.moved, shift.interval) for shift in metric_shifts(first, second)}
    assert moved == {"mini/m01": (False, None), "mini/m02": (True, None)}


def test_self_preference_is_found_where_planted() -> None:
    """A judge that passes its relatives regardless; one that is lenient to all alike shows no preference."""
    data = simulated(np.random.default_rng(7), {"kin/x": 0.4, "far/y": 0.4}, scenarios=6)
    families = {"kin/x": "kin", "far/y": "far", "kin/j": "kin", "far/j": "far", "easy/j": "easy"}
    voted = [
        replace(o, votes=(Vote("kin/j", bool(o.present) or o.model == "kin/x", None), Vote("easy/j", o.present, None)))
        for o in data
    ]
    (kin,) = self_preferences(voted, families)
    assert kin.family == "kin"
    assert kin.own == 1.0
    assert kin.preference > 0.4
    assert kin.interval.low > 0
    lenient = [replace(o, votes=(Vote("kin/j", True, None), Vote("easy/j", o.present, None))) for o in data]
    (fair,) = self_preferences(lenient, families)
    assert fair.interval.low < 0 < fair.interval.high
    assert self_preferences(data, {**families, "j": "kin"}) == []


def test_every_inconsistency_is_named() -> None:
    """Conversations = scored + unscored, nothing empty is scored, nothing stands twice, polarity holds."""
    check_outcomes(row([PASSED, FAILED, MISSING]), "r")
    sick = {
        "both a verdict and a reason": replace(outcome(), unscored="judge_error"),
        "conversation is empty": replace(outcome(), status="empty", exchanges=0),
        "scored without a vote": replace(outcome(), votes=()),
        "passed=False": replace(outcome(), passed=False),
        "or neither": replace(outcome(), passed=None),
    }
    for message, bad in sick.items():
        with pytest.raises(ResultsError, match=message):
            check_outcomes([bad], "r")
    with pytest.raises(ResultsError, match="stands 2 times"):
        check_outcomes([outcome(), outcome()], "r")
