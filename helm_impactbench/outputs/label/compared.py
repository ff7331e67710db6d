"""What contrast metrics say beside a row of the label. It is never graded: a difference is not a share that passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from helm_impactbench.analysis.contrast_metrics import BOTH_SIDES, FigureEstimate, estimate
from helm_impactbench.analysis.gap_tests import GapTest, gap_tests
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.widest_gap import Widest, widest_gap
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class Compared:
    """The conversations on contrast metrics that declare one row."""

    outcomes: tuple[Outcome, ...]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    """The metrics by slug/id."""

    @cached_property
    def _sets(self) -> list[MatchedSet]:
        return list(matched_sets(self.outcomes))

    @cached_property
    def both_sides(self) -> FigureEstimate | None:
        """How often each party is found in the right when it asks; None where no level favours anybody."""
        found = estimate(BOTH_SIDES, self._sets)
        return found if found.n else None

    @cached_property
    def widest(self) -> Widest:
        """The widest gap between two levels."""
        return widest_gap(self._sets)

    @cached_property
    def test(self) -> GapTest | None:
        """The test of the widest gap among all that it was chosen from; None without one."""
        tests = gap_tests((gap, self._sets) for gap in self.widest.tried)
        return max(tests, key=lambda test: abs(test.gap.estimate.value), default=None)

    @cached_property
    def counted(self) -> tuple[Outcome, ...]:
        """The conversations on the metrics that a figure rests on; all where there is none."""
        gap = self.widest.gap.estimate.groups if self.widest.gap else {}
        used = {*gap, *(self.both_sides.groups if self.both_sides else ())}
        return tuple(outcome for outcome in self.outcomes if outcome.metric in used) if used else self.outcomes

    @property
    def axis(self) -> str:
        """What is compared: the axis, or several."""
        return ", ".join(sorted({outcome.contrast.axis for outcome in self.counted if outcome.contrast}))

    @property
    def left_out(self) -> list[str]:
        """Names of the metrics that the widest gap cannot count, as their units have no mean with others."""
        return [self.metrics[name].name for name in self.widest.left_out]

    @property
    def unit(self) -> str | None:
        """What the widest gap is counted in; None for shares of the measure's range."""
        if self.widest.gap is None or math.isfinite(self.widest.gap.estimate.figure.high):
            return None
        (name,) = self.widest.gap.estimate.groups
        return getattr(self.metrics[name].measure, "unit", "in the units of the measure")
