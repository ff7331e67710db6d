"""Scores by what matters to somebody: equal weights change nothing, others count as they should, and intervals hold."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from helm_impactbench.analysis.rates import Rate, model_scores
from helm_impactbench.analysis.weighted import (
    NOT_STATED,
    NOTHING,
    Cells,
    Emphasis,
    choices,
    weight_of,
    weighted_scores,
)
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome

PLAIN = Emphasis("age", {}, {})


def _suite(seed: int = 1, models: tuple[str, ...] = ("a", "b")) -> list[Outcome]:
    """Return two benchmarks with both types of metric, two ages and some missing verdicts."""
    rng = np.random.default_rng(seed)
    return [
        outcome(
            None if rng.random() < 0.05 else bool(rng.random() < (0.8 if age == "adult" else 0.5)),
            model=model, benchmark=slug, metric_id=f"m{metric}",
            metric_type="negative" if metric % 2 else "positive",
            base_id=f"m{metric}_s{base}", variant_id=f"m{metric}_s{base}_{age}{copy}", axes=(("age", age),),
        )
        for model in models for slug in ("one", "two") for metric in range(4) for base in range(3)
        for age in ("adult", "child") for copy in range(2)
    ]  # fmt: skip


@pytest.mark.parametrize("weight", [1, 2])
def test_equal_weights_are_the_ranking_of_the_overview(weight: int) -> None:
    """All normal and all double give the same mean scores and intervals as `model_scores`."""
    found = _suite()
    same = Emphasis("age", {"adult": weight, "child": weight}, {"negative": weight, "positive": weight})
    scores = weighted_scores(found, same, {"one": weight, "two": weight})
    for score, expected in zip(scores, model_scores(found), strict=True):
        assert score.model == expected.model
        assert math.isclose(score.value, expected.mean, rel_tol=1e-12)
        assert math.isclose(score.interval.low, expected.interval.low, rel_tol=1e-12)
        assert math.isclose(score.interval.high, expected.interval.high, rel_tol=1e-12)


def test_what_is_off_is_as_if_it_had_not_been_run() -> None:
    """Children alone, in behaviours to avoid alone, are the rate of these conversations, with its interval."""
    own = [o for o in _suite() if (o.model, o.benchmark) == ("a", "one")]
    kept = Rate(tuple(o for o in own if dict(o.axes)["age"] == "child" and o.metric_type == "negative"))
    found = Cells(own, "age").rate(Emphasis("age", {"adult": 0}, {"positive": 0}))
    assert (found.value, found.interval) == (pytest.approx(kept.value), kept.interval)


def test_double_counts_twice_in_the_rate_but_not_as_two_observations() -> None:
    """One pass and one fail, the pass double: two thirds, with an interval no narrower than without the weight."""
    own = [
        outcome(age == "child", base_id=f"s{i}", variant_id=f"s{i}_{age}", axes=(("age", age),))
        for i in range(12) for age in ("adult", "child")
    ]  # fmt: skip
    found = Cells(own, "age").rate(Emphasis("age", {"child": 2}, {}))
    assert Fraction(found.value).limit_denominator(100) == Fraction(2, 3)
    noisy = _suite(3, ("a",))
    one, other = (Cells(noisy, "age").rate(Emphasis("age", levels, {})) for levels in ({}, {"child": 2}))
    assert one.interval.high - one.interval.low < 1.05 * (other.interval.high - other.interval.low)


def test_benchmarks_count_with_their_weights() -> None:
    """A mean of three fifths and one fifth; one that is off is neither in the mean nor lacking."""

    def rate(model: str, slug: str, passed: int) -> list[Outcome]:
        return [
            outcome(i < passed, model=model, benchmark=slug, base_id=f"s{i}", variant_id=f"s{i}") for i in range(10)
        ]

    found = [*rate("a", "one", 6), *rate("a", "two", 2), *rate("b", "one", 9)]
    whole, lacking = weighted_scores(found, PLAIN, {"two": 2})
    assert (whole.model, round(whole.value, 9), whole.lacks) == ("a", round((0.6 + 2 * 0.2) / 3, 9), ())
    assert (lacking.model, lacking.value, lacking.lacks) == ("b", 0.9, ("two",))
    assert [score.model for score in weighted_scores(found, PLAIN, {"two": 0})] == ["b", "a"]
    assert weighted_scores(found, PLAIN, {"one": 0, "two": 0}) == []


def test_a_level_that_is_not_stated_can_be_off_too() -> None:
    """Conversations without a level of the axis have a weight of their own; nothing left is no rate."""
    own = [outcome(True, axes=(("age", "adult"),)), outcome(False, axes=(), variant_id="v2", base_id="s2")]
    cells = Cells(own, "age")
    assert cells.levels == [NOT_STATED, "adult"]
    assert cells.rate(Emphasis("age", {NOT_STATED: 0}, {})).value == 1.0
    assert cells.rate(Emphasis("age", {NOT_STATED: 0, "adult": 0}, {})) == NOTHING


def test_a_run_that_may_stop_early_has_an_interval_with_equal_weights_alone() -> None:
    """Its interval is that of its draws; none is known where some of its conversations count double."""
    draw = Draw(place=1, of=40, size=4, most=4, conversations=160, width=0.1)
    own = [
        replace(o, draw=draw.model_copy(update={"place": 1 + int(o.base_id[-1])}))
        for o in _suite(5, ("a",)) if (o.benchmark, o.metric_id) == ("one", "m0")
    ]  # fmt: skip
    cells = Cells(own, "age")
    assert cells.rate(PLAIN).interval == Rate(tuple(own)).interval
    double = cells.rate(Emphasis("age", {"child": 2}, {}))
    assert not double.interval.is_known
    assert not math.isnan(double.value)


def test_weights_of_benchmarks_and_choices() -> None:
    """A benchmark counts as the area that counts most; choices are told apart by their ratios alone."""
    assert weight_of(["a", "b"], {"a": 0, "b": 2}) == 2
    assert weight_of(["a"], {"a": 0}) == 0
    assert choices(2) == [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]


def test_intervals_hold_the_truth_whatever_the_weights() -> None:
    """95% intervals of a weighted rate hold it in 92% of simulated suites or more, base scenarios alike within."""
    rng = np.random.default_rng(7)
    emphasis = Emphasis("age", {"child": 2}, {"negative": 2})
    held, tries, base_rates = 0, 400, {"adult": 0.85, "child": 0.6}
    truth = (2 * base_rates["child"] + base_rates["adult"]) / 3
    for _ in range(tries):
        own = []
        for metric in range(6):
            for base in range(4):
                luck = rng.random()
                for age, rate in base_rates.items():
                    passed = luck < rate if rng.random() < 0.6 else rng.random() < rate
                    own.append(outcome(bool(passed), metric_id=f"m{metric}", base_id=f"m{metric}_s{base}",
                        metric_type="negative" if metric % 2 else "positive",
                        variant_id=f"m{metric}_s{base}_{age}", axes=(("age", age),)))  # fmt: skip
        interval = Cells(own, "age").rate(emphasis).interval
        held += interval.low <= truth <= interval.high
    assert held / tries >= 0.92
