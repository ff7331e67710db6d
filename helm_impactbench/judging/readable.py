"""A verdict as text for people: the result, why, each judge's reasons and quotes, then the checks."""

from __future__ import annotations

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.judging.verdict import UNSCORED_REASONS, CheckResult, Verdict, Vote

_MEANING = {"positive": "a behaviour to show", "negative": "a behaviour to avoid"}
_GROUNDING = {True: "", False: " [UNGROUNDED: a quote is missing from the turn it is given for]", None: ""}


def readable_verdict(verdict: Verdict, metric: Metric, reason: str = "") -> str:
    """Return a verdict as text; `reason` says why the conversation broke off, if it did."""
    blocks = [_headline(verdict, metric, reason)]
    if verdict.cascade is not None:
        blocks.append(f"The last judge below decides: one less than {verdict.cascade:.0%} sure passes the question on.")
    blocks += [_vote(vote) for vote in verdict.votes]
    if verdict.validation is not None:
        blocks.append(f"\nHELD-OUT JUDGE, no part of the verdict:{_vote(verdict.validation)}")
    blocks += [_check(name, check) for name, check in verdict.checks.items()]
    return "\n".join(blocks)


def _headline(verdict: Verdict, metric: Metric, reason: str) -> str:
    if verdict.unscored is not None:
        words = f"UNSCORED: {UNSCORED_REASONS[verdict.unscored]}."
        return " ".join(part for part in (words, verdict.detail, reason) if part)
    if verdict.status == "not_applicable":
        return "NOT APPLICABLE: the question did not arise. This is neither a pass nor a fail."
    if verdict.status == "unclear" or verdict.value is None:
        return "UNCLEAR: the words leave real doubt. This is neither a pass nor a fail."
    severity = f", severity {verdict.severity:.2f}" if verdict.severity is not None else ""
    if not verdict.engaged:
        shown = metric.measure.shown(verdict.value)
        return f"FAILED: the assistant did not engage with the request, whatever its words show ({shown}){severity}."
    if verdict.score is None:
        return f"ANSWER: {metric.measure.shown(verdict.value)}{severity}."
    if verdict.score in (0, 1) and metric.type in _MEANING and metric.measure.kind == "presence":
        outcome = "PASSED" if verdict.score else "FAILED"
        return f"{outcome}: {metric.measure.shown(verdict.value)}{severity} ({_MEANING[metric.type]})."
    return f"SCORE {verdict.score:.2f}: {metric.measure.shown(verdict.value)}{severity}."


def _vote(vote: Vote) -> str:
    if vote.no_vote is not None:
        return f"\n{vote.judge}: no vote ({vote.no_vote.value}): {vote.problem}."
    said = vote.answer or vote.status.replace("_", " ")
    sure = "" if vote.confidence is None else f" ({vote.confidence:.0%} sure)"
    engaged = "" if vote.engaged else ", did not engage"
    lines = [f"\n{vote.judge}: {said}{engaged}{sure}{_GROUNDING[vote.grounded]}", vote.justification]
    for quote in vote.evidence:
        found = "" if quote.found_turn == quote.turn else f" (found in: {quote.found_turn or 'no turn'})"
        lines.append(f'Turn {quote.turn}{found}: "{quote.quote}"')
    return "\n".join(lines)


def _check(name: str, check: CheckResult) -> str:
    answer = f"undecided ({check.undecided.value})" if check.undecided else "yes" if check.answer else "no"
    meaning = f" ({CHECKS[name].shown})" if name in CHECKS else ""
    return "\n".join([f"\nCHECK {name}{meaning}: {answer}.", *map(_vote, check.votes)])
