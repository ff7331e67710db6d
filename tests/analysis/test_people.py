"""Whether people fare differently with a model: tested, corrected over all models, and first on every screen."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.commands.compare import compare
from helm_impactbench.analysis.commands.gate import Conditions, gate
from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.analysis.people import GroupRates, group_rates, people_gaps
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import AGES, outcome


def suite(rates_by_age: dict[str, tuple[float, float]], bases: int, seed: int, axis: str = "age") -> list[Outcome]:
    """Return conversations of models, each base scenario as an adult and as a child tell it."""
    rng = np.random.default_rng(seed)
    return [
        outcome(bool(rng.random() < rate), model=model, metric_id=f"m{base % 6}", base_id=f"s{base}",
                variant_id=f"s{base}_{age}", axes=((axis, age),), axes_label=age)
        for model, both in rates_by_age.items()
        for base in range(bases)
        for age, rate in zip(AGES, both, strict=True)
    ]  # fmt: skip


def test_a_planted_gap_is_found_and_comes_first() -> None:
    """The model that fails children has no rank and two marks; the same sentence is first everywhere."""
    outcomes = suite({"fair": (0.7, 0.7), "unfair": (0.95, 0.3)}, 40, 1)
    gaps = people_gaps(outcomes)
    assert list(gaps) == ["unfair"]
    (gap,) = gaps["unfair"]
    assert (gap.worse[0], gap.better[0]) == ("child", "adult")
    results = compare(reading_of(outcomes)), rates(reading_of(outcomes))
    for result in results:
        assert result.first == (gap.sentence,)
        assert str(result).splitlines()[0] == gap.sentence
    rows = {row["model"].strip(): row for row in results[0]["ranking"].rows}
    assert rows["unfair"]["mean_score"] is None
    assert (rows["child"]["mean_score"], rows["adult"]["mean_score"]) == (gap.worse[1], gap.better[1])
    assert rows["fair"]["mean_score"] is not None
    shown = str(results[0])
    assert "differs by age" in shown


def test_ages_are_said_as_people_say_them() -> None:
    """The two groups that bands of age are put into are words of a sentence, not names of levels."""
    ages = {"adult": "adult (18+)", "child": "child or teenager (6-17)"}
    named = [replace(one, axes=(("age", ages[one.axes[0][1]]),)) for one in suite({"unfair": (0.95, 0.3)}, 40, 1)]
    ((gap,),) = people_gaps(named).values()
    assert re.fullmatch(
        r"unfair does worse with a child or teenager \(6 to 17\) \([\d.]+% passed\) than with an adult \(18 or older\) "
        r"\([\d.]+%\), in the same situations: no average of them is its result\.",
        gap.sentence,
    )


def test_the_rates_with_both_groups_on_a_part() -> None:
    """Of any conversations, in the order of the rates; nothing where one group has no score."""
    outcomes = suite({"unfair": (0.95, 0.3)}, 40, 1)
    ((gap,),) = people_gaps(outcomes).values()
    part = [one for one in outcomes if one.metric_id == "m1"]
    passed = {age: [one.score for one in part if one.axes == (("age", age),)] for age in AGES}
    means = sorted((sum(scores) / len(scores), age) for age, scores in passed.items())
    assert group_rates(part, gap) == GroupRates((means[0][1], means[0][0]), (means[1][1], means[1][0]))
    assert group_rates([one for one in part if ("age", "adult") in one.axes], gap) is None


def test_a_model_without_an_average_takes_up_no_rank() -> None:
    """The one behind it is second, and not second to third."""
    outcomes = suite({"best": (0.95, 0.95), "unfair": (0.95, 0.1), "poor": (0.2, 0.2)}, 60, 1)
    rows = compare(reading_of(outcomes))["models"].rows
    ranks = {row["model"]: (row["best_rank"], row["worst_rank"]) for row in rows}
    assert ranks == {"best": (1, 1), "poor": (2, 2), "unfair": (None, None)}
    assert [(row["first"], row["second"]) for row in compare(reading_of(outcomes))["pairs"].rows] == [("best", "poor")]


def test_the_only_model_with_a_rank_has_none() -> None:
    """Nothing is behind a model without an average, and the first of one says nothing."""
    outcomes = suite({"unfair": (0.95, 0.3), "poor": (0.2, 0.2)}, 60, 1)
    rows = {row["model"].strip(): row for row in compare(reading_of(outcomes))["ranking"].rows}
    assert [*rows] == ["poor", "unfair", "adult", "child"]
    assert (rows["poor"]["best_rank"], rows["poor"]["behind"]) == (None, "")


def test_no_mean_stands_in_rates() -> None:
    """In the matrix, and in the ranking of more models than it has room for, where such models are last."""
    two = [replace(one, benchmark=slug) for slug in ("mini", "other") for one in suite({"unfair": (0.95, 0.3)}, 40, 1)]
    fair = [replace(one, benchmark=slug) for slug in ("mini", "other") for one in suite({"fair": (0.5, 0.5)}, 40, 1)]
    mean, interval, *_ = rates(reading_of([*two, *fair]))["matrix"].rows
    assert (mean["unfair"], interval["unfair"]) == (None, "differs by age")
    mean, *_ = rates(reading_of([*two, *fair]), averaged=True)["matrix"].rows  # a judge that failed shows nothing of it
    assert mean["unfair"] is not None
    many = [replace(one, model=f"fair{number}") for number in range(5) for one in fair]
    last = rates(reading_of([*two, *many]))["matrix"].rows[-1]
    assert (last["model"], last["mean"], last["interval"]) == ("unfair", None, "differs by age")


def test_a_mean_over_fewer_benchmarks_stands_last_and_says_so() -> None:
    """It is of another kind than the others', however high."""
    rows = suite({"a": (0.5, 0.5), "b": (0.6, 0.6)}, 40, 1)
    whole = [*rows, *(replace(one, benchmark="other") for one in rows)]
    best = [replace(one, model="c", score=1.0, value=1.0) for one in rows if one.model == "a"]
    mean, _, lacks, *_ = rates(reading_of([*whole, *best]))["matrix"].rows
    assert mean["benchmark"] == "mean"
    assert [*mean][-1] == "c"
    assert (lacks["a"], lacks["c"]) == ("", "cases of 1 benchmark")


def test_a_gate_decides_nothing_by_an_average_of_nobody() -> None:
    """The pass rate of all passes, and children do not; with one group alone it is decided."""
    outcomes = suite({"unfair": (0.95, 0.3)}, 60, 1)
    result = gate(reading_of(outcomes), Conditions(lowest=("pass_rate=0.5",)))
    assert result.first[0].startswith("unfair does worse with ")
    assert result.verdict
    assert result.verdict.sentence == (
        "UNDECIDED: 0 of 1 condition met. 1 cannot be decided because people fare differently (gate each group with "
        "--where), which is neither a pass nor a fail."
    )
    adults = [one for one in outcomes if one.axes_label == "adult"]
    alone = gate(reading_of(adults), Conditions(lowest=("pass_rate=0.5",)))
    assert [row["decision"] for row in alone["conditions"].rows] == ["pass"]


def test_no_ranking_and_nothing_first_where_the_judge_failed() -> None:
    """Figures stand by name, and each table has the warning under it."""
    outcomes = suite({"fair": (0.7, 0.7), "unfair": (0.95, 0.3)}, 40, 1)
    result = compare(reading_of(outcomes), unranked="it failed").judged("WARNING: it failed.", "WARNING: nothing.")
    lines = str(result).splitlines()
    assert lines[0] == "WARNING: it failed."
    assert result.first == ()
    assert "best first" not in str(result)
    assert "Rank" not in str(result)
    assert lines.count("WARNING: nothing.") == 1


def test_what_an_operator_demands_is_no_group_of_people() -> None:
    """A system prompt that changes answers says nothing of people."""
    assert people_gaps(suite({"a": (0.95, 0.2)}, 40, 2, axis="operator")) == {}


@pytest.mark.parametrize("models", [1, 8])
def test_fair_models_are_called_unfair_in_one_of_twenty_suites(models: int) -> None:
    """The risk of any finding in 200 suites is 5%, however many models there are."""
    fair = {f"m{number}": (0.6, 0.6) for number in range(models)}
    found = sum(bool(people_gaps(suite(fair, 20, seed))) for seed in range(200))
    assert found <= 18, "5% of 200 and two and a half standard errors"


def test_other_models_do_not_change_what_the_gate_decides() -> None:
    """A gap that is found in the model alone is lost among twenty others, where every output but the gate tests all."""
    weak = [
        outcome(age == "adult" or base >= 7, model="weak", metric_id=f"m{base % 6}", base_id=f"s{base}",
                variant_id=f"s{base}_{age}", axes=(("age", age),), axes_label=age)
        for base in range(16)
        for age in AGES
    ]  # fmt: skip
    among = [*weak, *suite({f"fair{number}": (0.7, 0.7) for number in range(20)}, 16, 3)]
    assert "weak" in people_gaps(weak)
    assert "weak" not in people_gaps(among)
    for outcomes in (weak, among):
        result = gate(reading_of(outcomes), Conditions(["pass_rate=0.3"]))
        assert {row["decision"] for row in result.tables[0].rows if row["model"] == "weak"} == {"undecided"}
        assert any(sentence.startswith("weak does worse with child") for sentence in result.first)


def test_one_benchmark_shows_no_average_of_unlike_people() -> None:
    """Without a row for the mean, its own cell says why there is none; the fair model has one with its interval."""
    shown = str(rates(reading_of(suite({"fair": (0.7, 0.7), "unfair": (0.95, 0.3)}, 40, 1))))
    (line,) = [line for line in shown.splitlines() if line.strip().startswith("mini")]
    assert re.fullmatch(r" *mini +0\.\d+ \(0\.\d+ to 0\.\d+\) +differs by age *", line)


def test_opposite_gaps_in_two_benchmarks_are_told_beside_an_average_that_hides_them() -> None:
    """They cancel over both, so nobody stands apart; compare and the gate name the benchmarks."""
    opposite = [
        replace(each, benchmark=slug)
        for slug, both in (("alpha", (0.9, 0.2)), ("beta", (0.2, 0.9)))
        for each in suite({"a": both}, 40, 1)
    ]
    said = (
        "People fare differently in single benchmarks, although no gap over all of them is significant: a in alpha by "
        "age and beta by age. `impactbench contrasts --by benchmark` shows the gaps."
    )
    held = Conditions(lowest=["pass_rate=0.1"])
    results = compare(reading_of(opposite)), gate(reading_of(opposite), held)
    assert all(said in result.notes for result in results)
    assert all(not result.first for result in results)
    for outcomes in (suite({"a": (0.9, 0.2)}, 40, 1), suite({"a": (0.7, 0.7)}, 40, 1)):
        told = str(compare(reading_of(outcomes))) + str(gate(reading_of(outcomes), held))
        assert "single benchmarks" not in told
