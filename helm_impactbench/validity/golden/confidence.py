"""Whether a judge's confidence holds on golden sets. Pure.

Only answers count whose verdict is known and that name one: "unclear" says of itself that it is in doubt, and nobody
knows what is right of a borderline item. Clusters are metrics, as for error rates (golden).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.stats.reliability import Reliability, reliability
from helm_impactbench.validity.records.answers import JudgedItem


@dataclass(frozen=True)
class JudgeConfidence:
    """What one judge's confidence is worth."""

    judge: str
    missing: int
    """Answers with a known verdict for which it states none."""
    found: Reliability | None
    """None where it never states one."""
    on_borderline: float
    """Its mean confidence on borderline items; nan without one."""


def judge_confidence(answers: Sequence[JudgedItem]) -> tuple[JudgeConfidence, ...]:
    """Return the figures of each judge that was asked, in the order of the panel."""
    judges = dict.fromkeys(judge for one in answers for judge in one.votes)
    return tuple(_of(judge, [one for one in answers if judge in one.votes]) for judge in judges)


def _of(judge: str, answers: Sequence[JudgedItem]) -> JudgeConfidence:
    cast = [(one, one.votes[judge][0]) for one in answers]
    firm = [(one, vote) for one, vote in cast if vote.right is not None]
    stated = [(one, vote, vote.confidence) for one, vote in firm if vote.confidence is not None]
    doubtful = [vote.confidence for one, vote in cast if not one.is_known]
    known = [sure for sure in doubtful if sure is not None]
    return JudgeConfidence(
        judge,
        len(firm) - len(stated),
        reliability(
            [sure for *_, sure in stated],
            [vote.right is True for _, vote, _ in stated],
            [one.cluster for one, *_ in stated],
        ),
        sum(known) / len(known) if known else math.nan,
    )
