"""Checks, after every run and every reading, that only measurements were counted and none was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from helm_impactbench.conversation.record import Status
from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.results.outcome import Outcome


def check_outcomes(outcomes: Sequence[Outcome], run: str) -> None:
    """Raise ResultsError unless every conversation occurs once, with a status that agrees with its other fields."""
    faults = list(_faults(outcomes))
    if faults:
        raise ResultsError(
            f"Run {run} is not consistent: {'; '.join(faults[:5])}. Its figures cannot be trusted: please report this "
            "with the run's folder; to measure again, delete the folder and repeat the command."
        )


def _faults(outcomes: Sequence[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        if (outcome.value is not None) != outcome.is_scored:
            yield f"{outcome.variant_id} is {outcome.status} with the value {outcome.value}"
        elif (outcome.unscored is not None) != (outcome.status == "unscored"):
            yield f"{outcome.variant_id} is {outcome.status} with the reason {outcome.unscored}"
        elif outcome.status != "unscored":
            yield from _judged_faults(outcome)
    yield from _draw_faults(outcomes)
    seen = Counter((outcome.variant_id, outcome.sample) for outcome in outcomes)
    for (variant, sample), times in seen.items():
        if times > 1:
            yield f"sample {sample + 1} of {variant} occurs {times} times"


def _draw_faults(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """Yield what is wrong with a run that may stop early unless it holds the first base scenarios drawn, and whole."""
    draws = [outcome.draw for outcome in outcomes if outcome.draw is not None]
    held = Counter(draw.place for draw in draws)
    if draws and len(draws) < len(outcomes):
        yield f"{counted(len(outcomes) - len(draws), 'conversation')} not drawn with the others"
    for place in range(1, max(held, default=0) + 1):
        sizes = {draw.size for draw in draws if draw.place == place}
        if sizes != {held[place]}:
            yield f"draw {place} holds {counted(held[place], 'conversation')}, not {max(sizes, default=1)}"


def _judged_faults(outcome: Outcome) -> Iterable[str]:
    status = Status(outcome.conversation_status)
    if not status.may_have_verdict or (status.can_be_judged and not outcome.exchanges):
        yield f"{outcome.variant_id} is {outcome.status}, but its conversation is {outcome.conversation_status}"
    if not any(vote.status != "no_vote" for vote in outcome.votes):
        yield f"{outcome.variant_id} is {outcome.status} without a vote"
    if outcome.value is not None and outcome.bounds is not None:
        yield from _score_faults(outcome, outcome.value, outcome.bounds)


def _score_faults(outcome: Outcome, value: float, bounds: tuple[float, float]) -> Iterable[str]:
    low, high = bounds
    credit = (value - low) / (high - low)
    wanted = {"positive": credit, "negative": 1 - credit}.get(outcome.metric_type)
    if wanted is not None and not outcome.engaged:  # what was not taken up fails, whatever the words show
        wanted = 0.0
    if not low <= value <= high or (outcome.score is None) != (wanted is None):
        yield f"{outcome.variant_id}: value {value}, score {outcome.score}"
    elif wanted is not None and outcome.score is not None and abs(outcome.score - wanted) > 1e-9:
        yield f"{outcome.variant_id}: {outcome.metric_type} metric, value {value}, score {outcome.score}"
