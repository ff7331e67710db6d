"""What the first screen says: no more than the tests allow, in every kind of suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.contrast_metrics import level_gaps
from helm_impactbench.analysis.difference_rows import contrast_rows
from helm_impactbench.analysis.gap_tests import gap_tests
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.people import people_gaps
from helm_impactbench.benchmark.measures.base import Measure
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Point, Scale
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.outputs.report.contrasts import by_model
from helm_impactbench.outputs.report.findings import (
    OwnGap,
    _own_words,
    contrast_finding,
    finding,
    people_finding,
    widest_gap,
)
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.statement import Statement, as_text
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from tests.support.outcomes import contrast_outcome, judged, outcome

MANY = 60
"""Base scenarios: enough to tell what is wholly different apart."""


def conversations(model: str, passed: int, of: int = MANY, **changes: object) -> list[Outcome]:
    """Return a model's outcomes, one per base scenario, the first `passed` of which pass."""
    return [
        outcome(place < passed, model=model, base_id=f"s{place}", variant_id=f"s{place}_v1", **changes)
        for place in range(of)
    ]


def people(model: str, adults: int, children: int, of: int = MANY) -> list[Outcome]:
    """Return outcomes of the same base scenarios with an adult and with a child."""
    return [
        outcome(place < passed, model=model, base_id=f"s{place}", variant_id=f"s{place}_{level}",
                axes=(("age", level),), axes_label=level)
        for level, passed in (("adult", adults), ("child", children))
        for place in range(of)
    ]  # fmt: skip


def said(statement: Statement) -> tuple[str, str]:
    """Return both sentences as plain text."""
    return as_text(statement.headline, str.upper), as_text(statement.more, str.upper)


def found(outcomes: Iterable[Outcome], references: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return what is said of some outcomes."""
    return said(finding(compare(list(outcomes)), references))


def test_the_best_is_ahead_of_all() -> None:
    """Rates in whole per cent, with intervals, stand below the headline."""
    headline, more = found([*conversations("a", 60), *conversations("b", 20), *conversations("c", 10)])
    assert headline == "A is ahead of B and C."
    assert more.startswith("Highest: A, 100% (95% interval 9")
    assert " of chats as they should be. Lowest: C, 17% (95% interval " in more
    assert found([*conversations("a", 60), *conversations("b", 20)])[0] == "A is ahead of B."


def half_silent(model: str, passed: range, silent: range) -> list[Outcome]:
    """Return a model's outcomes: `passed` passes, `silent` has no verdict, the rest fails."""
    return [
        judged(each, None if place in silent else place in passed) for place, each in enumerate(conversations(model, 0))
    ]


def test_a_lead_that_missing_verdicts_could_undo() -> None:
    """It is not told without that: for the only other model, and for the one of several that it concerns."""
    whole, torn = conversations("a", 30), half_silent("b", range(0), range(10, 60))
    headline, more = found([*whole, *torn])
    assert headline == "A is ahead of B."
    assert more.endswith("Missing verdicts could undo its lead over B. ")
    headline, more = found([*whole, *torn, *conversations("c", 29)])
    assert headline == "A and C could each be the best. The other is behind A."
    assert more.endswith("Missing verdicts could undo its lead over B. ")
    assert "Missing" not in "".join(found([*whole, *conversations("b", 5)]))


def test_models_without_a_shared_case_are_not_said_to_be_alike() -> None:
    """There is nothing to test, which is neither too little nor a result."""
    odd, even = half_silent("a", range(60), range(30)), half_silent("b", range(50), range(30, 60))
    nothing = "No scored case is shared by the two models: nothing compares them."
    assert found([*odd, *even])[0] == nothing
    headline, more = found([*odd, *even, *conversations("c", 0)])
    assert headline == "A and B could each be the best. The other is clearly behind A."
    assert more.endswith("A has no scored case in common with B. ")


def test_the_best_shares_its_place() -> None:
    """A few are named, of many the number; of the others no more is said than tests support."""
    few = [*conversations("a", 58), *conversations("b", 57), *conversations("z", 2)]
    assert found(few)[0] == "A and B could each be the best. The other is clearly behind A."
    many = [each for name in "bcdefgh" for each in conversations(name, 57)]
    assert found([*few, *many])[0] == "Eight of 9 models could each be the best. The other is clearly behind A."
    assert found([*few, *conversations("y", 3)])[0].endswith(" The other two are clearly behind A.")


def test_a_model_behind_another_than_the_best_is_not_said_to_be_behind_the_best() -> None:
    """The best answered other cases than those on which it is behind."""
    high = half_silent("a", range(60), range(8, 60))
    others = [*conversations("b", 55), *conversations("c", 20)]
    assert found([*high, *others])[0] == "A and B could each be the best. The other is behind at least one model."


def test_nothing_is_told_apart() -> None:
    """The sentence names no winner; the range is given as what was measured."""
    headline, more = found([*conversations("a", 40), *conversations("b", 38), *conversations("c", 37)])
    assert headline == "No difference between the 3 models is significant."
    assert more.startswith("Highest: A, 67% (")
    assert " of chats as they should be. Lowest: C, 62% (" in more


def test_too_few_cases() -> None:
    """Too few scenarios is another thing than no difference."""
    headline, _ = found([*conversations("a", 2, of=2), *conversations("b", 0, of=2)])
    assert headline == "There are too few cases to compare the two models."


def test_one_model() -> None:
    """Its score, and no comparison."""
    headline, more = found(conversations("a", 30))
    assert headline.startswith("A scored 50% (95% interval ")
    assert more == "With one model there is nothing to compare it with. "


def test_an_average_over_people_who_differ_is_in_no_ranking() -> None:
    """The others are compared; where all differ, none is."""
    outcomes = [*people("a", 60, 0), *people("b", 60, 58), *people("c", 10, 9)]
    gaps = people_gaps(outcomes)
    ranking = finding(compare(outcomes), apart=gaps)
    assert said(ranking)[0] == "B is ahead of C."
    headline, more = said(people_finding([gap for own in gaps.values() for gap in own], ranking))
    assert headline == "A did worse with child than with adult in the same situations."
    assert more == "Passed: 0% with child, 100% with adult. B is ahead of C."
    alone = finding(compare(people("a", 60, 0)), apart=gaps)
    assert said(alone)[0] == "No average is compared where people fare differently."


def test_scores_that_print_alike_have_no_highest_and_lowest() -> None:
    """Beside the same figure these words would name a difference."""
    assert found([*conversations("a", 40), *conversations("b", 40)])[1].startswith("All: 67% of chats as they should")
    assert found([*conversations("a", 40), *conversations("b", 20)])[1].startswith("Highest: A, 67%")


def test_models_that_share_an_end_are_all_named() -> None:
    """None of two equal ones is the highest, or the lowest, and an interval is that of one model."""
    both = [each for name in "ab" for each in conversations(name, 50)]
    _, more = found([*both, *conversations("c", 10), *conversations("d", 10)])
    assert more == "Highest: A and B, 83% of chats as they should be. Lowest: C and D, 17%. "


def test_the_highest_mean_need_not_be_of_the_model_that_tests_put_first() -> None:
    """The question does not arise for B in what A fails: its mean is higher, on shared cases it is behind."""
    first = [judged(each, 15 <= place < 51) for place, each in enumerate(conversations("a", 0))]
    second = [
        judged(each, place >= 25)
        if 15 <= place < 51
        else replace(each, status="not_applicable", value=None, score=None)
        for place, each in enumerate(conversations("b", 0))
    ]
    headline, more = found([*first, *second])
    assert headline == "A is ahead of B."
    assert more.startswith("Highest: B, 72% (")
    assert "Lowest: A, 60% (" in more


def test_unequal_sets_of_benchmarks_are_not_ranked_together() -> None:
    """A model that lacks a benchmark is left out of the sentence and counted; when all do, nobody is first."""
    other = {"benchmark": "second"}
    whole = [*conversations("a", 50), *conversations("a", 50, **other)]
    assert found([*whole, *conversations("b", 60)]) == (
        found([*whole, *conversations("b", 60)])[0],
        "One model lacks a benchmark and is not ranked.",
    )
    assert found([*whole, *conversations("b", 60)])[0].startswith("Only A has a score on every benchmark: 83% (")
    few = [*conversations("a", 50), *conversations("b", 6, of=6)]
    assert found(few)[0].startswith("Only A met all cases: 83% (")
    assert found(few)[1] == "One model lacks cases and is not ranked."
    assert found([*few, *conversations("c", 6, of=6)])[1] == "2 models lack cases and are not ranked."
    two = [*whole, *conversations("c", 10), *conversations("c", 10, **other), *conversations("b", 60)]
    assert found(two)[0] == "A is ahead of C."
    assert found([*conversations("a", 50), *conversations("b", 60, **other)])[0] == (
        "No model has met every benchmark of this suite, with all its cases, so none is ranked."
    )


@pytest.mark.parametrize("outcomes", [[], [outcome(None), outcome(None, model="b")]], ids=["none", "unscored"])
def test_without_any_verdict(outcomes: list[Outcome]) -> None:
    """It says that there is no result."""
    headline, _ = found(outcomes)
    assert headline == "No conversation has a verdict yet, so there is no result to report."


def test_a_script_is_no_winner_but_a_floor() -> None:
    """A reference is never the finding; a best model that is not ahead of one is told of."""
    outcomes = [*conversations("a", 40), *conversations("b", 5), *conversations("null", 45)]
    headline, more = found(outcomes, ("null",))
    assert headline == "A is ahead of B."
    assert more.endswith("No test puts A ahead of a reference script: NULL, 75%. ")
    beaten = [*conversations("a", 58), *conversations("b", 5), *conversations("null", 2)]
    assert "reference" not in "".join(found(beaten, ("null",)))


def test_scripts_beside_models_are_lines() -> None:
    """In a rehearsal there is nothing but scripts, and none is."""
    scripts = ["rehearsal/mixed", "rehearsal/supportive"]
    assert scripts_beside([*scripts, "org/model"]) == {*scripts}
    assert scripts_beside(scripts) == scripts_beside(["org/model"]) == frozenset()


def test_the_widest_gap_that_is_told_from_chance() -> None:
    """Who fares worse comes first, with both rates; the interval is that of the gap, not of its negative."""
    contrasts = level_contrasts([*people("a", 60, 20), *people("b", 60, 50)])
    headline, more = said(widest_gap(contrasts))
    assert headline == "A did worse with child (33% passed) than with adult (100%)."
    (widest,) = [one for one in contrasts if one.level == "overall" and one.model == "a"]
    bounds = f"{100 * widest.difference.interval.low:.0f} to {100 * widest.difference.interval.high:.0f}"
    assert more.startswith(f"67 points (95% interval {bounds}). It is the widest of 2 significant gaps, of 2")
    assert more.endswith(" of 2 tried.")
    turned, _ = said(widest_gap(level_contrasts(people("a", 20, 60))))
    assert turned == "A did worse with adult (33% passed) than with child (100%)."
    assert "points (95% interval 5" in said(widest_gap(level_contrasts(people("a", 20, 60))))[1]


def test_opposite_gaps_in_two_benchmarks_are_not_passed_over() -> None:
    """They cancel over all benchmarks, where another model has a gap."""
    opposite = [
        replace(each, benchmark=slug)
        for slug, adults, children in (("mini", 55, 15), ("second", 15, 55))
        for each in people("b", adults, children)
    ]
    contrasts = level_contrasts([*people("a", 60, 20), *opposite], ("overall", "benchmark"))
    headline, more = said(widest_gap(contrasts))
    assert headline.startswith("A did worse with child")
    assert more.endswith(" in single ones 2 more gaps of B are significant.")
    assert "single ones" not in said(widest_gap(level_contrasts(people("a", 60, 20))))[1]


def test_a_gap_that_chance_could_give() -> None:
    """It is shown as what was measured, under a sentence that says that it is not known."""
    headline, more = said(widest_gap(level_contrasts(people("a", 31, 30))))
    assert headline == "The one gap between groups that was tried is not significant."
    assert more.startswith("Widest in pass rates: A, worse with child (50% passed) than with adult (52%). 2 points")
    assert "Compared here: the scenarios that were tried with both. A model's label compares all" in more
    assert " 1 point (95% interval " in said(widest_gap(level_contrasts(people("a", 51, 50, of=100))))[1]
    headline, _ = said(widest_gap(level_contrasts(people("a", 2, 0, of=2))))
    assert headline == "Too few cases were put to both sides to test any gap between groups."
    assert said(widest_gap(level_contrasts(people("a", 30, 30))))[1].startswith(
        "No gap in pass rates of a point or more was seen. Compared here: the"
    )


@pytest.mark.parametrize(
    ("better", "told"),
    [("high", "+0.50 (95% interval +0.40 to +0.60)"), ("low", "−0.50 (95% interval −0.60 to −0.40)")],
)
def test_a_gap_is_told_in_the_unit_of_the_metric_also_where_less_is_better(better: str, told: str) -> None:
    """A gap says who fares better; first minus second is the difference of the answers."""
    metric = Metric(id="m", name="M", type="contrast", definition="D.", contrast=Contrast(axis="age", better=better))
    assert _own_words(0.5, Interval(0.4, 0.6), metric) == f"First minus second: {told}; 0 is ideal."


def test_no_gap_was_tried() -> None:
    """It says so, and what that leaves open."""
    headline, more = said(widest_gap(()))
    assert headline == "No case has verdicts with two kinds of people, so nothing is compared."
    assert "cannot say" in more


def own_gaps(high: float, low: float, of: int = 40) -> list[OwnGap]:
    """Return the tested gaps of a contrast metric that gives one level `high` and the other `low`."""
    outcomes = [
        contrast_outcome(value, level, f"rent_{place}")
        for place in range(of)
        for level, value in (("a", high), ("b", low))
    ]
    sets = list(matched_sets(outcomes))
    return [("Sides", "model-a", test) for test in gap_tests((gap, sets) for gap in level_gaps(sets))]


def test_a_gap_of_a_contrast_metric() -> None:
    """It counts where no gap in pass rates is found."""
    headline, more = said(widest_gap((), own_gaps(1.0, -1.0)))
    assert headline == "MODEL-A answers differently for a and for b in Sides."
    assert more.startswith("How much better the first fares: +1.00")
    assert (
        said(widest_gap((), own_gaps(0.0, 0.0)))[0] == "The one gap between groups that was tried is not significant."
    )
    assert said(widest_gap((), own_gaps(1.0, -1.0, of=2)))[0].startswith("Too few cases")
    assert said(widest_gap(level_contrasts(people("a", 60, 20)), own_gaps(1.0, -1.0)))[0].startswith("A did worse")
    assert said(contrast_finding(own_gaps(0.0, 0.0)))[0] == (
        "The one gap between versions of a case that was tried is not significant."
    )


def test_gaps_are_one_family_with_those_of_the_command() -> None:
    """Placebos are in neither, and gaps that the page does not count are named."""
    outcomes = [
        replace(contrast_outcome(value, level, f"rent_{place}", contrast=contrast), metric_id=contrast.axis)
        for contrast in (Contrast(axis="name"), Contrast(axis="kind", placebo=True))
        for place in range(12)
        for level, value in (("a", 1.0 - place / 20), ("b", -place / 20))
    ]
    (compared,) = {outcome.benchmark for outcome in outcomes}
    tests = Results.gap_tests.func(SimpleNamespace(compared={compared: by_model(outcomes)}))  # type: ignore[attr-defined]
    rows = [row for row in contrast_rows(outcomes, "overall") if row["figure"] == "gap"]
    told = [test.difference.interval for *_, test in tests]
    assert [(one.low, one.high) for one in told] == [(row["low_these"], row["high_these"]) for row in rows]
    more = said(contrast_finding(own_gaps(1.0, -1.0), uncounted="Gaps to a reference are not counted."))[1]
    assert more.endswith("It is the only gap tested. Gaps to a reference are not counted.")


def test_the_interval_of_the_widest_gap_holds_for_all_that_were_tried() -> None:
    """It was chosen by its size from three."""
    rng = np.random.default_rng(2)
    contrast = Contrast(axis="name", levels=["a", "b", "c"])
    sets = list(
        matched_sets(
            contrast_outcome(value, level, f"rent_{place}", contrast=contrast)
            for place in range(20)
            for level, value in zip("abc", (*rng.normal(0.4, 0.1, 2), 0.0), strict=True)
        )
    )
    tests = gap_tests((gap, sets) for gap in level_gaps(sets))
    widest = max(tests, key=lambda test: abs(test.gap.estimate.value))
    more = said(contrast_finding([("Sides", "model-a", test) for test in tests]))[1]
    assert widest.difference is not None

    def ends(found: Interval) -> str:
        """An end beyond 0 that rounds to it says so: the gap is significant."""
        nearly = "just above 0" if found.low > 0 else "just below 0" if found.high < 0 else "0"
        return " to ".join(nearly if abs(end) < 0.005 else f"{end:+.2f}" for end in (found.low, found.high))

    single = replace(widest.difference, test=None)
    simultaneous, alone = (f"95% interval {ends(found)}" for found in (widest.difference.interval, single.interval))
    assert simultaneous in more
    assert alone not in more


@pytest.mark.parametrize(
    ("measure", "relative", "expected"),
    [
        (Quantity(unit="US dollars a year", least=0), True, "First against second: −86%"),
        (
            Scale(points=[Point(id="a", value=1, description="A"), Point(id="b", value=5, description="B")]),
            False,
            "First minus second: −4.0 on a scale from 1 to 5",
        ),
    ],
)
def test_a_gap_is_told_in_the_unit_of_its_measure(measure: Measure, relative: bool, expected: str) -> None:
    """Per cent of an amount, points of a scale."""
    metric = Metric.model_construct(name="Sides", measure=measure, contrast=Contrast(axis="name", relative=relative))
    more = said(contrast_finding(own_gaps(-1.0, 1.0), metrics={"Sides": metric}))[1]
    assert more.startswith(expected)


def test_a_gap_of_a_contrast_metric_that_missing_values_could_undo() -> None:
    """It is said below the headline, as of a gap in pass rates."""
    outcomes = [
        contrast_outcome(value, level, f"rent_{place}")
        for place in range(40)
        for level, value in (("a", 1.0), ("b", -1.0))
    ]
    torn = [
        replace(each, value=None, score=None, status="unscored", unscored="target_error") if place >= 20 else each
        for place, each in enumerate(outcomes)
    ]
    for data, ending in (
        (torn, " of the missing verdicts went against it."),
        (outcomes, " It is the only gap tested."),
    ):
        sets = list(matched_sets(data))
        own = [("Sides", "model-a", test) for test in gap_tests((gap, sets) for gap in level_gaps(sets))]
        assert said(contrast_finding(own))[1].endswith(ending)
