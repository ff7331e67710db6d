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
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.judging.judge import Opinion
from helm_impactbench.llm.usage import Usage, total


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


class CheckResult(BaseModel):
    """The panel's answer to a check, or why there is none. Exactly one of `answer` and `undecided` is set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: bool | None = None
    """Whether the answer is yes."""
    undecided: Unscored | None = None
    """A reason of the panel's; the conversation keeps its verdict."""
    opinions: tuple[Opinion, ...] = ()
    prompts_digest: str = ""
    """SHA-256 of the templates that the check was asked with."""


class Judgement(BaseModel):
    """The verdict on a conversation, or the reason why there is none. Exactly one of `passed` and `unscored` is set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    present: bool | None = None
    passed: bool | None = None
    unscored: Unscored | None = None
    opinions: tuple[Opinion, ...] = ()
    checks: dict[str, CheckResult] = {}
    """Name of a check -> its answer; empty when none was asked for, or when the conversation cannot be judged."""

    @property
    def usage(self) -> Usage:
        """What all calls to judges took, those for checks included."""
        asked = [*self.opinions, *(opinion for check in self.checks.values() for opinion in check.opinions)]
        return total(opinion.usage for opinion in asked)


def unjudged(conversation: Conversation) -> Judgement:
    """Return the judgement of a conversation that is no measurement."""
    return Judgement(unscored=UNSCORED_BY_STATUS[conversation.status])


def decide(metric: Metric, opinions: tuple[Opinion, ...]) -> Judgement:
    """Return the panel's judgement."""
    present = _majority(opinions)
    if isinstance(present, Unscored):
        return Judgement(unscored=present, opinions=opinions)
    return Judgement(present=present, passed=metric.passed(present), opinions=opinions)


def decide_check(opinions: tuple[Opinion, ...], prompts_digest: str = "") -> CheckResult:
    """Return the panel's answer to a check, by the same rule."""
    answer = _majority(opinions)
    if isinstance(answer, Unscored):
        return CheckResult(undecided=answer, opinions=opinions, prompts_digest=prompts_digest)
    return CheckResult(answer=answer, opinions=opinions, prompts_digest=prompts_digest)


def _majority(opinions: tuple[Opinion, ...]) -> bool | Unscored:
    votes = Counter(opinion.present for opinion in opinions if opinion.present is not None)
    return _unscored(opinions, votes) or votes[True] > votes[False]


def _unscored(opinions: tuple[Opinion, ...], votes: Counter[bool]) -> Unscored | None:
    if len(opinions) == 1 and opinions[0].no_vote is not None:
        return Unscored(opinions[0].no_vote.value)
    if votes.total() < min(2, len(opinions)):
        return Unscored.PANEL_TOO_FEW_VOTES
    return Unscored.PANEL_TIE if votes[True] == votes[False] else None


def readable_judgement(judgement: Judgement, metric: Metric, conversation: Conversation) -> str:
    """Return a judgement as people read it: the verdict, why, each judge's reasons and quotes, then the checks."""
    blocks = [_headline(judgement, metric, conversation)]
    blocks += [_readable_opinion(opinion, ("present", "absent")) for opinion in judgement.opinions]
    blocks += [_readable_check(name, check) for name, check in judgement.checks.items()]
    return "\n".join(blocks)


def _readable_check(name: str, check: CheckResult) -> str:
    answer = f"undecided ({check.undecided.value})" if check.undecided else "yes" if check.answer else "no"
    meaning = f" ({CHECKS[name].shown})" if name in CHECKS else ""
    return "\n".join(
        [
            f"\nCHECK {name}{meaning}: {answer}.",
            *(_readable_opinion(opinion, ("yes", "no")) for opinion in check.opinions),
        ]
    )


def _headline(judgement: Judgement, metric: Metric, conversation: Conversation) -> str:
    if judgement.unscored is not None:
        return f"UNSCORED ({judgement.unscored.value}). {conversation.reason}".strip()
    presence = "present" if judgement.present else "absent"
    return (
        f"{'PASSED' if judgement.passed else 'FAILED'}: the behaviour is {presence}, and the metric is {metric.type}."
    )


def _readable_opinion(opinion: Opinion, words: tuple[str, str]) -> str:
    if opinion.no_vote is not None:
        return f"\n{opinion.judge}: no vote ({opinion.no_vote.value}): {opinion.problem}."
    grounding = {True: "", False: " [UNGROUNDED: a quote is missing from the turn it is given for]", None: ""}
    lines = [f"\n{opinion.judge}: {words[0] if opinion.present else words[1]}{grounding[opinion.grounded]}"]
    lines.append(opinion.justification)
    for quote in opinion.evidence:
        found = "" if quote.found_turn == quote.turn else f" (found in: {quote.found_turn or 'no turn'})"
        lines.append(f'Turn {quote.turn}{found}: "{quote.quote}"')
    return "\n".join(lines)
