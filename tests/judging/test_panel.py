"""The panel's one rule, for every measure: a camp decides whether there is an answer, the measure which."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.judging.panel import decide, decide_check
from helm_impactbench.judging.verdict import NoVote, Unscored, Verdict, Vote
from tests.judging.builders import MEASURES, metric
from tests.support.looped import looped

STATUSES = {"n/a": "not_applicable", "?": "unclear"}


def votes(*values: float | str | None) -> tuple[Vote, ...]:
    """Return votes: numbers are answers, "n/a" and "?" are statuses, None is a judge without a vote."""
    found = []
    for i, value in enumerate(values):
        given: dict[str, Any] = {"status": "answered", "value": value, "answer": f"answer {value}"}
        if value is None:
            given = {"status": "no_vote", "no_vote": NoVote.UNPARSABLE}
        elif isinstance(value, str):
            given = {"status": STATUSES[value]}
        found.append(Vote(judge=f"j{i}", **given))
    return tuple(found)


def outcome(verdict: Verdict) -> float | str | None:
    """Return a verdict's value, else its reason, else its status."""
    return verdict.value if verdict.value is not None else verdict.unscored or verdict.status


TIE, FEW = Unscored.PANEL_TIE, Unscored.PANEL_TOO_FEW_VOTES
PRESENCE = [
    pytest.param([1], 1, id="one judge, present"),
    pytest.param([0], 0, id="one judge, absent"),
    pytest.param([None], Unscored.JUDGE_UNPARSABLE, id="one judge without a vote"),
    pytest.param(["?"], "unclear", id="one judge in doubt"),
    pytest.param(["n/a"], "not_applicable", id="one judge, not applicable"),
    pytest.param([1, 1, 0], 1, id="majority"),
    pytest.param([1, 1, None], 1, id="two valid votes agree"),
    pytest.param([1, 0, None], TIE, id="two valid votes differ"),
    pytest.param([1, 0], TIE, id="tie"),
    pytest.param([1, None, None], FEW, id="one valid vote of three"),
    pytest.param([1, None], FEW, id="one valid vote of two"),
    pytest.param(["n/a", None], FEW, id="one valid vote of two, not applicable"),
    pytest.param([None, None, None], FEW, id="none"),
    pytest.param([0, 0, 0, 1, None], 0, id="three against one"),
    pytest.param(["n/a", "n/a", 1], "not_applicable", id="most say that it does not arise"),
    pytest.param(["?", "?", 0], "unclear", id="most are in doubt"),
    pytest.param(["?", 0, 0], 0, id="one in doubt, two agree"),
    pytest.param(["?", 1, 0], TIE, id="one in doubt, two differ"),
    pytest.param(["?", "n/a"], TIE, id="camps of one"),
    pytest.param(["n/a", 1], TIE, id="whether it arises is tied"),
    pytest.param(["n/a", "n/a", 1, 1], TIE, id="camps of two"),
    pytest.param(["?", "n/a", 1], TIE, id="three camps"),
    pytest.param(["?", "n/a", 1, 1], 1, id="the largest camp of three"),
    pytest.param(["n/a", "n/a", 1, 0, 1], 1, id="answers are one camp, however they differ"),
]


@looped(("given", "expected"), PRESENCE)
def test_the_panels_rule(given: list[Any], expected: float | str) -> None:
    """Two valid votes at least; the largest camp; then the majority of its answers; ties unscored."""
    verdict = decide(metric(), votes(*given))
    assert outcome(verdict) == expected
    assert verdict.score == (None if verdict.value is None else 1 - verdict.value)
    assert verdict.votes == votes(*given)


@looped("name", ["scale", "quantity", "stance"])
@looped(
    ("given", "expected"),
    [
        pytest.param([1], 1, id="one judge"),
        pytest.param([0, 1], 0.5, id="two judges meet halfway"),
        pytest.param([0, 0, 1], 0, id="median of three"),
        pytest.param([0, 1, None], 0.5, id="a failed judge withholds its vote"),
        pytest.param([1, None], FEW, id="and never lowers the bar"),
        pytest.param(["n/a", "n/a", 1], "not_applicable", id="not applicable"),
        pytest.param([1, "?"], TIE, id="answer or doubt"),
    ],
)
def test_measures_with_distances_take_the_median(name: str, given: list[Any], expected: float | str) -> None:
    """The same camps; values have a middle, so that they do not tie."""
    assert outcome(decide(metric(name), votes(*given))) == expected


@pytest.mark.parametrize("present", [1.0, 0.0])
def test_the_type_turns_the_score_and_nothing_else(present: float) -> None:
    """Law 1 at its root."""
    negative, positive = (decide(metric(type=kind), votes(present)) for kind in ("negative", "positive"))
    assert positive.score == present
    assert negative.model_copy(update={"score": positive.score}) == positive
    assert negative.score == 1 - present


@pytest.mark.parametrize(("value", "score"), [(0, 0), (1, 0.5), (2, 1)])
def test_a_point_between_the_ends_has_a_score_between(value: float, score: float) -> None:
    """Of a scale from 0 to 2, by share of the range; turned round for the other type."""
    assert decide(metric("scale", type="positive"), votes(value)).score == score
    assert decide(metric("scale", type="negative"), votes(value)).score == 1 - score


@pytest.mark.parametrize("value", [-1, 0, 1])
def test_no_value_of_a_contrast_is_good_or_bad(value: float) -> None:
    """It is scored and has no score: nothing can average it with pass rates."""
    verdict = decide(metric("stance"), votes(value))
    assert (verdict.status, verdict.value, verdict.score) == ("scored", value, None)


def severity(*weights: float | None) -> float | None:
    """Return the panel's severity from judges who find x present with a severity, or absent (None)."""
    given = tuple(
        Vote(judge=f"j{i}", answer="present" if w else "absent", value=float(w is not None), severity=w)
        for i, w in enumerate(weights)
    )
    return decide(metric("severity"), given).severity


def test_the_panels_severity_is_the_median_of_those_who_find_it() -> None:
    """Of a behaviour that the panel finds absent there is none."""
    assert severity(1 / 3, 1.0, 2 / 3) == pytest.approx(2 / 3)
    assert severity(1 / 3, 1.0, None) == pytest.approx(2 / 3)
    assert severity(1.0, None, None) is None


def test_the_panels_answer_is_a_judges_own_words_where_there_are_any() -> None:
    """Else the value as the measure shows it."""
    assert decide(metric("scale"), votes(2, 2, 0)).answer == "answer 2"
    assert decide(metric("scale"), votes(0, 1)).answer == "0.5"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([1], True, id="yes"),
        pytest.param([0], False, id="no"),
        pytest.param([1, 1, 0], True, id="majority"),
        pytest.param([1, 0], TIE, id="tie"),
        pytest.param([1, None], FEW, id="too few"),
        pytest.param([None], Unscored.JUDGE_UNPARSABLE, id="none"),
    ],
)
def test_checks_are_decided_by_majority(given: list[Any], expected: bool | Unscored) -> None:
    """The same bar as for verdicts."""
    found = decide_check(votes(*given))
    assert (found.answer if found.undecided is None else found.undecided) == expected
    assert (found.answer is None) == (found.undecided is not None)


def allowed(own: Metric) -> st.SearchStrategy[float | str | None]:
    """Return votes that a metric's judges can cast."""
    low, high = own.measure.bounds or (0.0, 1000.0)
    numbers = st.sampled_from([0.0, 1.0]) if own.measure.kind == "presence" else st.floats(low, high)
    return st.none() | st.sampled_from(list(STATUSES)) | numbers


@pytest.mark.parametrize("name", MEASURES)
@given(data=st.data())
def test_any_votes_give_one_verdict_in_any_order(name: str, data: st.DataObject) -> None:
    """Law 4 and 5: a value lies between the votes' values, and nothing depends on who was asked first."""
    own = metric(name)
    cast = data.draw(st.lists(allowed(own), min_size=1, max_size=6))
    verdict = decide(own, votes(*cast))
    again = decide(own, votes(*data.draw(st.permutations(cast))))
    assert (again.status, again.value, again.score) == (verdict.status, verdict.value, verdict.score)
    numbers = [vote for vote in cast if isinstance(vote, float)]
    if verdict.value is not None:
        assert min(numbers) <= verdict.value <= max(numbers)
        assert len(numbers) > sum(vote == "n/a" for vote in cast)
        assert verdict.score is None or 0 <= verdict.score <= 1
    if len(cast) > 1 and sum(vote is not None for vote in cast) < 2:
        assert verdict.unscored is FEW
