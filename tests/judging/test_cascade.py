"""A cascade: who is asked, who decides, and what the record says of it."""

from __future__ import annotations

import pytest

from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.judging.readable import readable_verdict
from helm_impactbench.judging.verdict import Unscored, Verdict
from helm_impactbench.llm.request import CallFailure
from tests.judging.builders import answer, metric
from tests.judging.test_judge_conversation import calls, case, said

STRONG = answer("present", (1, "x!"), confidence=60)


def judged(small: str | CallFailure, strong: str | CallFailure = STRONG) -> tuple[Verdict, list[str]]:
    """Return the verdict of a cascade at .8, and who was asked."""
    call, made = calls({"small": small, "strong": strong})
    verdict = judge_conversation(case(metric()), said("I say x!"), Panel(("small", "strong"), cascade=0.8), call)
    assert verdict.cascade == 0.8
    assert [vote.judge for vote in verdict.votes] == [request.deployment for request in made]
    return verdict, [request.deployment for request in made]


@pytest.mark.parametrize(
    ("small", "asked", "decided"),
    [
        pytest.param(answer("absent", confidence=80), ["small"], "absent", id="as sure as the threshold"),
        pytest.param(answer("absent", confidence=79), ["small", "strong"], "present", id="less sure"),
        pytest.param(answer("absent"), ["small", "strong"], "present", id="says no confidence"),
        pytest.param(answer("unclear", confidence=99), ["small", "strong"], "present", id="unclear, however sure"),
        pytest.param(CallFailure("down"), ["small", "strong"], "present", id="no vote"),
    ],
)
def test_the_next_judge_is_asked_only_in_doubt_and_the_last_one_decides(
    small: str | CallFailure, asked: list[str], decided: str
) -> None:
    """The last judge decides however sure it is; votes that are not there were not asked for."""
    verdict, made = judged(small)
    assert (made, verdict.answer) == (asked, decided)
    assert Verdict.model_validate(verdict.model_dump(mode="json")) == verdict
    assert "one less than 80% sure passes the question on" in readable_verdict(verdict, metric())


def test_a_last_judge_without_a_vote_leaves_no_verdict() -> None:
    """An unsure answer does not come back because the judge that was to decide failed."""
    verdict, _ = judged(answer("absent", confidence=10), CallFailure("down"))
    assert verdict.unscored is Unscored.JUDGE_ERROR


def test_checks_are_asked_in_the_same_way() -> None:
    """The second judge is asked only where the first is unsure of the check, and decides it."""
    call, made = calls({"small": answer("no", confidence=50), "strong": answer("yes", (1, "x!"), confidence=50)})
    panel = Panel(("small", "strong"), ("awareness",), cascade=0.8)
    verdict = judge_conversation(case(metric()), said("I say x!"), panel, call)
    check = verdict.checks["awareness"]
    assert (check.answer, [vote.judge for vote in check.votes]) == (True, ["small", "strong"])
    assert {request.deployment for request in made} == {"small", "strong"}
