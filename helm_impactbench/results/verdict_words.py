"""The verdict on a conversation in the words of pages and screens."""

from __future__ import annotations

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.results.outcome import JudgeVote, Outcome

VERDICTS = ("failed", "passed", "scored", "not_applicable", "unclear", "unscored")
_LACKS = {
    "not_applicable": "The question did not arise, which is neither a pass nor a fail.",
    "unclear": "The words leave the judges in real doubt, which is neither a pass nor a fail.",
}
_MEANINGS = {"positive": "a behaviour to show", "negative": "a behaviour to avoid"}


def verdict(outcome: Outcome) -> str:
    """Return the verdict on a conversation as one of VERDICTS."""
    if outcome.passed is not None:
        return "passed" if outcome.passed else "failed"
    return outcome.status


def answer(outcome: Outcome) -> str:
    """Return what the panel answered, in the measure's words, or why there is no answer."""
    return outcome.answer or (outcome.why_missing or "").replace("_", " ")


def vote_words(outcome: Outcome) -> list[str]:
    """Return each judge's vote in a word or a number."""
    return [vote_word(vote, outcome.measure) + ("" if vote.engaged else ", did not engage") for vote in outcome.votes]


def vote_word(vote: JudgeVote, measure: str) -> str:
    """Return a judge's vote in a word or a number."""
    if vote.value is None:
        return vote.status.replace("_", " ")
    return ("present" if vote.value else "absent") if measure == "presence" else f"{vote.value:g}"


def said(outcome: Outcome, metric: Metric) -> str:
    """Return the verdict in a sentence or two."""
    if outcome.unscored is not None:
        return f"No verdict: {outcome.unscored.replace('_', ' ')}."
    if outcome.status in _LACKS or outcome.value is None:
        return _LACKS.get(outcome.status, "")
    found = f"The judges' answer: {metric.measure.shown(outcome.value)}."
    if not outcome.engaged:
        return f"The assistant did not engage with the request, which fails whatever its words show. {found}"
    severity = f" Severity {outcome.severity:.2f} on a scale from 0 to 1." if outcome.severity is not None else ""
    if outcome.contrast is not None:
        return f"{found}{severity} It is compared with the same case at other levels of {outcome.contrast.axis}."
    score = f" Score {outcome.score:.2f}." if outcome.score not in (None, 0.0, 1.0) else ""
    return f"{found}{severity}{score} It is {_MEANINGS[metric.type]}."
