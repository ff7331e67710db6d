"""Runs that drew base scenarios until they had seen enough: their intervals, and what they decided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.conversation.draw import Draw
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.sequential import Draws, Goal


def draws_of(outcomes: Sequence[Outcome]) -> Draws:
    """Return what was found draw by draw; `outcomes`, all of one run that may stop early, may be a part of it.

    Missing verdicts are counted in both ways, so that they never decide. What is not applicable is not counted.
    """
    drawn = [(outcome, outcome.draw) for outcome in outcomes if outcome.draw is not None]
    planned = Counter(draw.place for _, draw in drawn)
    share = max(planned[draw.place] / draw.size for _, draw in drawn)  # of each base scenario, in a part of the run
    shape = max(planned)
    lows, highs, counts = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for outcome, draw in drawn:
        if outcome.score is not None or outcome.is_missing:
            place = draw.place - 1
            counts[place] += 1
            lows[place] += 0.0 if outcome.score is None else outcome.score
            highs[place] += 1.0 if outcome.score is None else outcome.score
    return Draws(lows, highs, counts, drawn[0][1].most * share)


def goal_of(draw: Draw) -> Goal:
    """Return what a run draws for."""
    return Goal(draw.width, draw.bar, draw.other_scenarios)


def goal_interval(outcomes: Sequence[Outcome], draw: Draw) -> Interval:
    """Return the 95% interval that a run looks at after each draw: for its own list, or for other scenarios."""
    return draws_of(outcomes).interval(None if draw.other_scenarios else draw.of)


@dataclass(frozen=True)
class EarlyStop:
    """Where one run stopped, and why."""

    model: str
    benchmark: str
    draw: Draw
    """The last one."""
    conversations: int
    """That were held."""
    rate: float
    """Mean score of those with a verdict; nan without one."""
    interval: Interval
    """95%, and it holds whenever the run stops."""

    @property
    def not_drawn(self) -> int:
        """Conversations of the list that were not held: neither missing nor failed."""
        return self.draw.conversations - self.conversations

    @property
    def is_reached(self) -> bool:
        """Whether the run found what it drew for."""
        return goal_of(self.draw).is_reached(self.interval)

    @property
    def decision(self) -> bool | None:
        """Whether the rate is at or above the bar; None if that is open, or if there is no bar."""
        return goal_of(self.draw).decision(self.interval)

    def __str__(self) -> str:
        where = (
            f"stopped after {self.draw.place:,} of {self.draw.of:,} base scenarios ({self.not_drawn:,} conversations "
            "not drawn)"
            if self.not_drawn
            else f"drew all {self.draw.of:,} base scenarios"
        )
        whose = "for other scenarios" if self.draw.other_scenarios else "for the whole list"
        return f"{self.benchmark} {where}: {self.interval} {whose}{self._wanted}."

    @property
    def _wanted(self) -> str:
        parts = []
        if self.draw.bar is not None:
            words = {True: "at or above", False: "below", None: "undecided about"}[self.decision]
            parts.append(f"{words} {self.draw.bar:g}")
        if self.draw.width is not None:
            narrow = self.interval.is_known and self.interval.high - self.interval.low <= self.draw.width
            parts.append(f"{'at most' if narrow else 'not within'} {self.draw.width:g} wide")
        return "".join(f", {part}" for part in parts)


def stops(outcomes: Iterable[Outcome]) -> list[EarlyStop]:
    """Return where each run stopped that could stop early, in order of first occurrence; whole runs only."""
    runs: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.draw is not None:
            runs.setdefault(outcome.run, []).append(outcome)
    return [_stop(own) for own in runs.values()]


def _stop(outcomes: Sequence[Outcome]) -> EarlyStop:
    last = max((outcome.draw for outcome in outcomes if outcome.draw), key=lambda draw: draw.place)
    scores = [outcome.score for outcome in outcomes if outcome.score is not None]
    rate = math.fsum(scores) / len(scores) if scores else math.nan
    first = outcomes[0]
    return EarlyStop(first.model, first.benchmark, last, len(outcomes), rate, goal_interval(outcomes, last))
