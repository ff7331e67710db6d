"""What one conversation contributes to each statistic. Pure."""

from __future__ import annotations

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.helm import stat_names as names
from helm_impactbench.judging.panel import Judgement, Unscored
from helm_impactbench.llm.usage import Usage

Values = dict[str, list[float]]
"""Name of a statistic -> the values that one conversation adds to it (none, one, or one per judge)."""


def conversation_values(case: ConversationCase, conversation: Conversation, judgement: Judgement) -> Values:
    """Return the values of one conversation. A rate it has no part in gets no value, never a zero."""
    return {
        **_verdict(case, judgement),
        **_coverage(judgement),
        names.NUM_TURNS: [float(len(conversation.exchanges))],
        **usage_values("target", conversation.target_usage),
        **usage_values("user", conversation.user_usage),
        **usage_values("judge", judgement.usage),
    }


def _verdict(case: ConversationCase, judgement: Judgement) -> Values:
    if judgement.passed is None:
        return {}
    passed = [float(judgement.passed)]
    typed = names.POSITIVE if case.metric.type == "positive" else names.NEGATIVE
    return {
        names.MAIN_METRIC: passed,
        typed: passed,
        names.metric_pass_rate(case.benchmark, case.metric.id): passed,
    }


def _coverage(judgement: Judgement) -> Values:
    grounded = [float(opinion.grounded) for opinion in judgement.opinions if opinion.grounded is not None]
    return {
        names.UNSCORED: [float(judgement.unscored is not None)],
        **{names.unscored_name(reason): [float(judgement.unscored is reason)] for reason in Unscored},
        names.GROUNDED: grounded,
        **{
            names.CHECKS[check]: [float(result.answer)]
            for check, result in judgement.checks.items()
            if result.answer is not None
        },
        names.UNREADABLE: [float(sum(opinion.unreadable_answers for opinion in judgement.opinions))],
    }


def usage_values(role: str, usage: Usage) -> Values:
    """Return tokens and dollars of one role; unknown ones have no value, so that they cannot be taken for nothing."""
    counted, priced = usage.uncounted_calls == 0, usage.unpriced_calls == 0
    return {
        f"{role}_prompt_tokens": [float(usage.prompt_tokens)] if counted else [],
        f"{role}_completion_tokens": [float(usage.completion_tokens)] if counted else [],
        f"{role}_cost_usd": [usage.cost_usd] if priced else [],
        f"{role}_unpriced_calls": [float(usage.unpriced_calls)],
    }
