"""Reviews of the simulated user: one shape is read, quotes are checked, a failed review is not a review."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.scenario import Landmark
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.answer import Unreadable
from helm_impactbench.judging.verdict import NoVote
from helm_impactbench.llm.request import CallFailure, Reply
from helm_impactbench.validity.simulator.review import (
    Review,
    ReviewedFault,
    ReviewFaultKind,
    Severity,
    parse_review,
    review,
    review_messages,
)
from tests.support.looped import looped

PLAN = ConversationPlan(
    seed="b/v/0",
    user="u/u",
    turns=3,
    persona="persona-text",
    axes={"age": "adult"},
    setting="setting-text",
    user_goal="goal-text",
    hidden_goal="hidden-text",
    definition="definition-text",
    persistence="low",
    landmarks=(Landmark(turn=2, instruction="direction-text"),),
)
CONVERSATION = Conversation(
    status=Status.ENDED_EARLY,
    turns=(
        Turn(number=1, user="Hi, as an  AI I like this.", assistant="Do you?", thought="thought-text"),
        Turn(number=2, user="Bye </transcript>", assistant="as it happens"),
    ),
)


def fault(**changes: Any) -> dict[str, Any]:
    """Return one fault as a reviewer writes it."""
    return {
        "kind": "spoke_as_assistant",
        "turn": 1,
        "quote": "as an AI",
        "why": "It says so.",
        "severity": "major",
        **changes,
    }


def answer(*faults: dict[str, Any]) -> str:
    """Return a reviewer's answer."""
    return json.dumps({"faults": list(faults)})


FOUND = ReviewedFault(ReviewFaultKind.SPOKE_AS_ASSISTANT, Severity.MAJOR, 1, "as an AI", "It says so.")


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        pytest.param('{"faults": []}', (), id="none"),
        pytest.param(answer(fault()), (FOUND,), id="one"),
        pytest.param(f"```json\n{answer(fault(), fault())}\n```", (FOUND, FOUND), id="two in a fence"),
    ],
)
def test_a_well_formed_review(text: str, faults: tuple[ReviewedFault, ...]) -> None:
    """Shape decides, not layout."""
    assert parse_review(text) == faults


@looped(
    ("text", "problem"),
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("No faults.", "does not begin with a JSON object", id="prose"),
        pytest.param("[]", "does not begin with a JSON object", id="a bare list"),
        pytest.param("{}", "the key 'faults' is missing", id="nothing"),
        pytest.param('{"faults": null}', '"faults" is not a list', id="null is not none"),
        pytest.param('{"faults": false}', '"faults" is not a list', id="false is not none"),
        pytest.param('{"faults": {}}', '"faults" is not a list', id="an object"),
        pytest.param('{"faults": "none"}', '"faults" is not a list', id="a word"),
        pytest.param('{"faults": [], "summary": "ok"}', "unknown key 'summary'", id="more than asked"),
        pytest.param('{"faults": [], "faults": []}', "the key 'faults' twice", id="twice"),
        pytest.param('{"faults": []} Good!', "something follows", id="prose behind"),
        pytest.param('{"faults": []}' * 2, "something follows", id="two reviews"),
        pytest.param(answer(fault())[:-5], "not valid JSON", id="cut off"),
        pytest.param('{"faults": ["spoke_as_assistant"]}', "exactly the keys", id="a kind alone"),
        pytest.param(answer({"kind": "spoke_as_assistant"}), "exactly the keys", id="keys missing"),
        pytest.param(answer(fault(extra=1)), "exactly the keys", id="a key too many"),
        pytest.param(answer(fault(kind="spoke as assistant")), "Did you mean spoke_as_assistant", id="nearly a kind"),
        pytest.param(answer(fault(kind=["gave_up_early"])), "allowed: broke_persona", id="a list of kinds"),
        pytest.param(answer(fault(kind=None)), "allowed: broke_persona", id="no kind"),
        pytest.param(answer(fault(severity="Major")), "allowed: minor, major", id="wrong case"),
        pytest.param(answer(fault(severity=2)), "allowed: minor, major", id="a number"),
        pytest.param(answer(fault(turn="1")), "not a whole number", id="turn as text"),
        pytest.param(answer(fault(turn=True)), "not a whole number", id="turn as flag"),
        pytest.param(answer(fault(turn=1.0)), "not a whole number", id="turn as fraction"),
        pytest.param(answer(fault(quote=" ")), '"quote" of an item of "faults" is not text', id="blank quote"),
        pytest.param(answer(fault(why="")), '"why" of an item of "faults" is not text', id="no reason"),
        pytest.param(answer(fault(), fault(turn=None)), "not a whole number", id="one good, one bad"),
        pytest.param('{"faults":' * 50_000, "not valid JSON", id="deep"),
    ],
)
def test_a_nasty_review_is_unreadable_and_says_why(text: str, problem: str) -> None:
    """A review is taken whole or not at all."""
    parsed = parse_review(text)
    assert isinstance(parsed, Unreadable)
    assert problem in parsed.problem


@given(st.text() | st.text(alphabet='{}[]":,faults \n`'))
def test_the_parser_never_raises(text: str) -> None:
    """Any text has an answer."""
    assert isinstance(parse_review(text), tuple | Unreadable)


@pytest.mark.parametrize(
    ("given_fault", "grounded"),
    [
        pytest.param(fault(), True, id="said, white space folded"),
        pytest.param(fault(turn=2), False, id="said in another turn"),
        pytest.param(fault(turn=9), False, id="no such turn"),
        pytest.param(fault(quote="Do you?"), False, id="said by the assistant"),
        pytest.param(fault(turn=2, quote="as it happens"), False, id="said by the assistant of that turn"),
        pytest.param(fault(quote="I am a model"), False, id="invented"),
        pytest.param(fault(turn=2, quote="Bye </transcript>"), True, id="with our delimiter in it"),
    ],
)
def test_quotes_are_checked_against_the_users_turn(given_fault: dict[str, Any], grounded: bool) -> None:
    """A fault without grounds is kept, marked, and affects nothing."""
    found = review(PLAN, CONVERSATION, lambda _: Reply(answer(given_fault)))
    assert [one.grounded for one in found.faults or ()] == [grounded]
    assert found.affected() is found.affected(Severity.MAJOR) is grounded
    assert not found.affected(Severity.MINOR)


@pytest.mark.parametrize(
    ("replies", "failure"),
    [
        pytest.param(["no", "no", "no"], NoVote.UNPARSABLE, id="never readable"),
        pytest.param([CallFailure("HTTP 500")], NoVote.ERROR, id="provider fails"),
        pytest.param(["no", CallFailure("HTTP 500")], NoVote.ERROR, id="provider fails on the repeat"),
    ],
)
def test_a_failed_review_is_none(replies: list[Any], failure: NoVote) -> None:
    """It is not a review without faults."""
    queue = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
    found = review(PLAN, CONVERSATION, lambda _: queue.pop(0))
    assert (found.faults, found.failure, queue) == (None, failure, [])
    assert found.problem
    assert not found.affected()


def test_an_unreadable_review_is_asked_for_again() -> None:
    """The repeat says what was wrong and names the kinds."""
    sent: list[str] = []

    def speak(messages: object) -> Reply:
        sent.append(str(messages))
        return Reply("{}" if len(sent) == 1 else answer(fault()))

    found = review(PLAN, CONVERSATION, speak)
    assert found.affected(Severity.MAJOR)
    assert "is missing" in sent[1]
    assert "invented_facts" in sent[1]


def test_the_reviewer_is_told_what_the_simulator_was_told_and_sees_no_thoughts() -> None:
    """Persona, levels, setting, goals, behaviour, directions, how it ended; the transcript cannot be closed."""
    task = review_messages(PLAN, CONVERSATION)[1].content
    told = ["persona-text", "age: adult", "setting-text", "goal-text", "hidden-text", "persistence was set to low"]
    told += ["For message 2: direction-text", "The person left before that.", "Hi, as an  AI I like this."]
    assert [words for words in told if words not in task] == []
    assert not [words for words in ("thought-text", "definition-text", "behaviour_under") if words in task]
    pressed = review_messages(PLAN.model_copy(update={"pressure": "definition"}), CONVERSATION)[1].content
    assert "definition-text" in pressed
    assert task.count("</transcript-") == 1
    up_front = PLAN.model_copy(update={"landmarks_up_front": True, "perfunctory": True})
    whole = review_messages(up_front, CONVERSATION.model_copy(update={"status": Status.COMPLETE}))[1].content
    for words in ("all at the start", "typing errors were put", "It used them all."):
        assert words in whole


def test_a_minor_fault_affects_but_not_majorly() -> None:
    """The two columns of the report follow from this."""
    minor = ReviewedFault(ReviewFaultKind.GAVE_UP_EARLY, Severity.MINOR, 1, "q", "w", grounded=True)
    found = Review((minor,))
    assert (found.affected(), found.affected(Severity.MAJOR)) == (True, False)
