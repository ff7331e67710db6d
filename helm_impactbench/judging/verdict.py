"""Results of judging: a vote per judge, a verdict per conversation. Plain data that JSON can store."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from helm_impactbench.conversation.record import Status
from helm_impactbench.judging.evidence import CheckedQuote
from helm_impactbench.llm.usage import Usage, total


class NoVote(str, Enum):
    """Why a judge has no vote."""

    ERROR = "judge_error"
    """The provider gave no answer."""
    UNPARSABLE = "judge_unparsable"
    """None of its three answers could be read."""


class Unscored(str, Enum):
    """Why a conversation has no verdict. The value is part of the name of a statistic."""

    CONVERSATION_EMPTY = "conversation_empty"
    TARGET_ERROR = "target_error"
    TARGET_EMPTY = "target_empty"
    TARGET_BLOCKED = "target_blocked"
    SIMULATOR_ERROR = "simulator_error"
    LIMIT_REACHED = "limit_reached"
    NO_SYSTEM_PROMPT = "no_system_prompt"
    NO_TEXT = "no_text"
    JUDGE_ERROR = "judge_error"
    JUDGE_UNPARSABLE = "judge_unparsable"
    PANEL_TIE = "panel_tie"
    PANEL_TOO_FEW_VOTES = "panel_too_few_votes"
    NOT_ENGAGED = "not_engaged"
    """Of a contrast: a reply that does not take up the request is no sign of unequal treatment."""
    NO_QUESTION = "no_question"
    """There is no question for this kind of case."""
    NOT_JUDGED = "not_judged"
    """Generated with judge=none and not judged yet."""


UNSCORED_REASONS = {
    Unscored.CONVERSATION_EMPTY: "the simulated user left before any message",
    Unscored.TARGET_ERROR: "the target gave no usable reply",
    Unscored.TARGET_EMPTY: "the target answered nothing",
    Unscored.TARGET_BLOCKED: "the provider blocked the target's answer",
    Unscored.SIMULATOR_ERROR: "the simulated user gave no usable message",
    Unscored.LIMIT_REACHED: "the conversation reached a limit of the run before its end",
    Unscored.NO_SYSTEM_PROMPT: "the product has no place for the system prompt of the case",
    Unscored.NO_TEXT: "the conversation was imported without its words",
    Unscored.JUDGE_ERROR: "the judge's provider gave no answer",
    Unscored.JUDGE_UNPARSABLE: "the judge's answer could not be read, three times",
    Unscored.PANEL_TIE: "the judges' votes are tied",
    Unscored.PANEL_TOO_FEW_VOTES: "fewer than two judges of a panel have a valid vote",
    Unscored.NOT_ENGAGED: "the assistant did not engage, and levels are compared by replies that do",
    Unscored.NO_QUESTION: "there is no judge's question for this kind of case",
    Unscored.NOT_JUDGED: "no judge has been asked yet",
}
"""Reason -> in words."""

UNSCORED_BY_STATUS = {
    Status.EMPTY: Unscored.CONVERSATION_EMPTY,
    Status.TARGET_ERROR: Unscored.TARGET_ERROR,
    Status.TARGET_EMPTY: Unscored.TARGET_EMPTY,
    Status.TARGET_BLOCKED: Unscored.TARGET_BLOCKED,
    Status.SIMULATOR_ERROR: Unscored.SIMULATOR_ERROR,
    Status.LIMIT_REACHED: Unscored.LIMIT_REACHED,
    Status.NO_SYSTEM_PROMPT: Unscored.NO_SYSTEM_PROMPT,
    Status.NO_TEXT: Unscored.NO_TEXT,
}

VoteStatus = Literal["answered", "not_applicable", "unclear", "no_vote"]
VerdictStatus = Literal["scored", "not_applicable", "unclear", "unscored"]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Vote(_Data):
    """What one judge said of one conversation."""

    judge: str
    """Model deployment."""
    status: VoteStatus = "answered"
    answer: str | None = None
    """In the measure's words; None unless answered."""
    value: float | None = None
    """The answer as a number, as the measure defines it; None unless answered."""
    severity: float | None = None
    """From 0 to 1, where it was asked and the behaviour is present."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """How probable the judge thinks that a careful second reader answers the same; None where it does not say."""
    engaged: bool = True
    """Whether the assistant takes up the request at all; declining it is."""
    no_vote: NoVote | None = None
    """Why there is no vote; None for every other status."""
    problem: str = ""
    """What was wrong, when there is no vote."""
    justification: str = ""
    evidence: tuple[CheckedQuote, ...] = ()
    """Quotes of the words as the judge saw them."""
    grounded: bool | None = None
    """Whether the quotes are in the transcript; None where none was needed."""
    unreadable_answers: StrictInt = 0
    """Answers that had to be requested again."""
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _answers_with_a_value(self) -> Vote:
        if (self.status == "answered") != (self.value is not None):
            raise ValueError("a vote that is an answer has a value, and no other vote has one")
        return self

    @property
    def is_valid(self) -> bool:
        """Whether the judge said something that counts."""
        return self.status != "no_vote"


class CheckResult(_Data):
    """The panel's answer to a check, or why there is none. Exactly one of `answer` and `undecided` is set."""

    answer: bool | None = None
    """Whether the answer is yes."""
    undecided: Unscored | None = None
    """A reason of the panel's; the conversation keeps its verdict."""
    votes: tuple[Vote, ...] = ()
    prompts_digest: str = ""
    """SHA-256 of the templates that the check was asked with."""


class Verdict(_Data):
    """The panel's answer on a conversation, or why there is none."""

    status: VerdictStatus
    answer: str | None = None
    """In the measure's words; None unless scored."""
    value: float | None = None
    """The answer as a number, as the measure defines it; None unless scored."""
    score: float | None = None
    """How good that is, from 0 to 1; None unless scored, and for a contrast, where no single value is good or bad. 0
    where the assistant did not engage, whatever the value."""
    engaged: bool = True
    """Whether the assistant takes up the request at all, by most judges."""
    severity: float | None = None
    """From 0 to 1, where it was asked and the behaviour is present."""
    unscored: Unscored | None = None
    """The reason; None unless unscored."""
    detail: str = ""
    """More about the reason: a provider's words."""
    votes: tuple[Vote, ...] = ()
    cascade: float | None = Field(default=None, ge=0, le=1)
    """In a cascade: each judge but the first was asked because the one before it was less sure than this, and the last
    vote decides; judges of the panel without a vote were not asked."""
    shown: tuple[str, ...] = ()
    """The assistant's messages as the judges saw them, if that differs from how they were written."""
    checks: dict[str, CheckResult] = {}
    """Name of a check -> its answer; empty when none was asked for, or when the conversation cannot be judged."""
    validation: Vote | None = None
    """Of the held-out judge, which has no part in the verdict; None where it was not asked."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Verdict:
        if (self.status == "scored") != (self.value is not None):
            raise ValueError("a scored verdict has a value, and no other verdict has one")
        if (self.status == "unscored") != (self.unscored is not None):
            raise ValueError("an unscored verdict has a reason, and no other verdict has one")
        return self

    @property
    def every_vote(self) -> tuple[Vote, ...]:
        """All that judges said: on the metric, on checks, and the held-out judge's."""
        checked = (vote for check in self.checks.values() for vote in check.votes)
        return *self.votes, *checked, *((self.validation,) if self.validation else ())

    @property
    def usage(self) -> Usage:
        """What all calls to judges took."""
        return total(vote.usage for vote in self.every_vote)


def unscored(reason: Unscored, detail: str = "", votes: tuple[Vote, ...] = ()) -> Verdict:
    """Return the verdict of a conversation that has none."""
    return Verdict(status="unscored", unscored=reason, detail=detail, votes=votes)
