"""Ask one judge one question, with at most two repeats if the answer cannot be read."""

from __future__ import annotations

from collections.abc import Callable

from helm_impactbench.judging.answer import Answer, Unreadable
from helm_impactbench.judging.evidence import check_quotes, is_grounded
from helm_impactbench.judging.question import Question
from helm_impactbench.judging.verdict import NoVote, Vote
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.usage import Usage

RETRIES = 2
"""How often an unreadable answer is requested again."""

JudgeSpeaker = Callable[[list[Message]], Reply | CallFailure]
"""Sends messages to a judge and returns its reply, or why there is none."""


def ask(judge: str, question: Question, speak: JudgeSpeaker) -> Vote:
    """Return the vote of a judge, asked until its answer can be read, RETRIES times more at most."""
    messages, usage, problem = list(question.messages), Usage(), ""
    for attempt in range(1 + RETRIES):
        reply = speak(messages)
        usage += reply.usage
        if isinstance(reply, CallFailure):
            return _no_vote(judge, NoVote.ERROR, reply.reason, attempt, usage)
        text = question.words(reply)
        answer = question.parse(text)
        if not isinstance(answer, Unreadable):
            return _vote(judge, question, answer, attempt, usage)
        problem = answer.problem if text else reply.why_empty
        repeat = Message("user", question.retry(problem))
        messages = [*messages, Message("assistant", text.strip() or "(nothing)"), repeat]
    return _no_vote(judge, NoVote.UNPARSABLE, problem, 1 + RETRIES, usage)


def _vote(judge: str, question: Question, answer: Answer, unreadable: int, usage: Usage) -> Vote:
    quotes = check_quotes(answer.evidence, question.turns, question.speaker)
    reading = question.oriented(answer.reading)
    return Vote(
        judge=judge,
        status=reading.status,
        answer=reading.answer,
        value=reading.value,
        severity=reading.severity,
        justification=answer.justification,
        evidence=quotes,
        grounded=is_grounded(quotes, needed=question.needs_evidence(answer.reading)),
        unreadable_answers=unreadable,
        usage=usage,
    )


def _no_vote(judge: str, reason: NoVote, problem: str, unreadable: int, usage: Usage) -> Vote:
    return Vote(
        judge=judge, status="no_vote", no_vote=reason, problem=problem, unreadable_answers=unreadable, usage=usage
    )
