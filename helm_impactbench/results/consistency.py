"""Proof, after every run and every reading, that nothing was counted that is no measurement and nothing got lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from helm_impactbench.conversation.record import Status
from helm_impactbench.errors import ResultsError
from helm_impactbench.results.outcome import Outcome


def check_outcomes(outcomes: Sequence[Outcome], run: str) -> None:
    """Raise ResultsError unless conversations = scored + unscored, none is empty and scored, and none stands twice."""
    faults = list(_faults(outcomes))
    if faults:
        raise ResultsError(
            f"Run {run} is not consistent: {'; '.join(faults)}. Its figures cannot be trusted: please report this with "
            "the run's folder; to measure again, delete the folder and repeat the command."
        )


def _faults(outcomes: Sequence[Outcome]) -> Iterable[str]:
    scored = sum(outcome.passed is not None for outcome in outcomes)
    unscored = sum(outcome.unscored is not None for outcome in outcomes)
    if scored + unscored != len(outcomes):
        yield f"{len(outcomes)} conversations, but {scored} scored and {unscored} unscored"
    for outcome in outcomes:
        if (outcome.passed is None) != (outcome.unscored is not None):
            yield f"{outcome.variant_id} has both a verdict and a reason for having none, or neither"
        elif outcome.passed is not None:
            yield from _scored_faults(outcome)
    seen = Counter((outcome.variant_id, outcome.sample) for outcome in outcomes)
    for (variant, sample), times in seen.items():
        if times > 1:
            yield f"sample {sample + 1} of {variant} stands {times} times"


def _scored_faults(outcome: Outcome) -> Iterable[str]:
    if not outcome.exchanges or not Status(outcome.status).can_be_judged:
        yield f"{outcome.variant_id} is scored, but its conversation is {outcome.status}"
    if not any(vote.present is not None for vote in outcome.votes):
        yield f"{outcome.variant_id} is scored without a vote"
    if outcome.passed != (outcome.present == (outcome.metric_type == "positive")):
        yield f"{outcome.variant_id}: {outcome.metric_type} metric, present={outcome.present}, passed={outcome.passed}"
