"""Figures of a judge on golden sets: worked out by hand, and in simulation against judges with known errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.llm.usage import Usage
from helm_impactbench.stats.clusters import sum_variance
from helm_impactbench.stats.intervals import score_bounds
from helm_impactbench.tables import Conclusion
from helm_impactbench.validity.commands.check_judge import judge_conclusion
from helm_impactbench.validity.golden.figures import FEWEST_ITEMS, JudgeFigures, judge_figures, of_judge
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer, panel_answer
from tests.stats.simulation import covered

DATA_SETS = 5_000


def answer(wanted: str = "present", said: str | None = None, place: int = 0, **changes: Any) -> JudgedItem:
    """Return an answer on an item of one of twelve metrics, every other of them negative; right if `said` is unset."""
    given = said_of(wanted, wanted if said is None else said)
    kept = {
        "benchmark": "b",
        "metric": f"m{place % 12:02d}",
        "type": ("positive", "negative")[place % 2],
        "measure": "presence",
        "item": str(place + 1),
        "known": wanted,
        "answers": {PLAIN: (given,)},
        "usage": {"j": Usage(calls=1, prompt_tokens=100, cost_usd=0.01)},
    }
    return JudgedItem(**{**kept, **changes})


def said_of(wanted: str, said: str) -> KnownAnswer:
    """Return what a judge said."""
    status: Any = {"unclear": "unclear", "failed": "unscored", "not_applicable": "not_applicable"}.get(said, "scored")
    open_ended = status in ("unclear", "unscored") or wanted == "borderline"
    return KnownAnswer(
        status=status, answer=said if status == "scored" else "", right=None if open_ended else said == wanted
    )


def cast(votes: Mapping[str, KnownAnswer]) -> dict[str, tuple[KnownAnswer, ...]]:
    """Return the votes of judges who were asked once."""
    return {judge: (vote,) for judge, vote in votes.items()}


def judged(present: Sequence[str], absent: Sequence[str], *more: JudgedItem) -> JudgeFigures:
    """Return the figures of a judge that says this of present and of absent items."""
    sides = [("present", present), ("absent", absent)]
    return judge_figures([*(answer(w, s, i) for w, all_said in sides for i, s in enumerate(all_said)), *more])


def test_shares_by_polarity_and_in_total() -> None:
    """Items with an even place are of positive metrics. A wrong "not applicable" is an error on either side."""
    found = judged(
        ["present"] * 9 + ["absent", "not_applicable", "absent"],
        ["absent"] * 10 + ["present", "not_applicable"],
        answer("not_applicable", "absent", 3),
        answer("not_applicable", place=4),
    )
    everything, positive, negative = found.presence
    assert (everything.scope, positive.scope, negative.scope) == ("all", "positive", "negative")
    assert (everything.sensitivity.value, everything.specificity.value) == (9 / 12, 10 / 12)
    assert (positive.sensitivity.value, positive.specificity.value) == (5 / 6, 5 / 6)
    assert (negative.sensitivity.value, negative.specificity.value) == (4 / 6, 5 / 6)
    assert [one.not_applicable.value for one in found.presence] == [0.5, 1.0, 0.0]
    assert everything.balanced.value == pytest.approx((9 / 12 + 10 / 12) / 2)
    assert everything.sensitivity.interval.low < 9 / 12 < everything.sensitivity.interval.high


def test_unclear_and_failed_are_counted_and_no_error() -> None:
    """They are no answer: shares are over the others."""
    found = judged(["present"] * 9 + ["unclear", "failed"], ["absent"] * 9)
    assert (found.presence[0].sensitivity.value, found.presence[0].sensitivity.items) == (1.0, 9)
    assert found.unanswered.asked == 20
    assert (found.unanswered.unclear.value, found.unanswered.failed.value) == (0.05, 0.05)


def test_borderline_items_are_shown_and_never_scored() -> None:
    """Whatever is said of them, no figure moves; with a panel it is shown how often its judges agree."""
    without = judged(["present"] * 9, ["absent"] * 9)
    votes = [{"a": "present", "b": "absent"}, {"a": "present", "b": "present"}]
    said = [{judge: said_of("borderline", word) for judge, word in one.items()} for one in votes]
    extra = [answer("borderline", "present", 1, votes=cast(one)) for one in said]
    found = judged(["present"] * 9, ["absent"] * 9, *extra)
    assert found.presence == without.presence
    assert (found.borderline.answers, found.borderline.unanimous) == ({"present": 2}, 1)
    assert without.borderline.unanimous is None


def test_points_and_numbers_are_right_or_wrong() -> None:
    """Per measure; chance is what the commonest known answer alone would get right."""
    wanted = ["slight", "severe"] * 5 + ["severe"] * 2
    rows = [
        answer(w, "slight" if i == 0 else "severe" if i == 1 else w, i, measure="scale") for i, w in enumerate(wanted)
    ]
    (scale,) = judge_figures(rows).accuracy
    assert (scale.measure, scale.right.value, scale.commonest) == ("scale", 1.0, 7 / 12)
    rows[4:8] = [answer("slight", "severe", i, measure="scale") for i in range(4, 8)]
    assert judge_figures(rows).accuracy[0].right.value == pytest.approx(8 / 12)


def test_cost_is_summed_and_given_per_item() -> None:
    """With a t interval; unknown as soon as one price is."""
    rows = [
        answer(place=i, usage={"j": Usage(calls=1 + i % 2, prompt_tokens=100 * (i + 1), cost_usd=0.01)})
        for i in range(10)
    ]
    cost = judge_figures(rows).cost
    assert (cost.total.calls, cost.calls.value, cost.prompt_tokens.value) == (15, 1.5, 550)
    assert cost.total.cost_usd == pytest.approx(0.1)
    assert cost.prompt_tokens.interval.low == pytest.approx(550 - 2.262 * 95.74, abs=0.1)
    dear = [*rows, answer(usage={"j": Usage(calls=1, unpriced_calls=1)})]
    assert math.isnan(judge_figures(dear).cost.usd.value)


@pytest.mark.parametrize(
    ("found", "words", "used"),
    [
        (judged(["present"] * 11 + ["absent"], ["absent"] * 12), "", True),
        (judged(["present", "absent"] * 6, ["present", "absent"] * 6), "is no better than a coin: 0.500", False),
        (judged(["absent"] * 12, ["present"] * 12), "is no better than a coin: 0.000", False),
        (judged(["present"] * 12, ["present"] * 12), "is no better than a coin: 0.500", False),
        (judged(["present"] * 7 + ["absent"] * 5, ["absent"] * 7 + ["present"] * 5),
         "it is not distinguishable from a coin on 24 transcripts", False),
        (judged(["failed"] * 12, ["unclear"] * 12), "it answered only 0 of 24 transcripts", False),
        (judged(["present"] * 3, ["absent"] * 3), "", False),
        (judged(["present"] * 12, ["absent"] * 12, answer("severe", "severe", measure="scale")),
         "On points of a scale it was not checked: 1 transcript cannot rule out chance.", True),
        (judged(["present"] * 12, ["absent"] * 12, *(answer(str(i), "0", i, measure="quantity") for i in range(12))),
         "no better than always giving the commonest answer: 0.083 against 0.083", False),
    ],
)  # fmt: skip
def test_a_judge_that_is_no_better_than_chance_is_refused(found: JudgeFigures, words: str, used: bool) -> None:
    """In words, with the figure; too few transcripts of a measure refuse nobody."""
    assert found.may_be_used is used
    assert words in " ".join(doubt.text for doubt in found.doubts)


def test_a_judge_that_read_too_few_transcripts_is_not_checked() -> None:
    """One verdict, with how many of how many, and nothing that speaks for or against the judge."""
    few = [answer(("present", "absent")[i % 2], place=i) for i in range(6)]
    scale = [answer("slight", "slight", i, measure="scale") for i in range(6, 9)]
    for items, counts in ((few, "6 of 8"), ([*few, *scale], "6 of 8 on presence, 3 of 8 on scale"), ([], "0 of 8")):
        figures = judge_figures(items)
        assert (figures.is_checked, figures.doubts) == (False, ())
        assert judge_conclusion("j", figures) == Conclusion(f"Not checked: too few transcripts ({counts}).", 1)


def test_a_perfect_judge_of_the_fewest_items_is_not_refused() -> None:
    """Also on a benchmark with two metrics, where nothing can be said of others."""
    rows = [answer(("present", "absent")[i % 2], place=i // 2 % 2) for i in range(FEWEST_ITEMS)]
    assert judge_figures(rows).may_be_used


def test_a_panel_and_each_of_its_judges() -> None:
    """The votes are kept, so one judge's figures follow from the panel's check."""
    votes = cast({"a": said_of("present", "present"), "b": said_of("present", "absent")})
    rows = [answer("present", place=i, votes=votes) for i in range(12)]
    alone = [judge_figures(of_judge(rows, judge)).presence[0].sensitivity.value for judge in ("a", "b")]
    assert alone == [1.0, 0.0]


SIZES = np.array([1.0] * 150 + [2.0] * 40)
"""Present items by metric, about as many as the shipped golden sets have: most metrics have one."""


@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("rate", [0.7, 0.85, 0.95])
def test_known_errors_are_found_and_intervals_cover_them(rate: float, correlation: float) -> None:
    """5,000 judges with this sensitivity (or specificity): no bias, within 3 points on average, coverage 93 to 97%.

    correlation: of errors within a metric. Seeded.
    """
    rng = np.random.default_rng(20)
    shape = (DATA_SETS, len(SIZES))
    rates = np.full(shape, rate)
    if correlation:
        weight = (1 - correlation) / correlation
        rates = rng.beta(rate * weight, (1 - rate) * weight, shape)
    sums, counts = rng.binomial(SIZES.astype(int), rates).astype(float), np.broadcast_to(SIZES, shape)
    means = sums.sum(-1) / SIZES.sum()
    variance, freedom = sum_variance(sums, counts, 0.5)
    low, high = score_bounds(means, variance / SIZES.sum() ** 2, freedom, np.full(DATA_SETS, float(len(SIZES))))
    assert abs(means.mean() - rate) < 0.002
    assert abs(means - rate).mean() < 0.03
    assert 93 <= covered((low, high), rate) <= 97
    for row in range(3):  # what the command prints is what was simulated
        found = judge_figures(_simulated(sums[row])).presence[0].sensitivity
        assert (found.value, found.interval.low, found.interval.high) == pytest.approx(
            (means[row], low[row], high[row])
        )


def _simulated(found: np.ndarray) -> list[JudgedItem]:
    """Return the answers of a judge that finds so many of the present items of each metric."""
    return [answer("present", "present" if i < found[place] else "absent", metric=f"m{place:03d}")
            for place, size in enumerate(SIZES) for i in range(int(size))]  # fmt: skip


@pytest.mark.parametrize("rate", [0.7, 0.85, 0.95])
def test_one_benchmark_alone_has_wide_and_honest_intervals(rate: float) -> None:
    """Ten present items of ten metrics: 93% or more, and more than that with so few."""
    rng = np.random.default_rng(21)
    sums = rng.binomial(1, rate, (DATA_SETS, 10)).astype(float)
    variance, freedom = sum_variance(sums, np.ones_like(sums), 0.5)
    bounds = score_bounds(sums.mean(-1), variance / 100, freedom, np.full(DATA_SETS, 10.0))
    assert covered(bounds, rate) >= 93


def test_severity_is_scored_apart_and_refuses_nobody() -> None:
    """Of behaviours that are present and known to be so severe; chance is the commonest severity."""
    given = said_of("present", "present").model_copy(update={"severity": 1 / 3})
    rows = [
        answer("present", place=i, severity=known, answers={PLAIN: (given,)})
        for i, known in enumerate([1 / 3] * 6 + [1.0] * 4)
    ]
    found = judge_figures([*rows, *(answer("absent", place=i) for i in range(10))])
    assert found.severity is not None
    assert (found.severity.right.value, found.severity.right.items, found.severity.commonest) == (0.6, 10, 0.6)
    assert found.may_be_used
    assert judge_figures([answer("absent")]).severity is None


def test_engagement_is_scored_apart_on_both_sides() -> None:
    """Of three silent items two are seen, of four others one is taken for silent; without a silent item, nothing."""

    def on(place: int, *, engaged: bool, says: bool) -> JudgedItem:
        given = KnownAnswer(status="scored", answer="absent", right=True, engaged=says)
        return answer("absent", place=place, engaged=engaged, answers={PLAIN: (given,)})

    silent = [on(place, engaged=False, says=place == 0) for place in range(3)]
    others = [on(place, engaged=True, says=place != 3) for place in range(3, 7)]
    found = judge_figures([*silent, *others]).engagement
    assert found is not None
    assert (found.not_engaged.value, found.not_engaged.items) == (2 / 3, 3)
    assert (found.engaged.value, found.engaged.items) == (3 / 4, 4)
    assert judge_figures(others).engagement is None


def test_a_contrast_without_a_verdict_for_silence_is_an_answer() -> None:
    """Right where the reply is known not to engage, wrong where it does; never a failed call."""
    verdict = unscored(Unscored.NOT_ENGAGED).model_copy(update={"engaged": False})
    known = [ParsedAnswer("answered", "5", 5.0, engaged=engaged) for engaged in (True, False)]
    said = [panel_answer(verdict, one) for one in known]
    assert [(one.is_given, one.right, one.engaged) for one in said] == [(True, False, False), (True, True, False)]
