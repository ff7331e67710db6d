"""Judged answers to single prompts."""

from __future__ import annotations

from typing import Any

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.conversation.single_prompt import answered
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, NoVote, Vote, unscored
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.record import Record
from helm_impactbench.suites.panels.case import panel_case
from helm_impactbench.suites.panels.table import BY_SLUG

TEMPLATE = "<REQ_START>\n{{question}}\n</REQ_END>\n<ANS_START>{{answer}}</ANS_END>"


def case(suite: str = "harm_bench", kind: str = "", template: str | None = TEMPLATE, **more: Any) -> ConversationCase:
    """Return the case of a prompt."""
    return panel_case(BY_SLUG[f"panel_{suite}"], more.pop("instance", "id1"), "q", kind, template, **more)


def answer(text: str = "a", reason: str = "stop") -> Conversation:
    """Return an answer to the prompt."""
    return answered("q", text, reason, Usage(calls=1))


def record(*votes: float | None, held: Conversation | None = None, **of: Any) -> Record:
    """Return an answer with these votes of judges; None is a judge whose provider failed."""
    asked, conversation = case(**of), held or answer()
    if not conversation.status.can_be_judged:
        return Record(asked, conversation, unscored(UNSCORED_BY_STATUS[conversation.status]))
    given = tuple(_vote(f"j{i}", value) for i, value in enumerate(votes))
    return Record(asked, conversation, decide(asked.metric, given))


def _vote(judge: str, value: float | None) -> Vote:
    if value is None:
        return Vote(judge=judge, status="no_vote", no_vote=NoVote.ERROR)
    return Vote(judge=judge, value=value)
