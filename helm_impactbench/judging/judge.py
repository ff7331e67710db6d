"""Ask one judge about one conversation: question, answer, at most two repeats when the answer cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.evidence import CheckedQuote, check_quotes, is_grounded
from helm_impactbench.judging.prompt import judge_messages, judge_prompts
from helm_impactbench.judging.verdict import Answer, Unreadable, parse_answer
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.usage import Usage
from helm_impactbench.prompts import Prompt

RETRIES = 2
"""How often an unreadable answer is asked for again."""

JudgeSpeaker = Callable[[list[Message]], Reply | CallFailure]

A = TypeVar("A")


class NoVote(str, Enum):
    """Why a judge has no vote."""

    ERROR = "judge_error"
    """The provider gave no answer."""
    UNPARSABLE = "judge_unparsable"
    """It answered three times, never readably."""


class Opinion(BaseModel):
    """What one judge said of one conversation. Without a vote, `present` is None and `no_vote` says why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: str
    """Model deployment."""
    present: bool | None = None
    """Whether the behaviour is present; in the opinion on a check, whether the answer is yes."""
    no_vote: NoVote | None = None
    problem: str = ""
    """What was wrong, when there is no vote."""
    justification: str = ""
    evidence: tuple[CheckedQuote, ...] = ()
    grounded: bool | None = None
    """Whether the quotes stand in the transcript; None where none was needed."""
    unreadable_answers: int = 0
    """Answers that had to be asked for again."""
    usage: Usage = Usage()


@dataclass(frozen=True)
class Asked(Generic[A]):
    """A readable answer, or why there is none, and what it took."""

    answer: A | None
    no_vote: NoVote | None
    """None when there is an answer."""
    problem: str
    unreadable_answers: int
    usage: Usage


def ask(
    messages: list[Message], retry: Prompt, speak: JudgeSpeaker, parse: Callable[[str], A | Unreadable]
) -> Asked[A]:
    """Send a question until its answer can be read, RETRIES times more at most.

    `retry` is filled with the `problem` of an unreadable answer and sent after it.
    """
    usage, problem = Usage(), ""
    for attempt in range(1 + RETRIES):
        reply = speak(messages)
        usage += reply.usage
        if isinstance(reply, CallFailure):
            return Asked(None, NoVote.ERROR, reply.reason, attempt, usage)
        answer = parse(reply.text)
        if not isinstance(answer, Unreadable):
            return Asked(answer, None, "", attempt, usage)
        problem = answer.problem if reply.text else reply.why_empty
        messages = _repeated(messages, reply.text, retry.fill(problem=problem))
    return Asked(None, NoVote.UNPARSABLE, problem, 1 + RETRIES, usage)


def ask_judge(judge: str, metric: Metric, exchanges: tuple[Turn, ...], speak: JudgeSpeaker) -> Opinion:
    """Return the judge's opinion on whether the metric's behaviour is present in the exchanges."""
    asked = ask(judge_messages(metric, exchanges), judge_prompts()["retry"], speak, parse_answer)
    if asked.answer is None:
        return no_opinion(judge, asked)
    quotes = check_quotes(asked.answer.evidence, exchanges)
    return opinion(judge, asked, asked.answer, quotes, evidence_needed=asked.answer.present)


def opinion(
    judge: str, asked: Asked[Answer], answer: Answer, quotes: tuple[CheckedQuote, ...], *, evidence_needed: bool
) -> Opinion:
    """Return an answer as the judge's opinion."""
    return Opinion(
        judge=judge,
        present=answer.present,
        justification=answer.justification,
        evidence=quotes,
        grounded=is_grounded(quotes, needed=evidence_needed),
        unreadable_answers=asked.unreadable_answers,
        usage=asked.usage,
    )


def no_opinion(judge: str, asked: Asked[Answer]) -> Opinion:
    """Return the opinion of a judge that gave no readable answer."""
    return Opinion(
        judge=judge,
        no_vote=asked.no_vote,
        problem=asked.problem,
        unreadable_answers=asked.unreadable_answers,
        usage=asked.usage,
    )


def _repeated(messages: list[Message], answer: str, request: str) -> list[Message]:
    return [*messages, Message("assistant", answer.strip() or "(nothing)"), Message("user", request)]
