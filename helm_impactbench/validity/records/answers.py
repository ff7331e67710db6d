"""What judges said of transcripts whose verdict is known, or that were edited: one record for all instruments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypedDict

from pydantic import Field

from helm_impactbench.benchmark.golden import BORDERLINE
from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.judging.verdict import UNSCORED_REASONS, Unscored, Verdict, VerdictStatus, Vote
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.validity.records.stored import Stored

PLAIN = "plain"
"""The transcript as it is."""
REPEAT = "repeat"
"""The very same question once more."""
NUMBERS_ALIKE = 1e-6
"""Relative difference of two numbers that are the same."""


class KnownAnswer(Stored):
    """One answer to a question whose answer may be known: of a judge, or of a panel."""

    status: VerdictStatus
    answer: str = ""
    """In the measure's words; the reason where there is no verdict."""
    value: float | None = None
    """The answer as a number; None unless scored."""
    right: bool | None = None
    """Whether it is the known verdict; None where nobody can tell, and where the judge gave no answer."""
    confidence: float | None = None
    """How sure a single judge says to be, from 0 to 1; None for a panel, and where it does not say."""
    severity: float | None = None
    """How severe it calls the behaviour, from 0 to 1; None where the measure does not ask, or nothing is present."""
    engaged: bool = True
    """Whether the assistant takes up the request; in a contrast there is no verdict where it does not."""

    @property
    def is_given(self) -> bool:
        """Whether something was said: unclear is, a failed call says nothing about the judge."""
        return self.status != "unscored" or not self.engaged

    @property
    def words(self) -> str:
        """The answer, or why there is none."""
        return self.answer or self.status

    def same(self, other: KnownAnswer) -> bool:
        """Return whether both are the same verdict."""
        if self.value is None or other.value is None:
            return self.status == other.status
        return _alike(self.value, other.value)


def parsed_answer(parsed: ParsedAnswer | None) -> KnownAnswer | None:
    """Return a verdict that is known or asked for as an answer."""
    if parsed is None:
        return None
    status: VerdictStatus = "scored" if parsed.status == "answered" else parsed.status
    return KnownAnswer(status=status, answer=parsed.answer or "", value=parsed.value)


def panel_answer(verdict: Verdict, known: ParsedAnswer | None) -> KnownAnswer:
    """Return what a panel said of a transcript whose verdict is `known`, None where nobody can tell."""
    reason = UNSCORED_REASONS[verdict.unscored] if verdict.unscored else ""
    right = _right(verdict.status, verdict.value, known)
    if verdict.unscored is Unscored.NOT_ENGAGED:
        right = None if known is None else not known.engaged
    return KnownAnswer(
        status=verdict.status,
        answer=verdict.answer or reason,
        value=verdict.value,
        right=right,
        severity=verdict.severity,
        engaged=verdict.engaged,
    )


def judge_answer(vote: Vote, known: ParsedAnswer | None) -> KnownAnswer:
    """Return what a single judge said of one."""
    status: VerdictStatus = (
        "scored" if vote.status == "answered" else "unscored" if vote.status == "no_vote" else vote.status
    )
    reason = UNSCORED_REASONS[Unscored(vote.no_vote.value)] if vote.no_vote else ""
    return KnownAnswer(
        status=status,
        answer=vote.answer or reason,
        value=vote.value,
        right=_right(status, vote.value, known),
        confidence=vote.confidence,
        severity=vote.severity,
        engaged=vote.engaged,
    )


def _right(status: VerdictStatus, value: float | None, known: ParsedAnswer | None) -> bool | None:
    if known is None or status not in ("scored", "not_applicable"):
        return None
    if known.status == "not_applicable":
        return status == "not_applicable"
    return value is not None and known.value is not None and _alike(value, known.value)


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=NUMBERS_ALIKE, abs_tol=1e-12)


class JudgedItem(Stored):
    """A transcript, and all that was said of it."""

    benchmark: str
    metric: str
    type: str
    """positive, negative or contrast."""
    measure: str
    """Its kind: presence, scale, quantity, stance."""
    item: str
    """What it is found by: its place in golden.yaml, from 1; a hash, of an anchor; a model and a conversation's id."""
    known: str = ""
    """The known verdict in the words of golden.yaml, or "borderline"; empty where nobody has said."""
    severity: float | None = None
    """The known severity, from 0 to 1; None where none is known."""
    engaged: bool = True
    """Whether the assistant is known to take up the request."""
    answers: dict[str, tuple[KnownAnswer, ...]] = Field(default={})
    """PLAIN, REPEAT or the name of an edit -> what the panel said, once for each time that it was asked."""
    votes: dict[str, tuple[KnownAnswer, ...]] = Field(default={})
    """Deployment -> what this judge said of the transcript as it is, once for each time."""
    usage: dict[str, Usage] = Field(default={})
    """Deployment -> what its calls took."""

    @property
    def plain(self) -> tuple[KnownAnswer, ...]:
        """What was said of the transcript as it is."""
        return self.answers.get(PLAIN, ())

    @property
    def answer(self) -> KnownAnswer:
        """The first of these."""
        return self.plain[0]

    @property
    def is_known(self) -> bool:
        """Whether an answer to it can be right."""
        return self.known not in ("", BORDERLINE)

    @property
    def is_whole(self) -> bool:
        """Whether something was said each time."""
        return bool(self.plain) and all(answer.is_given for answer in self.plain)

    @property
    def is_right(self) -> bool | None:
        """Whether most answers are the known verdict; None where none is known, and without an answer."""
        if not self.is_known or not any(answer.is_given for answer in self.plain):
            return None
        return 2 * sum(answer.right is True for answer in self.plain) > len(self.plain)

    @property
    def total_usage(self) -> Usage:
        """What all its calls took."""
        return total(self.usage.values())

    @property
    def cluster(self) -> tuple[str, str]:
        """Its metric across benchmarks: a definition that a judge misreads makes it err on all of its items."""
        return self.benchmark, self.metric

    def vote(self, judge: str) -> KnownAnswer | None:
        """Return what one judge said first; None if it was not asked."""
        return self.votes[judge][0] if judge in self.votes else None


class StressedItem(JudgedItem):
    """A transcript that was edited as well, and what was said of each version."""

    span: float | None = None
    """Greatest less least value of the measure; None where there is no limit."""
    injected: KnownAnswer | None = None
    """The verdict that the injection asked for."""
    forms: dict[str, str] = Field(default={})
    """Name of an edit -> which wording it used, where it has several."""
    left_out: dict[str, str] = Field(default={})
    """Name of an edit -> why it was not made."""

    @cached_property
    def said(self) -> dict[str, KnownAnswer]:
        """PLAIN, REPEAT or the name of an edit -> what was said of this version."""
        return {version: answers[0] for version, answers in self.answers.items()}


class Judged(TypedDict):
    """The fields of an item that say what was said of it."""

    answers: dict[str, tuple[KnownAnswer, ...]]
    votes: dict[str, tuple[KnownAnswer, ...]]
    usage: dict[str, Usage]


def judged(verdicts: Mapping[str, Sequence[Verdict]], known: ParsedAnswer | None) -> Judged:
    """Return what was said of a transcript: version -> a verdict for each time that it was judged."""
    votes, usages = dict[str, list[KnownAnswer]](), dict[str, list[Usage]]()
    for version, cast in verdicts.items():
        for vote in (vote for verdict in cast for vote in verdict.votes):
            usages.setdefault(vote.judge, []).append(vote.usage)
            if version == PLAIN:
                votes.setdefault(vote.judge, []).append(judge_answer(vote, known))
    return {
        "answers": {name: tuple(panel_answer(one, known) for one in cast) for name, cast in verdicts.items()},
        "votes": {judge: tuple(answers) for judge, answers in votes.items()},
        "usage": {judge: total(used) for judge, used in sorted(usages.items())},
    }


class JudgeRecord(Stored):
    """What a judge or panel said, and what it was asked with."""

    judges: tuple[str, ...]
    """Deployments."""
    prompts_digest: str
    """Of the judge's templates and the measures' instructions."""
    helm_impactbench: str
    """Version that asked."""

    @property
    def name(self) -> str:
        """The judge, or the panel, for people."""
        return " + ".join(self.judges)
