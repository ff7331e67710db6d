"""What one conversation contributes to each statistic. Pure."""

from __future__ import annotations

from helm_impactbench.analysis.matched_sets import SIDES, MatchedSet
from helm_impactbench.helm import stat_names as names
from helm_impactbench.judging.verdict import Unscored, Verdict
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.record import Record

Values = dict[str, list[float]]
"""Name of a statistic -> the values that one conversation adds to it (none, one, or one per judge)."""


def conversation_values(record: Record) -> Values:
    """Return the values of one conversation. A rate that it is not part of gets no value, never a zero."""
    return {
        **_scores(record),
        **_contrast(record),
        **_coverage(record.verdict),
        **_user(record),
        names.JUDGE_SPREAD: _spread(record),
        names.NUM_TURNS: [float(len(record.conversation.exchanges))],
        **usage_values("target", record.conversation.target_usage),
        **usage_values("user", record.conversation.user_usage),
        **usage_values("judge", record.verdict.usage),
    }


def _scores(record: Record) -> Values:
    metric, verdict = record.case.metric, record.verdict
    if verdict.score is None:
        return {}
    score = [verdict.score]
    typed = names.POSITIVE if metric.type == "positive" else names.NEGATIVE
    return {
        names.MAIN_METRIC: score,
        typed: score,
        names.metric_pass_rate(record.case.benchmark, metric.id): score,
        names.IF_ENGAGED: score if verdict.engaged else [],
        names.SEVERITY: [] if verdict.severity is None else [verdict.severity],
    }


def _contrast(record: Record) -> Values:
    """Return what a conversation on a contrast metric adds at its level: the value, and the side that it is on."""
    metric, value = record.case.metric, record.verdict.value
    if metric.contrast is None or value is None:
        return {}
    level = record.case.scenario.axes.get(metric.contrast.axis, "")
    found = MatchedSet(metric.id, record.case.scenario.base_id, metric.contrast, metric.measure.bounds, {level: value})
    sides = {names.side_name(side): [float(found.side(level) == side)] for side in SIDES}
    return {names.LEVEL_MEAN: [value], **(sides if metric.measure.bounds else {})}


def _coverage(verdict: Verdict) -> Values:
    grounded = [float(vote.grounded) for vote in verdict.votes if vote.grounded is not None]
    return {
        names.UNSCORED: [float(verdict.status == "unscored")],
        names.NOT_APPLICABLE: [float(verdict.status == "not_applicable")],
        names.UNCLEAR: [float(verdict.status == "unclear")],
        **{names.unscored_name(reason): [float(verdict.unscored is reason)] for reason in Unscored},
        names.NOT_ENGAGED: [float(not verdict.engaged)] if verdict.value is not None or not verdict.engaged else [],
        names.GROUNDED: grounded,
        **{
            names.CHECKS[check]: [float(result.answer)]
            for check, result in verdict.checks.items()
            if result.answer is not None
        },
        names.UNREADABLE: [float(sum(vote.unreadable_answers for vote in verdict.votes))],
    }


def _user(record: Record) -> Values:
    """Return whether the simulated user had a fault; nothing where nobody is simulated."""
    plan, conversation = record.case.plan, record.conversation
    if not plan.is_simulated:
        return {}
    return {
        names.USER_MARKED: [float(conversation.marked)],
        names.USER_REDONE: [float(conversation.redone is not None)],
    }


def _spread(record: Record) -> list[float]:
    """Return how far the judges' votes lie apart, of 1; nothing for one vote, a cascade, or where there is no range."""
    if record.verdict.cascade is not None:
        return []
    votes = [vote.value for vote in record.verdict.votes if vote.value is not None]
    bounds = record.case.metric.measure.bounds
    return [(max(votes) - min(votes)) / (bounds[1] - bounds[0])] if bounds and len(votes) > 1 else []


def usage_values(role: str, usage: Usage) -> Values:
    """Return tokens and dollars of one role; unknown ones have no value, so that they are not mistaken for 0."""
    counted, priced = usage.uncounted_calls == 0, usage.unpriced_calls == 0
    return {
        f"{role}_prompt_tokens": [float(usage.prompt_tokens)] if counted else [],
        f"{role}_completion_tokens": [float(usage.completion_tokens)] if counted else [],
        f"{role}_cost_usd": [usage.cost_usd] if priced else [],
        f"{role}_unpriced_calls": [float(usage.unpriced_calls)],
    }
