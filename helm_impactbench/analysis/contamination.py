"""Whether a model does better on published scenarios than on private forms of them, which it cannot have seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.breakdown import SPLIT
from helm_impactbench.analysis.rates import ModelScore, model_scores
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval


@dataclass(frozen=True)
class Advantage:
    """What a model gains on public scenarios, over the benchmarks that have both kinds."""

    model: str
    public: float
    private: float
    interval: Interval
    """95%, of the difference public less private, for these metrics with other scenarios."""

    @property
    def difference(self) -> float:
        """Public less private."""
        return self.public - self.private

    @property
    def is_found(self) -> bool:
        """Whether the interval holds positive differences alone."""
        return self.interval.is_known and self.interval.low > 0


def advantages(outcomes: Iterable[Outcome]) -> list[Advantage]:
    """Return the advantage of every model that has both kinds, in the order of its public score, best first.

    The two scores are independent: private scenarios are cases of their own. The bounds of their difference are
    MOVER's (Zou & Donner, 2008), from the interval of each.
    """
    private, public = list[Outcome](), list[Outcome]()
    for outcome in outcomes:
        (private if dict(outcome.factors).get(SPLIT) == "private" else public).append(outcome)
    both = {(one.model, one.benchmark) for one in private}
    hidden = {score.model: score for score in model_scores(private)}
    shown = model_scores(one for one in public if (one.model, one.benchmark) in both)
    return [_advantage(score, hidden[score.model]) for score in shown]


def _advantage(public: ModelScore, private: ModelScore) -> Advantage:
    first, second = public.interval, private.interval
    found = UNKNOWN
    if first.is_known and second.is_known:
        difference = public.mean - private.mean
        below = math.hypot(public.mean - first.low, second.high - private.mean)
        above = math.hypot(first.high - public.mean, private.mean - second.low)
        found = Interval(difference - below, difference + above)
    return Advantage(public.model, public.mean, private.mean, found)


def concluded(found: Sequence[Advantage]) -> str:
    """Return in one sentence what a reader may conclude."""
    better = [one.model for one in found if one.is_found]
    if better:
        return (
            f"{', '.join(better)}: better on published scenarios than on private ones, by more than chance explains. "
            "They may have been trained on them; or the private ones are harder, which other models would show as well."
        )
    return (
        "No model is better on published scenarios than on private ones by more than chance explains. That is no proof "
        "that none was trained on them."
    )
