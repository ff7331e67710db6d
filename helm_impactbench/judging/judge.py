"""Ask one judge one question, with at most two repeats if the answer cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.judging.answer import Unreadable
from helm_impactbench.judging.evidence import check_quotes, is_grounded
from helm_impactbench.judging.question import Question
from helm_impactbench.judging.verdict import NoVote, Vote
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.usage import Usage

T = TypeVar("T")

RETRIES = 2
"""How often an unreadable answer is requested again."""

JudgeSpeaker = Callable[[list[Message]], Reply | CallFailure]
"""Sends messages to a judge and returns its reply, or why there is none."""


@dataclass(frozen=True)
class JudgeAnswer(Generic[T]):
    """What came of a question. Without an answer, `no_vote` says why."""

    answer: T | None
    no_vote: NoVote | None = None
    problem: str = ""
    unreadable: int = 0
    """Answers that could not be read."""
    usage: Usage = field(default_factory=Usage)


def ask(judge: str, question: Question, speak: JudgeSpeaker) -> Vote:
    """Return the vote of a judge, asked until its answer can be read, RETRIES times more at most."""
    asked = ask_until_read(question.messages, question.parse, question.retry, speak, question.words)
    if asked.answer is not None:
        return _vote(judge, question, asked.answer, asked.unreadable, asked.usage)
    return Vote(
        judge=judge,
        status="no_vote",
        no_vote=asked.no_vote,
        problem=asked.problem,
        unreadable_answers=asked.unreadable,
        usage=asked.usage,
    )


def ask_until_read(
    messages: Sequence[Message],
    parse: Callable[[str], T | Unreadable],
    retry: Callable[[str], str],
    speak: JudgeSpeaker,
    words: Callable[[Reply], str] = lambda reply: reply.text,
) -> JudgeAnswer[T]:
    """Return the answer to `messages` that `parse` can read, asked for RETRIES times more at most.

    `retry` makes of the problem of an unreadable reply what the judge is told about it; `words` takes from a reply what
    is to be read.
    """
    said, usage, problem = list(messages), Usage(), ""
    for attempt in range(1 + RETRIES):
        reply = speak(said)
        usage += reply.usage
        if isinstance(reply, CallFailure):
            return JudgeAnswer(None, NoVote.ERROR, reply.reason, attempt, usage)
        text = words(reply)
        answer = parse(text)
        if not isinstance(answer, Unreadable):
            return JudgeAnswer(answer, unreadable=attempt, usage=usage)
        problem = answer.problem if text else reply.why_empty
        repeat = Message("user", retry(problem))
        said = [*said, Message("assistant", text.strip() or "(nothing)"), repeat]
    return JudgeAnswer(None, NoVote.UNPARSABLE, problem, 1 + RETRIES, usage)


def _vote(judge: str, question: Question, answer: ParsedAnswer, unreadable: int, usage: Usage) -> Vote:
    quotes = check_quotes(answer.evidence, question.turns, question.speaker)
    oriented = question.oriented(answer)
    return Vote(
        judge=judge,
        status=oriented.status,
        answer=oriented.answer,
        value=oriented.value,
        severity=oriented.severity,
        confidence=answer.confidence,
        engaged=answer.engaged,
        justification=answer.justification,
        evidence=quotes,
        grounded=is_grounded(quotes, needed=question.needs_evidence(answer)),
        unreadable_answers=unreadable,
        usage=usage,
    )
