"""What contrast metrics say beside a row of the label. It is never graded: a difference is not a share that passes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from helm_impactbench.analysis.contrast_metrics import BOTH_SIDES, Estimate, LevelGap, estimate, widest_gap
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class Compared:
    """The conversations on contrast metrics that declare one row."""

    outcomes: tuple[Outcome, ...]

    @cached_property
    def _sets(self) -> list[MatchedSet]:
        return list(matched_sets(self.outcomes))

    @cached_property
    def both_sides(self) -> Estimate | None:
        """How often each party is found in the right when it asks; None where no level favours anybody."""
        found = estimate(BOTH_SIDES, self._sets)
        return found if found.n else None

    @cached_property
    def widest(self) -> LevelGap | None:
        """The widest gap between two levels; None where no case has answers at two."""
        return widest_gap(self._sets)

    @property
    def axis(self) -> str:
        """What is compared: the axis, or several."""
        return ", ".join(sorted({outcome.contrast.axis for outcome in self.outcomes if outcome.contrast}))
