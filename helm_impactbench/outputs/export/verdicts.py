"""From the rows of an ImpactBench run to verdicts as this package has them. Pure.

Verdicts are kept as they were published, and what cannot be a verdict is unscored, with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, NoVote, Unscored, Verdict, Vote, unscored
from helm_impactbench.llm.usage import UNKNOWN_USAGE
from helm_impactbench.outputs.export.foreign_rows import ForeignScore, VerdictRow

Policy = Literal["refuse", "present", "unscored"]


@dataclass
class Notes:
    """What an import met that a reader of its numbers has to know."""

    contradictions: dict[str, list[str]] = field(default_factory=dict)
    """Metric (id, name) -> rows whose verdict does not follow from presence and type, each in words."""
    unscored: Counter[str] = field(default_factory=Counter)
    """Reason, or the status without one -> conversations."""
    scored_but_empty: int = 0
    """Conversations with a published verdict and without an exchange."""
    other_metrics: int = 0
    """Verdicts on a metric other than that of the scenario."""
    conversations: int = 0


@dataclass(frozen=True)
class ExportedVerdict:
    """What the files say about the verdict on one conversation."""

    score: ForeignScore | None
    own: VerdictRow | None
    judge: str
    """Who gave the verdict where there are no votes."""


def verdict_of(
    metric: Metric, conversation: Conversation, told: ExportedVerdict, policy: Policy, notes: Notes
) -> Verdict:
    """Return the verdict on a conversation, or why there is none."""
    score = told.score
    if not conversation.status.may_have_verdict:
        notes.scored_but_empty += score is not None and score.passed is not None
        return unscored(UNSCORED_BY_STATUS[conversation.status], told.own.verdict.detail if told.own else "")
    problem = _contradiction(metric, told)
    if not problem:
        return _unpaid(told.own.verdict) if told.own else _by_score(metric, told)
    row = score or told.own
    where = f"{row.id}, sample {row.sample}: {problem}" if row else problem
    notes.contradictions.setdefault(f"{metric.id} {metric.name}", []).append(where)
    if policy == "unscored":
        return _failed(told.judge, NoVote.UNPARSABLE, f"{problem} (imported)", Unscored.JUDGE_UNPARSABLE)
    if score is None and told.own is not None and told.own.verdict.votes:
        return _unpaid(decide(metric, told.own.verdict.votes, cascade=told.own.verdict.cascade))
    return _by_score(metric, told)


def by_one(verdict: Verdict, judge: str) -> Verdict:
    """Return a verdict as that of one judge, where the votes are unknown."""
    if not verdict.votes:
        return verdict
    if verdict.status == "unscored":
        last = verdict.votes[-1]
        no_vote, problem = last.no_vote or NoVote.ERROR, last.problem or why(verdict)
        vote = Vote(judge=judge, status="no_vote", no_vote=no_vote, problem=problem, usage=UNKNOWN_USAGE)
    else:
        vote = Vote(
            judge=judge,
            status="answered" if verdict.status == "scored" else verdict.status,
            answer=verdict.answer,
            value=verdict.value,
            severity=verdict.severity,
            engaged=verdict.engaged,
            justification=next((vote.justification for vote in verdict.votes if vote.value == verdict.value), ""),
            usage=UNKNOWN_USAGE,
        )
    return verdict.model_copy(update={"votes": (vote,), "checks": {}})


def why(verdict: Verdict) -> str:
    """Return the reason for having no answer, or the status."""
    return verdict.unscored.value if verdict.unscored else verdict.status


def _by_score(metric: Metric, told: ExportedVerdict) -> Verdict:
    """Return the verdict that a row of scores.json gives, or its lack."""
    score = told.score
    if score is None:
        return _failed(told.judge, NoVote.ERROR, "scores.json has no row for it", Unscored.JUDGE_ERROR)
    if score.present is None or not isinstance(metric.measure, Presence):
        reason = score.justification or "present is null in scores.json"
        return _failed(told.judge, NoVote.UNPARSABLE, f"{reason} (imported)", Unscored.JUDGE_UNPARSABLE)
    value = float(score.present)
    vote = Vote(
        judge=told.judge,
        answer=metric.measure.shown(value),
        value=value,
        justification=score.justification or "",
        usage=UNKNOWN_USAGE,
    )
    return decide(metric, (vote,))


def _contradiction(metric: Metric, told: ExportedVerdict) -> str:
    """Return in which way rows contradict themselves, benchmark.yaml or each other; empty when they do not."""
    engaged = told.own is None or told.own.verdict.engaged
    problem = _score_problem(metric, told.score, engaged=engaged) if told.score else ""
    if problem or told.own is None:
        return problem
    own = told.own.verdict
    if not own.votes:
        return "" if own.status == "unscored" else f"verdicts.json says {own.answer or own.status} without a vote"
    again = decide(metric, own.votes, cascade=own.cascade)
    if _essence(again) != _essence(own):
        return f"verdicts.json says {own.answer or why(own)}, and its votes come to {again.answer or why(again)}"
    present = told.score.present if told.score else None
    if present is not None and own.value != float(present):
        return f"present={present} in scores.json, and {own.answer or why(own)} in verdicts.json"
    return ""


def _essence(verdict: Verdict) -> tuple[object, ...]:
    said = verdict.status, verdict.answer, verdict.value, verdict.score, verdict.severity
    return *said, verdict.unscored, verdict.engaged


def _score_problem(metric: Metric, score: ForeignScore, *, engaged: bool) -> str:
    said = f"present={score.present}, passed={score.passed}, score={score.score}"
    if score.metric_type not in (None, metric.type):
        return f"scores.json calls the metric {score.metric_type}, benchmark.yaml {metric.type} ({said})"
    if score.present is None:
        return f"{said}: a verdict without presence" if score.passed is not None or score.score is not None else ""
    if metric.type == "contrast" or not isinstance(metric.measure, Presence):
        return f"{said} on a {metric.type} metric that asks for {metric.measure.kind}"
    passed = engaged and metric.score(float(score.present)) == 1
    if score.passed not in (None, passed) or score.score not in (None, float(passed)):
        return f"{said} on a {metric.type} metric"
    return ""


def _unpaid(own: Verdict) -> Verdict:
    """Return a verdict of our own export, whose calls have unknown usage."""

    def unknown(votes: Sequence[Vote]) -> tuple[Vote, ...]:
        return tuple(vote.model_copy(update={"usage": UNKNOWN_USAGE}) for vote in votes)

    checks = {name: check.model_copy(update={"votes": unknown(check.votes)}) for name, check in own.checks.items()}
    validation = next(iter(unknown([own.validation] if own.validation else [])), None)
    return own.model_copy(update={"votes": unknown(own.votes), "checks": checks, "validation": validation})


def _failed(judge: str, no_vote: NoVote, problem: str, reason: Unscored) -> Verdict:
    vote = Vote(judge=judge, status="no_vote", no_vote=no_vote, problem=problem, usage=UNKNOWN_USAGE)
    return unscored(reason, votes=(vote,))
