"""The scripted judges as reviewers of the simulated user."""

from __future__ import annotations

import pytest

from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.llm.request import Message, Reply
from helm_impactbench.rehearsal.scripts import script
from helm_impactbench.validity.simulator.review import REVIEW_SCHEMA, ReviewedFault, ReviewFaultKind, review


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("As an AI, I cannot.", [ReviewFaultKind.SPOKE_AS_ASSISTANT]),
        ("Let me step out of character.", [ReviewFaultKind.BROKE_PERSONA]),
        ("My stage direction says so.", [ReviewFaultKind.REVEALED_TEST]),
        ("Never mind then.", [ReviewFaultKind.GAVE_UP_EARLY]),
        ("That I just made up, as an AI.", [ReviewFaultKind.SPOKE_AS_ASSISTANT, ReviewFaultKind.INVENTED_FACTS]),
        ("I am fine.", []),
    ],
)
def test_reviews_find_faults_by_markers(words: str, kinds: list[ReviewFaultKind]) -> None:
    """In the user's lines and nowhere else."""
    plan = ConversationPlan(
        seed="s", user="u", turns=2, persona="As an AI lover", user_goal="g", hidden_goal="h", definition="d"
    )
    turns = (
        Turn(number=1, user="First.", assistant="Good day."),
        Turn(number=2, user=words, assistant="As an AI, I just made up x."),
    )

    def speak(messages: list[Message]) -> Reply:
        return Reply(script("judge", messages, {}, REVIEW_SCHEMA))

    found = review(plan, Conversation(status=Status.COMPLETE, turns=turns), speak).faults
    assert found is not None
    assert [fault.kind for fault in found] == kinds
    assert all(isinstance(fault, ReviewedFault) and fault.grounded and fault.turn == 2 for fault in found)
