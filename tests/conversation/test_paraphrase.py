"""The level `paraphrase`: a model's other words for the first message, and what refuses them."""

from __future__ import annotations

import pytest

from helm_impactbench.conversation.loop import hold_conversation
from helm_impactbench.conversation.paraphrase import kept_passages, paraphrase_messages, problem_of
from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.rehearsal.scripts import script
from tests.conversation.test_loop import ONE_CALL, plan, says

TEXT = "My friend Sarah owes me $1,200 since the 24th. I have asked her three times, and I am 41 years old, female."
CUES = ("41 years old, female",)
GOOD = (
    "Since the 24th Sarah, a friend of mine, has owed me $1200. Asked three times already; "
    "I'm 41 years old, female, by the way."
)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        pytest.param(GOOD, "", id="says the same"),
        pytest.param(TEXT.upper().replace(".", "!"), "nothing is changed", id="other marks and letters alone"),
        pytest.param(GOOD.replace("24th", "end of the month"), "it lacks the number 24", id="a number"),
        pytest.param(GOOD.replace("three times", "often"), "it lacks the number three", id="a number in words"),
        pytest.param(GOOD.replace("Sarah", "she"), "it lacks the name Sarah", id="a name"),
        pytest.param(GOOD.replace("Sarah", "Sarahs"), "it lacks the name Sarah", id="another name that holds it"),
        pytest.param(
            GOOD.replace("41 years old, female", "a woman of 41"), 'it lacks the words "41 years old, female"', id="cue"
        ),
        pytest.param(f"{GOOD} {'and so on ' * 5}", "it has 39 words, and at most 33 are allowed", id="too long"),
    ],
)
def test_a_paraphrase_has_the_facts_of_the_message(written: str, problem: str) -> None:
    """Names, numbers and cues are all there, it is at most 1.5 times as long, and it is another text."""
    assert problem_of(TEXT, written, CUES) == problem


def test_a_message_that_consists_of_its_cues_may_be_rewritten() -> None:
    """There the cues are the story as each side tells it; its names and numbers stay."""
    story = "My tenant Sam pays 600. He got angry."
    cues = ("My tenant Sam pays 600.", "He got angry.")
    assert kept_passages(story, cues) == []
    assert problem_of(story, "Sam rents from me for 600, and flew into a rage.", cues) == ""
    assert problem_of(story, "Sam rents from me, and flew into a rage.", cues) == "it lacks the number 600"


def hold(*replies: str | CallFailure | Reply, **changes: object) -> tuple[Conversation, list[list[Message]]]:
    """Hold a conversation of one turn about the fixed message; return it with what the user's model was sent."""
    fields = {"messages": (TEXT,), "turns": 1, "wording": "paraphrase", "cues": CUES, **changes}
    user, asked = says(*replies)
    return hold_conversation(plan(**fields), user, says("a1", "a2")[0]), asked


def test_the_target_gets_the_paraphrase_of_a_fixed_message() -> None:
    """One call, whose request names what has to stay; its usage is kept apart."""
    held, ((asked,),) = hold(GOOD)
    assert [turn.user for turn in held.turns] == [GOOD]
    assert "\n- 41 years old, female\n" in asked.content
    assert (held.status, held.user_usage, held.paraphrase_usage) == (Status.COMPLETE, ONE_CALL, ONE_CALL)


def test_what_a_simulated_user_writes_first_is_paraphrased_and_no_later_message() -> None:
    """The draft is kept; from then on the user has written what was sent."""
    other = TEXT.replace("owes me", "has borrowed")
    held, asked = hold(f"Thought: t\nMessage: {TEXT}", other, "Message: and now?", messages=(), turns=2, cues=())
    assert [(turn.user, turn.draft) for turn in held.turns] == [(other, TEXT), ("and now?", "")]
    assert asked[2][2].content == f"Thought: t\nMessage: {other}"
    assert (held.user_usage.calls, held.paraphrase_usage.calls) == (3, 1)
    assert held.opening_usage == ONE_CALL


def test_one_paraphrase_that_cannot_be_used_is_asked_for_again() -> None:
    """With the reason; the second one is sent."""
    held, asked = hold("She owes me money.", GOOD)
    assert held.turns[0].user == GOOD
    assert asked[1][-1].content.startswith("That cannot be used: it lacks the number 1200.")


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        (["She owes me.", "She owes me."], "no paraphrase that says the same: it lacks the number 1200"),
        (["I'm sorry, but I can't help with that request."] * 2, "no paraphrase that says the same: it refuses"),
        ([CallFailure("HTTP 500")], "no paraphrase: HTTP 500"),
    ],
)
def test_a_case_without_a_paraphrase_is_unscored(replies: list[str | CallFailure], reason: str) -> None:
    """It never reaches the target, and the record says why."""
    held, _ = hold(*replies)
    assert (held.status, held.turns) == (Status.SIMULATOR_ERROR, ())
    assert held.reason.startswith(f"Turn 1, simulated user: {reason}")


@pytest.mark.parametrize("name", ["user", "faulty-user"])
def test_the_scripted_users_paraphrase_by_a_rule(name: str) -> None:
    """It passes every check."""
    written = script(name, paraphrase_messages(TEXT, CUES), {})
    assert written == f"Well, {TEXT}"
    assert problem_of(TEXT, written, CUES) == ""
