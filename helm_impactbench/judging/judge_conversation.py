"""One conversation before the whole panel: every judge's opinion on the behaviour, then the checks that are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation, Turn
from helm_impactbench.judging.checks import CHECK_SCHEMA, ask_check, check_digest
from helm_impactbench.judging.judge import JudgeSpeaker, ask_judge
from helm_impactbench.judging.panel import CheckResult, Judgement, decide, decide_check, unjudged
from helm_impactbench.judging.prompt import ANSWER_SCHEMA
from helm_impactbench.llm.request import Caller, CallFailure, Message, ModelRequest, Reply

JUDGE_TEMPERATURE = 0.0
JUDGE_MAX_TOKENS = 4096


def judged(
    case: ConversationCase,
    conversation: Conversation,
    judges: Sequence[str],
    checks: Sequence[str],
    caller: Caller,
) -> Judgement:
    """Return the panel's judgement; a conversation that cannot be judged keeps its reason and costs no call.

    Raises FatalCallError when no call can succeed any more.
    """
    if not conversation.status.can_be_judged:
        return unjudged(conversation)
    turns, seed = conversation.exchanges, case.plan.seed
    verdict = decide(
        case.metric,
        tuple(ask_judge(judge, case.metric, turns, speaker(caller, judge, seed, ANSWER_SCHEMA)) for judge in judges),
    )
    answers = {name: _checked(name, turns, judges, seed, caller) for name in checks}
    return verdict.model_copy(update={"checks": answers})


def _checked(name: str, turns: tuple[Turn, ...], judges: Sequence[str], seed: str, caller: Caller) -> CheckResult:
    opinions = (ask_check(judge, name, turns, speaker(caller, judge, seed, CHECK_SCHEMA)) for judge in judges)
    return decide_check(tuple(opinions), check_digest(name))


def speaker(caller: Caller, deployment: str, seed: str, schema: dict[str, Any] | None) -> JudgeSpeaker:
    """Return what sends messages to a judge, at temperature 0 and with the answer's schema, if it has one."""

    def speak(messages: list[Message]) -> Reply | CallFailure:
        return caller.call(
            ModelRequest(deployment, tuple(messages), JUDGE_TEMPERATURE, JUDGE_MAX_TOKENS, seed, schema, role="judge")
        )

    return speak
