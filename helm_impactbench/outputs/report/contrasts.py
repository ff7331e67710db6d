"""What the pages say of contrast metrics: levels, gaps, who is sided with, and the matched conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from helm_impactbench.analysis.contrast_metrics import (
    AGREE,
    BOTH_SIDES,
    UPLIFT,
    ContrastFigure,
    FigureEstimate,
    LevelGap,
    estimate,
    level_gaps,
    level_means,
    stance_mix,
)
from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.analysis.widest_gap import units_apart, widest_of
from helm_impactbench.results.outcome import Outcome

if TYPE_CHECKING:
    from helm_impactbench.outputs.report.rows import ReportRow

SIDES: tuple[ContrastFigure, ...] = (BOTH_SIDES, AGREE, UPLIFT)
"""Figures on who is sided with; only metrics that say what favours whom have them."""


@dataclass(frozen=True)
class ModelContrast:
    """One model on one contrast metric, or on several with the same axis."""

    outcomes: tuple[Outcome, ...]

    @cached_property
    def sets(self) -> list[MatchedSet]:
        """Its matched sets."""
        return list(matched_sets(self.outcomes))

    @property
    def answered(self) -> int:
        """Conversations with an answer."""
        return sum(outcome.is_scored for outcome in self.outcomes)

    @property
    def unscored(self) -> Mapping[str, int]:
        """Reason, or status, of those without -> conversations."""
        return Counter(outcome.why_missing for outcome in self.outcomes if outcome.why_missing is not None)

    @cached_property
    def means(self) -> dict[str, FigureEstimate]:
        """Level -> mean of the measure, in its own units."""
        return level_means(self.outcomes)

    @cached_property
    def mix(self) -> dict[str, dict[str, FigureEstimate]]:
        """Level -> side -> share of the answers on it; empty where no side favours a person."""
        return stance_mix(self.sets)

    @cached_property
    def gaps(self) -> list[LevelGap]:
        """The difference between every two levels, with its interval."""
        return level_gaps(self.sets)

    @cached_property
    def widest(self) -> LevelGap | None:
        """The widest difference between compared levels, as widest_gap has it; None without one."""
        return widest_of(self.gaps, self.sets).gap

    @cached_property
    def tried(self) -> frozenset[tuple[str, str]]:
        """The pairs of compared levels: none with a reference, nor of a placebo beside others."""
        return frozenset((gap.first, gap.second) for gap in widest_of(self.gaps, self.sets).tried)

    @cached_property
    def sides(self) -> dict[str, FigureEstimate | None]:
        """Name of each figure of SIDES -> the figure, None where it has no value."""
        found = {figure.name: estimate(figure, self.sets) for figure in SIDES}
        return {name: figure if figure.n else None for name, figure in found.items()}


@dataclass(frozen=True)
class ToldGap:
    """What tests say of the gaps of a model."""

    test: GapTest | None
    """Of the widest significant gap; None where no gap is."""
    could_be: bool
    """Whether any gap could have been found."""


def told_gap(found: ModelContrast, tests: Sequence[GapTest]) -> ToldGap:
    """Return what tests say of the gaps between compared levels."""
    own = [test for test in tests if (test.gap.first, test.gap.second) in found.tried]
    significant = [test for test in own if test.found]
    widest = max(significant, key=lambda test: abs(test.gap.estimate.value), default=None)
    return ToldGap(widest, any(test.can_be_found for test in own))


def by_model(outcomes: Iterable[Outcome]) -> dict[str, ModelContrast]:
    """Return the models' contrasts, those nearest to no difference first; those without a value last."""
    contrasts = [outcome for outcome in outcomes if outcome.contrast is not None]
    found = {
        model: ModelContrast(tuple(own)) for model, own in grouped(contrasts, lambda outcome: outcome.model).items()
    }
    return dict(sorted(found.items(), key=lambda item: (_size(item[1]), item[0])))


def _size(found: ModelContrast) -> float:
    return abs(found.widest.estimate.value) if found.widest else float("inf")


def by_factor(outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, ModelContrast]]]:
    """Return factor -> its level -> model -> contrast over the base scenarios with that level."""
    contrasts = [outcome for outcome in outcomes if outcome.contrast is not None]
    found: dict[str, dict[str, list[Outcome]]] = {}
    for outcome in contrasts:
        for factor, level in outcome.factors:
            found.setdefault(factor, {}).setdefault(level, []).append(outcome)
    return {
        factor: {level: by_model(own) for level, own in sorted(levels.items())}
        for factor, levels in sorted(found.items())
    }


def level_of(outcome: Outcome) -> str:
    """Return the level of the compared axis; empty for a level metric."""
    return dict(outcome.axes).get(outcome.contrast.axis, "") if outcome.contrast else ""


def matched_with(outcome: Outcome) -> tuple[object, ...]:
    """Return what the conversations of one matched set, of one model, have in common."""
    axis = outcome.contrast.axis if outcome.contrast else ""
    rest = tuple(pair for pair in outcome.axes if pair[0] != axis)
    return outcome.setup, outcome.model, outcome.metric, outcome.base_id, outcome.sample, rest


@dataclass(frozen=True)
class MatchedRow:
    """The conversations of one matched set of one model, side by side."""

    first: Outcome
    """Any of them, for what they have in common."""
    cells: Mapping[str, Sequence[ReportRow]]
    """Level -> conversations; several only where set-ups have the same levels."""

    @property
    def name(self) -> str:
        """The base scenario, and the sample from the second one on."""
        return self.first.base_id + (f", sample {self.first.sample + 1}" if self.first.sample else "")


def matched_rows(rows: Sequence[ReportRow]) -> list[MatchedRow]:
    """Return the matched sets of a list of conversations, by base scenario and model."""
    found: dict[tuple[object, ...], dict[str, list[ReportRow]]] = {}
    for row in rows:
        if row.outcome.contrast is not None:
            cells = found.setdefault(matched_with(row.outcome), {})
            cells.setdefault(level_of(row.outcome), []).append(row)
    sets = [MatchedRow(next(iter(cells.values()))[0].outcome, cells) for cells in found.values()]
    return sorted(sets, key=lambda one: (one.first.base_id, one.first.sample, one.first.model, one.first.setup))


def shown_sides(compared: Mapping[str, ModelContrast]) -> list[str]:
    """Return the names of SIDES that any of these models has a value of."""
    return [one.name for one in SIDES if any(found.sides[one.name] for found in compared.values())]


def affirms_both(levels: Mapping[str, Mapping[str, ModelContrast]]) -> bool:
    """Return whether any of these contrasts, by level and model, has a rate of both sides affirmed."""
    return any(BOTH_SIDES.name in shown_sides(compared) for compared in levels.values())


def without_common_unit(compared: Mapping[str, ModelContrast]) -> list[str]:
    """Return the metrics that no gap of these models is taken from: their units have no mean with other metrics."""
    return units_apart(outcome for found in compared.values() for outcome in found.outcomes)
