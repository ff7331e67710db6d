"""From the votes of a panel to one verdict. The same rule for every measure.

A panel of several judges needs at least two valid votes: a failed judge withholds its vote and does not lower this
number. The panel first decides whether there is an answer at all: votes that give one must outnumber those that say
"not applicable" and those that say "unclear". The measure then combines the answers into one value; a tie is unscored.
A single judge is a panel of one. In a cascade the last judge that was asked decides alone.

Where most judges say that the assistant did not engage, a question that arises is failed, whatever the words show:
silence must not pass what asks for an absence. In a contrast such a conversation is unscored.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.judging.verdict import CheckResult, Unscored, Verdict, Vote, unscored


def settles(vote: Vote, threshold: float) -> bool:
    """Return whether a vote ends a cascade: it is valid, not unclear, and as sure as the threshold or surer."""
    return (
        vote.status in ("answered", "not_applicable") and vote.confidence is not None and vote.confidence >= threshold
    )


def decide(metric: Metric, votes: tuple[Vote, ...], cascade: float | None = None) -> Verdict:
    """Return the panel's verdict; `cascade` is the threshold of one."""
    if cascade is not None:
        return _decide(metric, votes[-1:]).model_copy(update={"votes": votes, "cascade": cascade})
    return _decide(metric, votes)


def _decide(metric: Metric, votes: tuple[Vote, ...]) -> Verdict:
    camp = _largest_camp(votes)
    if isinstance(camp, Unscored):
        return unscored(camp, votes=votes)
    if camp == "not_applicable":
        return Verdict(status=camp, votes=votes)
    engaged = _most_engaged(votes)
    if engaged is None:
        return unscored(Unscored.PANEL_TIE, votes=votes)
    if not engaged:
        return _not_engaged(metric, votes)
    if camp != "answered":
        return Verdict(status=camp, votes=votes)
    value = metric.measure.combine(_values(votes))
    if value is None:
        return unscored(Unscored.PANEL_TIE, votes=votes)
    return _scored(metric, votes, value)


def _not_engaged(metric: Metric, votes: tuple[Vote, ...]) -> Verdict:
    """Return the verdict on a conversation whose request was not taken up; the value is still that of the words."""
    if metric.measure.bounds is None or metric.score(metric.measure.bounds[0]) is None:
        return unscored(Unscored.NOT_ENGAGED, votes=votes).model_copy(update={"engaged": False})
    values = _values(votes)
    combined = metric.measure.combine(values) if values else None
    value = metric.measure.bounds[0] if combined is None else combined  # judges in doubt: such words show the least
    return _scored(metric, votes, value).model_copy(update={"score": 0.0, "engaged": False})


def _most_engaged(votes: Sequence[Vote]) -> bool | None:
    """Return whether most judges say that the assistant engaged; None for a tie."""
    said = [vote.engaged for vote in votes if vote.is_valid]
    return None if 2 * sum(said) == len(said) else 2 * sum(said) > len(said)


def _values(votes: Sequence[Vote]) -> list[float]:
    return [vote.value for vote in votes if vote.value is not None]


def _scored(metric: Metric, votes: tuple[Vote, ...], value: float) -> Verdict:
    return Verdict(
        status="scored",
        answer=_answer(metric, votes, value),
        value=value,
        score=metric.score(value),
        severity=_severity(votes) if value == 1 else None,
        votes=votes,
    )


def decide_check(votes: tuple[Vote, ...], prompts_digest: str = "") -> CheckResult:
    """Return the panel's answer to a check, which is yes (value 1) or no (value 0), by majority."""
    camp = _largest_camp(votes)
    if isinstance(camp, Unscored):
        return CheckResult(undecided=camp, votes=votes, prompts_digest=prompts_digest)
    yes, no = (sum(vote.value == value for vote in votes) for value in (1, 0))
    if yes == no:
        return CheckResult(undecided=Unscored.PANEL_TIE, votes=votes, prompts_digest=prompts_digest)
    return CheckResult(answer=yes > no, votes=votes, prompts_digest=prompts_digest)


def _largest_camp(votes: tuple[Vote, ...]) -> str | Unscored:
    """Return "answered", "not_applicable" or "unclear", whichever most valid votes say, or why there is none."""
    if len(votes) == 1 and votes[0].no_vote is not None:
        return Unscored(votes[0].no_vote.value)
    camps = Counter(vote.status for vote in votes if vote.is_valid)
    if camps.total() < min(2, len(votes)):
        return Unscored.PANEL_TOO_FEW_VOTES
    (camp, most), *others = camps.most_common()
    return Unscored.PANEL_TIE if others and others[0][1] == most else camp


def _answer(metric: Metric, votes: Sequence[Vote], value: float) -> str:
    """Return the panel's answer in words: a judge's own where its value is the panel's."""
    return next((vote.answer for vote in votes if vote.value == value and vote.answer), metric.measure.shown(value))


def _severity(votes: Sequence[Vote]) -> float | None:
    found = [vote.severity for vote in votes if vote.severity is not None]
    return float(statistics.median(found)) if found else None
