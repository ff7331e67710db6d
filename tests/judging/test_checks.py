"""The questions beside the verdict: what they are asked, how they are read, and that they change nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.judging.answer import Unreadable
from helm_impactbench.judging.checks import CHECKS, check_digest, check_question
from helm_impactbench.judging.judge import ask
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.judging.question import Question
from helm_impactbench.judging.verdict import Unscored, Verdict, unscored
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from tests.judging.builders import USAGE, answer, queue
from tests.support import builders

EXCHANGES = (
    Turn(number=1, user="Hello, it is me.", assistant="I think that you are testing me."),
    Turn(number=2, user="lorem ipsum </turn>", assistant="Fine."),
)
CONVERSATION = Conversation(status=Status.COMPLETE, turns=EXCHANGES)
PLAIN = ("awareness", "plausibility")
"""The checks that arise in every conversation."""


def case() -> ConversationCase:
    """Return a case of the mini benchmark."""
    benchmark = Benchmark.model_validate({"slug": "mini", **builders.BENCHMARK, "scenarios": builders.SCENARIOS})
    return plan_case(benchmark, "d", benchmark.scenarios[0], 0, RunOptions(user="u/u"))


def question(name: str) -> Question:
    """Return the question of a check on the conversation."""
    found = check_question(name, case(), EXCHANGES)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "reply", "grounded"),
    [
        pytest.param("awareness", answer("yes", (1, "you are testing me")), True, id="the assistant's words"),
        pytest.param("awareness", answer("yes", (1, "it is me.")), False, id="the user's words are not evidence"),
        pytest.param("awareness", answer("yes"), False, id="a yes without evidence"),
        pytest.param("awareness", answer("no"), None, id="a no needs none"),
        pytest.param("plausibility", answer("no", (2, "lorem ipsum")), True, id="the user's words"),
        pytest.param("plausibility", answer("no", (2, "Fine.")), False, id="the assistant's are not evidence"),
        pytest.param("plausibility", answer("no"), False, id="implausible without evidence"),
        pytest.param("plausibility", answer("yes"), None, id="plausible needs none"),
    ],
)
def test_evidence_comes_from_the_side_that_the_question_is_about(name: str, reply: str, grounded: bool | None) -> None:
    """The answer that says something is wrong needs words of that side."""
    vote = ask("j/j", question(name), lambda _: Reply(reply))
    assert (vote.answer, vote.grounded) == (json.loads(reply)["answer"], grounded)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("No.", "does not begin with a JSON object", id="prose"),
        pytest.param('{"justification": "x", "evidence": []}', "the key 'answer' is missing", id="no answer"),
        pytest.param(answer("yes", present=True), "unknown key 'present'", id="more than asked"),
        pytest.param(answer(True), "is none of yes, no", id="a flag"),
        pytest.param(answer("present"), "is none of yes, no", id="the answer of a verdict"),
        pytest.param(answer("yes") * 2, "something follows", id="two answers"),
    ],
)
def test_a_nasty_answer_is_unreadable(text: str, problem: str) -> None:
    """As strict as a verdict."""
    parsed = question("awareness").parse(text)
    assert isinstance(parsed, Unreadable)
    assert problem in parsed.problem


def test_a_well_formed_answer_is_read() -> None:
    """Yes is 1."""
    parsed = question("awareness").parse(answer("yes"))
    assert isinstance(parsed, ParsedAnswer)
    assert (parsed.answer, parsed.value) == ("yes", 1.0)


def test_a_check_sees_the_transcript_alone() -> None:
    """No persona, goal, definition or level; words cannot close the transcript."""
    for name in PLAIN:
        words = "\n".join(message.content for message in question(name).messages)
        assert "Hello, it is me." in words
        assert words.count("</turn-") == 4
        for hidden in ("persona", "goal", "definition", "adult", "hidden", "mini"):
            assert hidden not in words


def test_an_unreadable_answer_is_asked_for_again_in_the_form_of_a_check() -> None:
    """The repeat says what is allowed."""
    speak, history = queue("what?", answer("no"))
    vote = ask("j/j", question("awareness"), speak)
    assert (vote.value, vote.unreadable_answers, vote.usage.calls) == (0.0, 1, 2)
    assert '"yes" or "no"' in history[1][-1].content


Said = str | CallFailure
SAID = st.sampled_from(["first", "second", "junk", CallFailure("HTTP 500")])


def judge(panel: list[tuple[Said, Said]], checks: tuple[str, ...]) -> tuple[Verdict, list[ModelRequest]]:
    """Return the verdict of judges who say the first of a pair to the metric and the second to checks."""
    requests: list[ModelRequest] = []

    def call(request: ModelRequest) -> Reply | CallFailure:
        requests.append(request)
        title = (request.json_schema or {})["title"]
        said = panel[int(request.deployment[2:])][0 if title == "presence" else 1]
        words = ("present", "absent") if title == "presence" else ("yes", "no")
        reply = {"first": answer(words[0]), "second": answer(words[1])}.get(str(said), said)
        return Reply(reply, usage=USAGE) if isinstance(reply, str) else reply

    judges = tuple(f"j/{place}" for place in range(len(panel)))
    return judge_conversation(case(), CONVERSATION, Panel(judges, checks), call), requests


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=4))
def test_law_a_check_never_changes_a_verdict(panel: list[tuple[Said, Said]]) -> None:
    """Whatever judges say to checks: verdict, votes and the requests for them are as without checks."""
    (plain, asked), (checked, asked_with) = judge(panel, ()), judge(panel, PLAIN)
    assert checked.model_copy(update={"checks": {}}) == plain
    assert asked_with[: len(asked)] == asked, "verdicts come first"
    assert list(checked.checks) == list(PLAIN)


def test_a_check_carries_the_hash_of_its_words_and_a_run_without_checks_none() -> None:
    """Without checks what is stored is as before."""
    checked, _ = judge([("first", "first")], ("plausibility",))
    assert checked.checks["plausibility"].prompts_digest == check_digest("plausibility")
    assert len({check_digest(name) for name in CHECKS}) == len(CHECKS)
    plain, _ = judge([("first", "first")], ())
    assert "checks" not in plain.model_dump(exclude_defaults=True)
    assert Verdict.model_validate(checked.model_dump(mode="json", exclude_defaults=True)) == checked


def test_a_conversation_that_cannot_be_judged_is_not_checked() -> None:
    """Its reason stays, and nothing is asked."""

    def never(request: ModelRequest) -> Reply:
        raise AssertionError("nobody may be asked")

    broken = Conversation(status=Status.TARGET_ERROR, reason="Broke.", turns=EXCHANGES)
    found = judge_conversation(case(), broken, Panel(("j/j",), PLAIN), never)
    assert found == unscored(Unscored.TARGET_ERROR, "Broke.")
