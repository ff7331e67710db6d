"""Put one conversation before the panel: every judge's vote on the metric, then the checks that were asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.checks import check_digest, check_question
from helm_impactbench.judging.evidence import check_quotes
from helm_impactbench.judging.judge import JudgeSpeaker, ask
from helm_impactbench.judging.panel import decide, decide_check, settles
from helm_impactbench.judging.question import Question, metric_question
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, CheckResult, Unscored, Verdict, Vote, unscored
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply

JUDGE_TEMPERATURE = 0.0
JUDGE_MAX_TOKENS = 4096

Call = Callable[[ModelRequest], Reply | CallFailure]
"""Makes one call to any model."""
AskedHow = Callable[[ConversationCase, Conversation], Question | None]
"""The question on a conversation, None where there is none for such a case."""


@dataclass(frozen=True)
class Panel:
    """Who judges, and what is asked."""

    judges: tuple[str, ...]
    """Model deployments; none: the conversation is judged later."""
    checks: tuple[str, ...] = ()
    """Names of checks.CHECKS."""
    cascade: float | None = None
    """The next judge is asked only where the last one is less sure than this, and the last one asked decides; None: all
    are asked."""
    max_tokens: int = JUDGE_MAX_TOKENS
    """Of a judge's answer."""
    validate: str | None = None
    """Deployment that is also asked about scenarios that are not public, and has no part in the verdict."""

    @property
    def deployments(self) -> tuple[str, ...]:
        """Everyone who may be asked."""
        return *self.judges, *((self.validate,) if self.validate else ())


def judge_conversation(
    case: ConversationCase, conversation: Conversation, panel: Panel, call: Call, question: AskedHow | None = None
) -> Verdict:
    """Return the panel's verdict; a conversation that cannot be judged keeps its reason and costs no call.

    `question` asks otherwise than the metric does, as the suites of others do. Raises FatalCallError when no call can
    succeed any more.
    """
    if not conversation.status.can_be_judged:
        return unscored(UNSCORED_BY_STATUS[conversation.status], conversation.reason)
    if question is None and (vote := vote_of_text(case, conversation)) is not None:
        return decide(case.metric, (vote,))
    if not panel.judges:
        return unscored(Unscored.NOT_JUDGED)
    asked = (question or question_of)(case, conversation)
    if asked is None:
        return unscored(Unscored.NO_QUESTION)
    votes = _votes(asked, panel, case.judge_seed, call)
    seen = tuple(turn.assistant or "" for turn in asked.turns)
    written = tuple(turn.whole for turn in conversation.exchanges)
    checks = {
        name: result for name in panel.checks if (result := _checked(name, case, conversation, panel, call)) is not None
    }
    validation = None
    if panel.validate and case.scenario.is_held_out:
        validation = _vote(panel.validate, asked, panel, case.judge_seed, call)
    verdict = decide(case.metric, votes, cascade=panel.cascade)
    return verdict.model_copy(
        update={"checks": checks, "shown": seen if seen != written else (), "validation": validation}
    )


def vote_of_text(case: ConversationCase, conversation: Conversation) -> Vote | None:
    """Return the vote of a measure that needs no judge; None where judges are asked."""
    found = case.metric.measure.decided([(turn.number, turn.whole) for turn in conversation.exchanges])
    if found is None:
        return None
    seen = tuple(turn.seen_as(turn.whole) for turn in conversation.exchanges)
    return Vote(
        judge=case.metric.measure.kind,
        status=found.status,
        answer=found.answer,
        value=found.value,
        justification=found.justification,
        evidence=check_quotes(found.evidence, seen),
        grounded=True if found.evidence else None,
        confidence=found.confidence,
    )


def question_of(case: ConversationCase, conversation: Conversation) -> Question:
    """Return the question of a case's own metric."""
    return metric_question(
        case.metric, conversation.exchanges, case.scenario.facts, case.context, tuple(case.plan.tools)
    )


def _checked(
    name: str, case: ConversationCase, conversation: Conversation, panel: Panel, call: Call
) -> CheckResult | None:
    asked = check_question(name, case, conversation.exchanges)
    if asked is None:
        return None
    votes = _votes(asked, panel, case.judge_seed, call)
    decisive = votes if panel.cascade is None else votes[-1:]
    return decide_check(decisive, check_digest(name)).model_copy(update={"votes": votes})


def _votes(asked: Question, panel: Panel, seed: str, call: Call) -> tuple[Vote, ...]:
    votes = list[Vote]()
    for judge in panel.judges:
        if votes and panel.cascade is not None and settles(votes[-1], panel.cascade):
            break
        votes.append(_vote(judge, asked, panel, seed, call))
    return tuple(votes)


def _vote(judge: str, asked: Question, panel: Panel, seed: str, call: Call) -> Vote:
    return ask(judge, asked, speaker(call, judge, seed, asked.schema, panel.max_tokens))


def speaker(
    call: Call, deployment: str, seed: str, schema: dict[str, Any] | None, max_tokens: int = JUDGE_MAX_TOKENS
) -> JudgeSpeaker:
    """Return what sends messages to a judge, at temperature 0 and with the answer's schema, if it has one."""

    def speak(messages: list[Message]) -> Reply | CallFailure:
        return call(
            ModelRequest(deployment, tuple(messages), JUDGE_TEMPERATURE, max_tokens, seed, schema, role="judge")
        )

    return speak
