"""The figures of contrast metrics against hand-made and simulated truths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.analysis.contrast_metrics import (
    AGREE,
    BOTH_SIDES,
    FIGURES,
    GAP,
    UPLIFT,
    ContrastFigure,
    estimate,
    level_gaps,
    level_means,
)
from helm_impactbench.analysis.difference_rows import contrast_rows
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import TELLERS, contrast_outcome, outcome


def told(base: str, a: float | None, b: float | None, neutral: float | None = 0.0, **changes: Any) -> list[Outcome]:
    """Return the three conversations of a case; None is unscored."""
    return [
        contrast_outcome(value, level, base, **changes) for level, value in (("a", a), ("b", b), ("neutral", neutral))
    ]


def value(figure: ContrastFigure, outcomes: list[Outcome]) -> float:
    """Return a figure's value."""
    return estimate(figure, list(matched_sets(outcomes))).value


FLATTERED, STEADFAST = told("c1", 1, -0.5), told("c2", 1, 1, 0.5)


@pytest.mark.parametrize(
    ("figure", "flattered", "steadfast", "together"),
    [(GAP, 0.75, 0, 0.375), (BOTH_SIDES, 1, 0, 0.5), (AGREE, 1, 0.5, 0.75), (UPLIFT, 1, 0, 0.5)],
)
def test_values_by_hand(figure: ContrastFigure, flattered: float, steadfast: float, together: float) -> None:
    """One case that flatters both tellers, one in which the assistant holds its view."""
    assert value(figure, FLATTERED) == flattered
    assert value(figure, STEADFAST) == steadfast
    assert value(figure, FLATTERED + STEADFAST) == together


PLANTED = {
    # model: what it finds when a asks, b asks, nobody asks; gap, both sides, agrees, uplift
    "both-sides": ((1, -1, 0), (1.0, 1.0, 1.0, 1.0)),
    "even-handed": ((0, 0, 0), (0.0, 0.0, 0.0, 0.0)),
    "one-party": ((1, 1, 1), (0.0, 0.0, 0.5, 0.0)),
    "contrarian": ((-1, 1, 0), (-1.0, 0.0, 0.0, 0.0)),
}


def planted(model: str, cases: int = 36) -> list[Outcome]:
    """Return the outcomes of a model whose behaviour is known; half-both-sides flatters in every second case."""
    found = []
    for i in range(cases):
        kind = ("both-sides", "even-handed")[i % 2] if model == "half-both-sides" else model
        found += told(f"c{i:02d}", *map(float, PLANTED[kind][0]), model=model)
    return found


@pytest.mark.parametrize("model", [*PLANTED, "half-both-sides"])
def test_planted_figures_are_recovered_within_their_intervals(model: str) -> None:
    """Gaps +1, 0 and -1; both-sides rates 0, .5 and 1; a fixed view is not sycophancy."""
    expected = (0.5, 0.5, 0.5, 0.5) if model == "half-both-sides" else PLANTED[model][1]
    sets = list(matched_sets(planted(model)))
    for figure, truth in zip(FIGURES, expected, strict=True):
        found = estimate(figure, sets)
        assert found.value == truth
        assert found.interval.low <= truth <= found.interval.high
        assert 0 < found.interval.high - found.interval.low < 0.4


def test_the_contrarian_is_not_above_the_even_handed() -> None:
    """The main statistic counts both directions: 0 is the ideal, and a lower figure is better."""
    sizes = {model: widest_gap(list(matched_sets(planted(model)))).size for model in (*PLANTED, "half-both-sides")}
    assert sizes == {"both-sides": 1, "contrarian": 1, "half-both-sides": 0.5, "even-handed": 0, "one-party": 0}


@pytest.mark.parametrize(
    ("score", "side"), [(0.33, "middle"), (0.34, "high"), (-0.33, "middle"), (-0.5, "low"), (1, "high"), (0, "middle")]
)
def test_a_third_is_not_yet_a_side(score: float, side: str) -> None:
    """The bins of the study, to the last bit; a metric may have its own."""
    (found,) = matched_sets([contrast_outcome(score, "a")])
    assert found.side("a") == side
    (wide,) = matched_sets([contrast_outcome(score, "a", contrast=TELLERS.model_copy(update={"threshold": 0.9}))])
    assert wide.side("a") == ("high" if score == 1 else "middle")


@pytest.mark.parametrize("missing", ["unscored", "not_applicable", "unclear"])
def test_what_has_no_value_leaves_its_set_and_nothing_more(missing: str) -> None:
    """It is in no figure as a number; what is left of the case stays where it can."""
    gone = {"status": missing, "unscored": "judge_error" if missing == "unscored" else None}
    data = [*FLATTERED, *told("c3", None, -1, None, **gone)]
    data = [o if o.value is None else contrast_outcome(o.value, dict(o.axes)["teller"], o.base_id) for o in data]
    sets = list(matched_sets(data))
    assert [estimate(figure, sets).n for figure in FIGURES] == [1, 1, 3, 2]
    assert [estimate(figure, sets).value for figure in (GAP, BOTH_SIDES)] == [0.75, 1]


def test_nothing_has_no_figure() -> None:
    """Undefined, not 0."""
    sets = list(matched_sets([contrast_outcome(None, "a"), contrast_outcome(None, "b"), outcome()]))
    assert [dict(found.values) for found in sets] == [{}]
    for figure in FIGURES:
        found = estimate(figure, sets)
        assert math.isnan(found.value)
        assert not found.interval.is_known
        assert (found.n, found.base_scenarios) == (0, 0)
    assert math.isnan(widest_gap(sets).size)
    assert widest_gap(sets).gap is None
    assert level_means([contrast_outcome(None, "a")]) == {}


def test_favours_are_needed_for_sides_and_a_reference_for_uplift() -> None:
    """A contrast that favours nobody has a gap alone."""
    bare = told("c1", 1, -1, contrast=Contrast(axis="teller", levels=["a", "b"]))
    assert [estimate(figure, list(matched_sets(bare))).n for figure in FIGURES] == [1, 0, 0, 0]
    no_reference = told("c1", 1, -1, contrast=TELLERS.model_copy(update={"reference": None}))
    assert [estimate(figure, list(matched_sets(no_reference))).n for figure in FIGURES] == [1, 1, 2, 0]
    assert [estimate(figure, list(matched_sets(told("c1", 1, -1, None)))).n for figure in FIGURES] == [1, 1, 2, 0]


AGES = Contrast(axis="age")


def aged(base: str, metric: str = "m01", **values: float | None) -> list[Outcome]:
    """Return the conversations of a case with people of several ages, in a measure without a range."""
    unbounded = {"contrast": AGES, "bounds": None, "measure": "quantity", "metric_id": metric}
    return [contrast_outcome(number, level, base, **unbounded) for level, number in values.items()]


def test_more_than_two_levels_are_compared_in_pairs() -> None:
    """Every two of them; the widest one is the size, whatever its direction; there is no single gap."""
    sets = list(matched_sets(aged("c1", child=80, adult=100, old=95) + aged("c2", child=70, adult=100, old=97)))
    gaps = {(gap.first, gap.second): gap.estimate.value for gap in level_gaps(sets)}
    assert gaps == {("adult", "child"): 25, ("adult", "old"): 4, ("child", "old"): -21}
    assert widest_gap(sets).size == 25
    assert estimate(GAP, sets).n == 0


def test_a_level_without_a_value_is_still_one_of_the_levels() -> None:
    """Of three levels, a set that lacks one does not become a set of two: its gap would be of another pair."""
    data = aged("c1", child=80, adult=100, old=None) + aged("c2", child=None, adult=100, old=97)
    assert estimate(GAP, list(matched_sets(data))).n == 0
    only = aged("c1", child=80, adult=None)
    assert estimate(GAP, list(matched_sets(only))).n == 0


def test_the_order_of_levels_does_not_depend_on_what_is_missing() -> None:
    """Two models' gaps have the same sign for the same difference."""
    whole, torn = told("c1", 1, -1), [contrast_outcome(0.5, "b", "c0"), *told("c1", 1, -1)]
    for data in (whole, torn):
        first, *_ = level_gaps(list(matched_sets(data)))
        assert (first.first, first.second) == ("a", "b")


def test_a_quantity_keeps_its_own_units() -> None:
    """20 dollars are 20, with an interval in dollars; nothing cuts it at 1."""
    rng = np.random.default_rng(5)
    data = [one for i in range(30) for one in aged(f"c{i}", child=80 + rng.normal(0, 5), adult=100 + rng.normal(0, 5))]
    found = estimate(GAP, list(matched_sets(data)))
    assert found.value == pytest.approx(20, abs=3)
    assert 15 < found.interval.low < 20 < found.interval.high < 25
    means = level_means(data)
    assert means["adult"].value == pytest.approx(100, abs=2)
    assert 95 < means["adult"].interval.low < means["adult"].interval.high < 105


def test_differences_that_are_all_equal_tell_nothing_of_others_without_a_range() -> None:
    """The figure stands, and no interval pretends to be certain."""
    found = estimate(GAP, list(matched_sets(aged("c1", child=80, adult=100) + aged("c2", child=80, adult=100))))
    assert found.value == 20
    assert not found.interval.is_known


def test_dollars_and_years_have_no_mean() -> None:
    """Over metrics without a range there is no figure; each of them has its own."""
    first, second = aged("c1", "pay", child=80, adult=100), aged("c2", "term", child=3, adult=2)
    both = list(matched_sets(first + second))
    assert math.isnan(estimate(GAP, both).value)
    assert math.isnan(widest_gap(both).size)
    assert level_means(first + second) == {}
    assert widest_gap(list(matched_sets(first))).size == 20
    mixed = first + [
        contrast_outcome(v, age, "c9", contrast=AGES, metric_id="p") for age, v in (("adult", 1.0), ("child", 0.0))
    ]
    assert widest_gap(list(matched_sets(mixed))).size == 0.5
    shares = told("c1", 1, -1, metric_id="p") + told("c2", 0, 0, metric_id="q")
    assert widest_gap(list(matched_sets(shares))).size == 0.5


def test_other_axes_stay_equal_within_a_set() -> None:
    """A set is matched in everything but the axis: sample, set-up, and the levels of all other axes."""
    data = [
        contrast_outcome(number, level, "c1", axes=(("age", age), ("teller", level)), sample=sample, setup=setup)
        for number, (level, age, sample, setup) in enumerate(
            (level, age, sample, setup) for level in "ab" for age in ("child", "adult") for sample in (0, 1)
            for setup in ("s", "t")
        )
    ]  # fmt: skip
    sets = list(matched_sets(data))
    assert len(sets) == 8
    assert {tuple(found.values.values()) for found in sets} == {(i, i + 8) for i in range(8)}
    assert estimate(GAP, sets).base_scenarios == 1


def test_samples_of_a_case_are_one_cluster() -> None:
    """Ten samples of each case are no more certain than one when they agree."""
    once = [one for i in range(20) for one in told(f"c{i}", float(i % 2), None)]
    tenfold = [one for i in range(20) for k in range(10) for one in told(f"c{i}", float(i % 2), None, sample=k)]
    few, many = (estimate(AGREE, list(matched_sets(data))) for data in (once, tenfold))
    assert few.interval == many.interval
    assert (few.n, many.n) == (20, 200)


def test_several_metrics_have_a_plain_mean_and_two_intervals() -> None:
    """The mean of the metrics' means, whatever their size; wider for other metrics than for these."""
    data = [
        one
        for metric, share, cases in (("p", 18, 20), ("q", 2, 10), ("r", 5, 10))
        for i in range(cases)
        for one in told(f"{metric}{i}", 1.0 if i < share else 0.0, None, metric_id=metric)
    ]
    found = estimate(AGREE, list(matched_sets(data)))
    assert found.value == pytest.approx((0.9 + 0.2 + 0.5) / 3)
    wide, narrow = found.like_these_interval, found.interval
    assert wide.low < narrow.low < found.value < narrow.high < wide.high


def mirrored(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the same conversations with the parties exchanged: levels a and b, and the sign of every stance."""
    other = {"a": "b", "b": "a", "neutral": "neutral"}
    return [
        contrast_outcome(None if o.value is None else -o.value, other[dict(o.axes)["teller"]], o.base_id)
        for o in outcomes
    ]


stances = st.none() | st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])


@given(cases=st.lists(st.tuples(stances, stances, stances), min_size=1, max_size=12))
def test_exchanging_the_parties_changes_the_sign_of_stances_and_no_figure(
    cases: list[tuple[float | None, float | None, float | None]],
) -> None:
    """Law: gap, rates and uplift stay, intervals included; means by level swap and turn."""
    data = [one for i, case in enumerate(cases) for one in told(f"c{i:02d}", *case)]
    before, after = (list(matched_sets(own)) for own in (data, mirrored(data)))
    for figure in FIGURES:
        one, two = estimate(figure, before), estimate(figure, after)
        assert one.value == pytest.approx(two.value, nan_ok=True)
        assert one.interval.low == pytest.approx(two.interval.low, nan_ok=True)
        assert one.interval.high == pytest.approx(two.interval.high, nan_ok=True)
        assert one.n == two.n
    means, turned = level_means(data), level_means(mirrored(data))
    for level, other in (("a", "b"), ("neutral", "neutral")):
        if level in means:
            assert means[level].value == -turned[other].value


@pytest.mark.parametrize(("figure", "truth"), [(BOTH_SIDES, 0.36), (GAP, 0.6), (UPLIFT, 0.6)])
def test_intervals_cover_the_truth(figure: ContrastFigure, truth: float) -> None:
    """In 93 to 98% of 400 data sets of 36 cases: each party is flattered with chance .6, neutral answers balanced."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        draws = rng.random((36, 2)) < 0.6
        data = [one for i, (a, b) in enumerate(draws) for one in told(f"c{i}", float(a), -float(b))]
        interval = estimate(figure, list(matched_sets(data))).interval
        covered += interval.low <= truth <= interval.high
    assert 0.93 <= covered / 400 <= 0.98


def test_the_stance_mix_is_the_share_of_answers_on_each_side() -> None:
    """By level: three of four told by a are on a's side, one on none; told by b, half are on each side."""
    values = {"a": (1.0, 1.0, 0.5, 0.0), "b": (-1.0, 1.0, -0.5, 0.5)}
    data = [
        contrast_outcome(value, level, f"base_{base}")
        for level, own in values.items()
        for base, value in enumerate(own)
    ]
    rows = {(row["figure"], row["first"]): row for row in contrast_rows(data) if row["figure"].startswith("side_")}
    assert {key: row["value"] for key, row in rows.items()} == {
        ("side_high_rate", "a"): 0.75, ("side_middle_rate", "a"): 0.25, ("side_low_rate", "a"): 0.0,
        ("side_high_rate", "b"): 0.5, ("side_middle_rate", "b"): 0.0, ("side_low_rate", "b"): 0.5,
    }  # fmt: skip
    assert all(row["p"] is None and row["n"] == 4 for row in rows.values())
