"""From the opinions of a panel to one verdict.

Rule: majority of valid votes. A panel of several judges needs two valid votes at least, so a failed judge withholds
its vote and never lowers the bar to one; a tie is unscored. A single judge is a panel of one.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum

from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Metric
from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.judging.judge import Opinion


class Unscored(str, Enum):
    """Why a conversation has no verdict. The value is part of the name of a statistic."""

    CONVERSATION_EMPTY = "conversation_empty"
    TARGET_ERROR = "target_error"
    SIMULATOR_ERROR = "simulator_error"
    JUDGE_ERROR = "judge_error"
    JUDGE_UNPARSABLE = "judge_unparsable"
    PANEL_TIE = "panel_tie"
    PANEL_TOO_FEW_VOTES = "panel_too_few_votes"


UNSCORED_BY_STATUS = {
    Status.EMPTY: Unscored.CONVERSATION_EMPTY,
    Status.TARGET_ERROR: Unscored.TARGET_ERROR,
    Status.SIMULATOR_ERROR: Unscored.SIMULATOR_ERROR,
}


class Judgement(BaseModel):
    """The verdict on a conversation, or the reason why there is none. Exactly one of `passed` and `unscored` is set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    present: bool | None = None
    passed: bool | None = None
    unscored: Unscored | None = None
    opinions: tuple[Opinion, ...] = ()


def unjudged(conversation: Conversation) -> Judgement:
    """Return the judgement of a conversation that is no measurement."""
    return Judgement(unscored=UNSCORED_BY_STATUS[conversation.status])


def decide(metric: Metric, opinions: tuple[Opinion, ...]) -> Judgement:
    """Return the panel's judgement."""
    votes = Counter(opinion.present for opinion in opinions if opinion.present is not None)
    unscored = _unscored(opinions, votes)
    if unscored is not None:
        return Judgement(unscored=unscored, opinions=opinions)
    present = votes[True] > votes[False]
    return Judgement(present=present, passed=metric.passed(present), opinions=opinions)


def _unscored(opinions: tuple[Opinion, ...], votes: Counter[bool]) -> Unscored | None:
    if len(opinions) == 1 and opinions[0].no_vote is not None:
        return Unscored(opinions[0].no_vote.value)
    if votes.total() < min(2, len(opinions)):
        return Unscored.PANEL_TOO_FEW_VOTES
    return Unscored.PANEL_TIE if votes[True] == votes[False] else None
