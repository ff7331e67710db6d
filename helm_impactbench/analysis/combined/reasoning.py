"""Is the reasoning right, or only the result? Shares of the answers whose steps were judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from helm_impactbench.analysis.rates import Rate, by_benchmark, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.panels.reasoning import ANSWER, RIGHT, is_right_by_wrong_steps

STEPS = "steps right"
RIGHT_WRONG_STEPS = "right answer, wrong steps"


@dataclass(frozen=True)
class ReasoningShare:
    """One share of one model's answers to the sums of a suite."""

    model: str
    benchmark: str
    kind: str
    rate: Rate
    """Its value is the share; clusters are base scenarios, as everywhere."""


def reasoning_shares(outcomes: Sequence[Outcome]) -> list[ReasoningShare]:
    """Return both shares of every model and suite whose answers' results are known; of all scored answers."""
    judged = [outcome for outcome in outcomes if ANSWER in dict(outcome.factors)]
    return [
        ReasoningShare(model, slug, kind, Rate(tuple(answers)))
        for slug, suite in by_benchmark(judged).items()
        for model, own in sorted(grouped(suite, lambda outcome: outcome.model).items())
        for kind, answers in ((STEPS, own), (RIGHT_WRONG_STEPS, [_marked(outcome) for outcome in own]))
    ]


def _marked(outcome: Outcome) -> Outcome:
    if outcome.score is None:
        return outcome
    right = dict(outcome.factors)[ANSWER] == RIGHT
    share = is_right_by_wrong_steps(right=right, score=outcome.score)
    return replace(outcome, score=share, value=share)
