"""Matched sets: what one model got on the same base scenario at every level of an axis, everything else equal.

Sets of one base scenario form a cluster; metrics are groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import Outcome

SIDES = ("high", "middle", "low")
"""Of the middle of a measure's range, where a value can be."""
RATIOS = (-1.0, 1.0)
"""The range of relative values, natural logarithms of a ratio: from 37% to 272%. What lies beyond counts as its end."""


@dataclass(frozen=True)
class MatchedSet:
    """One sample of one base scenario at every level that has a value."""

    metric: str
    base_id: str
    contrast: Contrast
    bounds: tuple[float, float] | None
    values: Mapping[str, float]
    """Level -> value of the measure, or of a relative contrast as `ratios` has it."""
    sample: int = 0
    rest: tuple[tuple[str, str], ...] = ()
    """The levels of the other axes."""
    setup: str = ""
    """As that of its outcomes."""
    contents: Mapping[str, str] = field(default_factory=dict)
    """Level -> hash of what was put to the model."""
    compared: tuple[str, ...] = ()
    """The levels that are compared, whether or not this set has a value at each of them."""
    missing: frozenset[str] = frozenset()
    """The levels without a value that could have one."""
    not_applicable: frozenset[str] = frozenset()
    """The levels at which the question did not arise."""

    def gap(self, first: str, second: str) -> float | None:
        """Return how much better `first` does than `second`, as a share of the measure's range; None without both."""
        both = first in self.values and second in self.values
        return self.contrast.sign * (self.values[first] - self.values[second]) / self.span if both else None

    def gap_range(self, first: str, second: str) -> tuple[float, float] | None:
        """Return the least and the greatest gap that missing values allow; None where a level can have no value."""
        sides = [self._range(level) for level in (first, second)]
        if None in sides:
            return None
        (low, high), (second_low, second_high) = (side for side in sides if side is not None)
        ends = (low - second_high, high - second_low)
        least, most = sorted(self.contrast.sign * end / self.span for end in ends)
        return least, most

    def _range(self, level: str) -> tuple[float, float] | None:
        if level in self.values:
            return self.values[level], self.values[level]
        return (self.bounds or (-math.inf, math.inf)) if level in self.missing else None

    def filled(self, given: Mapping[str, float]) -> MatchedSet:
        """Return the set with these values, level -> value, where its own are missing."""
        found = {level: value for level, value in given.items() if level in self.missing}
        return replace(self, values={**self.values, **found}, missing=self.missing - {*found}) if found else self

    def place(self, *levels: str, setup: bool = True) -> tuple[object, ...]:
        """Return what is equal for sets that met the same cases at these levels; `setup`: in the same set-up."""
        contents = tuple(self.contents.get(level) for level in levels)
        return self.setup if setup else "", self.metric, self.base_id, self.sample, self.rest, contents

    @property
    def levels(self) -> list[str]:
        """The levels that are compared, of those that have a value."""
        return [level for level in self.compared if level in self.values]

    @property
    def span(self) -> float:
        """The greatest difference that two values can have; 1 where there is no limit, so that units stay."""
        return self.bounds[1] - self.bounds[0] if self.bounds else 1.0

    def side(self, level: str) -> str:
        """Return on which side of the measure's middle the value of a level is: high, low or middle."""
        if self.bounds is None:
            return "middle"
        low, high = self.bounds
        place = (2 * self.values[level] - (low + high)) / (high - low)
        return "high" if place > self.contrast.threshold else "low" if place < -self.contrast.threshold else "middle"

    def favours(self, level: str, told_by: str) -> bool:
        """Return whether the value at `level` is on the side of the person at the level `told_by`."""
        return self.side(level) == self.contrast.favours[told_by]

    @property
    def partisan(self) -> list[str]:
        """The compared levels at which a side is in the person's favour."""
        return [level for level in self.levels if level in self.contrast.favours]


def contrast_outcomes(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the outcomes of contrast metrics."""
    return [outcome for outcome in outcomes if outcome.contrast is not None]


def without_placebos(outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """Return the outcomes without those of placebos; all of them if there are no others."""
    return [outcome for outcome in outcomes if outcome.contrast and not outcome.contrast.placebo] or outcomes


def matched_sets(outcomes: Iterable[Outcome]) -> Iterator[MatchedSet]:
    """Yield the matched sets of one model's outcomes that have a value or could have one; level metrics have none."""
    found = contrast_outcomes(outcomes)
    compared = {metric: _compared(own) for metric, own in grouped(found, lambda outcome: outcome.metric).items()}
    for (setup, metric, base, sample, rest), own in grouped(found, _matched_by).items():
        contrast = own[0].contrast
        assert contrast is not None
        values = {level_of(outcome): outcome.value for outcome in own if outcome.value is not None}
        missing = frozenset(level_of(outcome) for outcome in own if outcome.is_missing)
        if values or missing:
            yield MatchedSet(
                metric,
                base,
                contrast,
                RATIOS if contrast.relative else own[0].bounds,
                ratios(values, contrast.reference) if contrast.relative else values,
                sample=sample,
                rest=rest,
                setup=setup,
                contents={level_of(outcome): outcome.content for outcome in own},
                compared=compared[metric],
                missing=missing - {*values},
                not_applicable=frozenset(map(level_of, own)) - missing - {*values},
            )


def ratios(values: Mapping[str, float], reference: str | None) -> dict[str, float]:
    """Return level -> natural logarithm of its share of what the reference got, within RATIOS.

    0.08 is about 8% more. A plain percentage of a reference that itself varies is too high on average, by as much as
    the variance of the reference; the difference of two logarithms is not, and does not depend on the reference.
    Without a value of the reference, the geometric mean of the others takes its place. Nothing at all counts as the
    least.
    """
    logs = {level: math.log(value) for level, value in values.items() if value > 0}
    middle = logs.get(reference or "", math.fsum(logs.values()) / len(logs) if logs else 0.0)
    low, high = RATIOS
    return {level: min(high, max(low, logs[level] - middle)) if level in logs else low for level in values}


def level_of(outcome: Outcome) -> str:
    """Return the level of the metric's own axis; empty where it has none."""
    return dict(outcome.axes).get(outcome.contrast.axis if outcome.contrast else "", "")


def _compared(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the levels that a metric compares: as it names them, else all that occur, also without a value."""
    contrast = outcomes[0].contrast
    assert contrast is not None
    return tuple(contrast.levels) or tuple(sorted({*map(level_of, outcomes)} - {contrast.reference, ""}))


def _matched_by(outcome: Outcome) -> tuple[str, str, str, int, tuple[tuple[str, str], ...]]:
    axis = outcome.contrast.axis if outcome.contrast else ""
    rest = tuple(pair for pair in outcome.axes if pair[0] != axis)
    return outcome.whole_setup, outcome.metric, outcome.base_id, outcome.sample, rest
