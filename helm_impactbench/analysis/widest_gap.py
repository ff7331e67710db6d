"""The widest gap: of all differences between compared levels, the one that is furthest from 0.

It is chosen by its size. Its interval alone would exclude 0 for one of six levels that are all alike in a third of the
cases; so what is said of it holds for all the differences that it was chosen from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.contrast_metrics import FigureEstimate, LevelGap, level_gaps
from helm_impactbench.analysis.matched_sets import RATIOS, MatchedSet
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import Population, interval_of


@dataclass(frozen=True)
class Widest:
    """The widest gap of one model, and what it was taken from."""

    gap: LevelGap | None
    """Its intervals hold for all differences that it was chosen from; None where no case has values at two levels."""
    tried: tuple[LevelGap, ...]
    """The differences that it was chosen from, each with intervals of its own."""
    left_out: tuple[str, ...]
    """Metrics in units of their own, which have no mean with the others."""

    @property
    def size(self) -> float:
        """How far it is from 0; nan without one."""
        return math.nan if self.gap is None else abs(self.gap.estimate.value)

    def size_interval(self, population: Population) -> Interval:
        """Return the 95% interval of the size."""
        return widest_size([gap.estimate for gap in self.tried], population)


def widest_gap(sets: Sequence[MatchedSet]) -> Widest:
    """Return the widest gap of one model's matched sets."""
    return widest_of(level_gaps(sets), sets)


def widest_of(gaps: Iterable[LevelGap], sets: Sequence[MatchedSet]) -> Widest:
    """Return the widest of the gaps of matched sets, the first of equal ones.

    Those to a reference do not count, nor those of a placebo unless there is nothing else.
    """
    references = {found.contrast.reference for found in sets}
    placebos = {found.metric for found in sets if found.contrast.placebo}
    compared = [gap for gap in gaps if gap.second not in references]
    tried = tuple(gap for gap in compared if not placebos.issuperset(gap.estimate.groups)) or tuple(compared)
    widest = max(tried, key=lambda gap: abs(gap.estimate.value), default=None)
    simultaneous = widest and LevelGap(widest.first, widest.second, widest.estimate.among(len(tried)))
    return Widest(simultaneous, tried, tuple(_apart((found.metric, found.bounds) for found in sets if found.values)))


def widest_size(differences: Sequence[FigureEstimate], population: Population) -> Interval:
    """Return the 95% interval of how far the widest of some differences is from 0; unknown unless all are known.

    Its lower end is the greatest of the differences' lower ends, each of which has to hold for all at once. Its upper
    end is the greatest of their own upper ends: it is too low only where that of the truly widest one is.
    """
    if not differences:
        return UNKNOWN
    low = [_sizes(interval_of(each.among(len(differences)), population)) for each in differences]
    high = [_sizes(interval_of(each, population)) for each in differences]
    known = all(size.is_known for size in high)
    return Interval(max(size.low for size in low), max(size.high for size in high)) if known else UNKNOWN


def _sizes(interval: Interval) -> Interval:
    """Return between which distances from 0 an interval lies."""
    ends = abs(interval.low), abs(interval.high)
    return Interval(0.0 if interval.low <= 0 <= interval.high else min(ends), max(ends))


def units_apart(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the contrast metrics in units of their own whose benchmark has others: no mean over metrics has them.

    A relative contrast has none: its values are ratios.
    """
    found: dict[str, list[tuple[str, tuple[float, float] | None]]] = {}
    for outcome in outcomes:
        if outcome.contrast and outcome.value is not None:
            bounds = RATIOS if outcome.contrast.relative else outcome.bounds
            found.setdefault(outcome.benchmark, []).append((outcome.metric, bounds))
    return [metric for own in found.values() for metric in _apart(own)]


def _apart(measured: Iterable[tuple[str, tuple[float, float] | None]]) -> list[str]:
    """Return the metrics, given with their measures' ranges, that have none, if there are others."""
    found = dict(measured)
    return [metric for metric, bounds in sorted(found.items()) if bounds is None] if len(found) > 1 else []
