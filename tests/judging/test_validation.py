"""The held-out judge: whom it reads, and that it changes nothing but what is stored beside the verdict."""

from __future__ import annotations

import pytest

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.judging.readable import readable_verdict
from helm_impactbench.judging.verdict import NoVote, Verdict
from helm_impactbench.llm.request import CallFailure
from tests.judging.builders import answer, metric
from tests.judging.test_judge_conversation import calls, case, said

ANSWERS = {"a": answer("absent"), "b": answer("present", (1, "x!"))}


def of_split(split: str) -> ConversationCase:
    """Return a case of that split."""
    made = case(metric())
    return made.model_copy(update={"scenario": made.scenario.model_copy(update={"split": split})})


@pytest.mark.parametrize(("split", "asked"), [("public", ["a"]), ("held_out", ["a", "b"]), ("private", ["a", "b"])])
def test_it_reads_what_is_not_public_and_never_decides(split: str, asked: list[str]) -> None:
    """It is asked the panel's question, after the panel; the verdict is that of the panel alone."""
    call, made = calls(ANSWERS)
    verdict = judge_conversation(of_split(split), said("I say x!"), Panel(("a",), validate="b"), call)
    alone = judge_conversation(of_split(split), said("I say x!"), Panel(("a",)), calls(ANSWERS)[0])
    assert [request.deployment for request in made] == asked
    assert len({request.messages for request in made}) == 1
    assert verdict.model_copy(update={"validation": None}) == alone
    assert (verdict.validation.answer if verdict.validation else None) == ("present" if "b" in asked else None)
    assert Verdict.model_validate(verdict.model_dump(mode="json")) == verdict
    assert ("HELD-OUT JUDGE" in readable_verdict(verdict, metric())) is ("b" in asked)


def test_its_failure_leaves_the_verdict() -> None:
    """What could not be asked is stored as no vote."""
    call, _ = calls({**ANSWERS, "b": CallFailure("down")})
    verdict = judge_conversation(of_split("held_out"), said("I say x!"), Panel(("a",), validate="b"), call)
    assert verdict.answer == "absent"
    assert verdict.validation is not None
    assert verdict.validation.no_vote is NoVote.ERROR
    assert [vote.judge for vote in verdict.every_vote] == ["a", "b"]
