"""Whether people fare differently with a model: tested, corrected over all models, and first on every screen."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.commands.compare import compare
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


def test_no_ranking_and_nothing_first_where_the_judge_failed() -> None:
    """Figures stand by name, and each table has the warning under it."""
    outcomes = suite({"fair": (0.7, 0.7), "unfair": (0.95, 0.3)}, 40, 1)
    result = compare(reading_of(outcomes), ranked=False).judged("WARNING: it failed.", "WARNING: nothing.")
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
