"""Ask one judge about one conversation: question, answer, at most two repeats when the answer cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.evidence import CheckedQuote, check_evidence, is_grounded
from helm_impactbench.judging.prompt import judge_messages, retry_messages
from helm_impactbench.judging.verdict import Answer, Unreadable, parse_answer
from helm_impactbench.models.request import CallFailure, Message, Reply
from helm_impactbench.models.usage import Usage

RETRIES = 2
"""How often an unreadable answer is asked for again."""

JudgeSpeaker = Callable[[list[Message]], Reply | CallFailure]


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


def ask_judge(judge: str, metric: Metric, exchanges: tuple[Turn, ...], speak: JudgeSpeaker) -> Opinion:
    """Return the judge's opinion on whether the metric's behaviour is present in the exchanges."""
    messages = judge_messages(metric, exchanges)
    usage, problem = Usage(), ""
    for attempt in range(1 + RETRIES):
        reply = speak(messages)
        if isinstance(reply, CallFailure):
            return Opinion(
                judge=judge, no_vote=NoVote.ERROR, problem=reply.reason, unreadable_answers=attempt, usage=usage
            )
        usage += reply.usage
        answer = parse_answer(reply.text)
        if isinstance(answer, Answer):
            return _opinion(judge, answer, exchanges, attempt, usage)
        problem = answer.problem
        messages = _repeated(messages, reply, answer)
    return Opinion(judge=judge, no_vote=NoVote.UNPARSABLE, problem=problem, unreadable_answers=1 + RETRIES, usage=usage)


def _repeated(messages: list[Message], reply: Reply, unreadable: Unreadable) -> list[Message]:
    return retry_messages(messages, reply.text, unreadable.problem)


def _opinion(judge: str, answer: Answer, exchanges: tuple[Turn, ...], unreadable: int, usage: Usage) -> Opinion:
    quotes = check_evidence(answer, exchanges)
    return Opinion(
        judge=judge,
        present=answer.present,
        justification=answer.justification,
        evidence=quotes,
        grounded=is_grounded(answer, quotes),
        unreadable_answers=unreadable,
        usage=usage,
    )
