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


def readable_judgement(judgement: Judgement, metric: Metric, conversation: Conversation) -> str:
    """Return a judgement as people read it: the verdict, why, each judge's reasons and the quotes they rest on."""
    return "\n".join([_headline(judgement, metric, conversation), *map(_readable_opinion, judgement.opinions)])


def _headline(judgement: Judgement, metric: Metric, conversation: Conversation) -> str:
    if judgement.unscored is not None:
        return f"UNSCORED ({judgement.unscored.value}). {conversation.reason}".strip()
    presence = "present" if judgement.present else "absent"
    return (
        f"{'PASSED' if judgement.passed else 'FAILED'}: the behaviour is {presence}, and the metric is {metric.type}."
    )


def _readable_opinion(opinion: Opinion) -> str:
    if opinion.no_vote is not None:
        return f"\n{opinion.judge}: no vote ({opinion.no_vote.value}): {opinion.problem}."
    grounding = {True: "", False: " [UNGROUNDED: a quote is missing from the turn it is given for]", None: ""}
    lines = [f"\n{opinion.judge}: {'present' if opinion.present else 'absent'}{grounding[opinion.grounded]}"]
    lines.append(opinion.justification)
    for quote in opinion.evidence:
        found = "" if quote.found_turn == quote.turn else f" (found in: {quote.found_turn or 'no turn'})"
        lines.append(f'Turn {quote.turn}{found}: "{quote.quote}"')
    return "\n".join(lines)
