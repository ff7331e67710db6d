"""Do people fare differently with a model? Decided here for every output, so that all of them say the same.

Where they do, the average over them is nobody's result: it is no headline, and has no rank and no grade.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from helm_impactbench.analysis.level_contrasts import Level, LevelContrast, level_contrasts
from helm_impactbench.analysis.rates import Rate, grouped
from helm_impactbench.benchmark.run_axes import RUN_AXES
from helm_impactbench.conversation.age import AGE_AXIS, is_minor_level
from helm_impactbench.errors import counted, listed
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.tables.names import shown_model

AREA = "impact"
"""Whose benchmarks simulate people."""
MINORS, ADULTS = "child or teenager (6-17)", "adult (18+)"
"""The two ages that people are told apart by: bands of a few years have too few cases each for a finding."""
_WORDS = {MINORS: "a child or teenager (6 to 17)", ADULTS: "an adult (18 or older)"}
MOST_TOLD = 3
"""Gaps that a screen names; of the rest it gives the number."""


@dataclass(frozen=True)
class GroupRates:
    """The pass rates with two groups of people."""

    worse: tuple[str, float]
    """The group that fares worse, and its rate."""
    better: tuple[str, float]


@dataclass(frozen=True)
class PeopleGap:
    """Two groups of people with whom a model does not do equally well in the same situations."""

    contrast: LevelContrast

    @property
    def model(self) -> str:
        """Deployment of the target."""
        return self.contrast.model

    @property
    def axis(self) -> str:
        """What the groups differ in."""
        return self.contrast.axis

    @property
    def levels(self) -> tuple[str, str]:
        """Both groups."""
        return self.contrast.first, self.contrast.second

    @property
    def worse(self) -> tuple[str, float]:
        """The group that fares worse, and the pass rate with it."""
        return min(self._sides, key=lambda side: side[1])

    @property
    def better(self) -> tuple[str, float]:
        """The other group, and the pass rate with it."""
        return max(self._sides, key=lambda side: side[1])

    @property
    def _sides(self) -> tuple[tuple[str, float], tuple[str, float]]:
        one = self.contrast
        return (one.first, one.first_rate), (one.second, one.second_rate)

    @property
    def sentence(self) -> str:
        """What a screen says before anything else."""
        (worse, low), (better, high) = self.worse, self.better
        return (
            f"{shown_model(self.model)} does worse with {_WORDS.get(worse, worse)} ({low:.1%} passed) than with "
            f"{_WORDS.get(better, better)} ({high:.1%}), in the same situations: no average of them is its result. "
            f"{self.contrast.undone}".rstrip()
        )


def group_rates(outcomes: Sequence[Outcome], gap: PeopleGap) -> GroupRates | None:
    """Return the rates of outcomes with the two groups of a gap; None where one of them has none.

    Ages are taken as in the gap: see `in_two_ages`.
    """
    by_level = {level: Rate(tuple(o for o in outcomes if (gap.axis, level) in o.axes)) for level in gap.levels}
    if not all(rate.scored for rate in by_level.values()):
        return None
    worse, better = sorted(((level, rate.value) for level, rate in by_level.items()), key=lambda side: side[1])
    return GroupRates(worse, better)


def people_sentences(people: Mapping[str, Sequence[PeopleGap]]) -> tuple[str, ...]:
    """Return a sentence per model and axis, the widest gap first."""
    gaps = sorted((gap for own in people.values() for gap in own), key=lambda gap: gap.worse[1] - gap.better[1])
    said = [gap.sentence for gap in gaps[:MOST_TOLD]]
    return (*said, *([f"The same of {counted(left, 'more gap')}."] if (left := len(gaps) - MOST_TOLD) > 0 else []))


def in_two_ages(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes with MINORS or ADULTS in place of bands of age, where there are more than two ages."""
    if len({level for outcome in outcomes for axis, level in outcome.axes if axis == AGE_AXIS}) <= 2:
        return list(outcomes)
    aged = {axes: _aged(axes) for axes in {outcome.axes for outcome in outcomes}}
    return [_with_axes(outcome, aged[outcome.axes]) for outcome in outcomes]


def _aged(axes: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((axis, _age(level) if axis == AGE_AXIS else level) for axis, level in axes)


def _with_axes(outcome: Outcome, axes: tuple[tuple[str, str], ...]) -> Outcome:
    """Return what `replace` would, in a fifth of its time: this runs once for every conversation and analysis."""
    if outcome.axes == axes:
        return outcome
    own = copy(outcome)
    object.__setattr__(own, "axes", axes)
    return own


def _age(level: str) -> str:
    return MINORS if is_minor_level(level) else ADULTS


def people_contrasts(outcomes: Sequence[Outcome], level: Level = "overall") -> list[LevelContrast]:
    """Return every contrast between two groups of people, of every model, significant or not.

    Pass rates of the same base scenarios as two groups tell them, over all benchmarks or in each; sign-flip tests,
    corrected by max-T over all models, axes and pairs of groups. Bands of age are taken as minors and adults. What an
    operator demands of the model, and how the same people type, is no group of people.
    """
    people = in_two_ages([outcome for outcome in outcomes if outcome.area == AREA])
    return level_contrasts(people, (level,), without=RUN_AXES)


def people_levels(
    outcomes: Sequence[Outcome], *, alone: bool = False
) -> tuple[list[LevelContrast], list[LevelContrast]]:
    """Return the contrasts over all benchmarks and those in each, in less time than one after the other.

    alone: whether those over all benchmarks are corrected for each model by itself, as if no other were there.
    """
    own = [outcome for outcome in outcomes if outcome.area == AREA]
    parts = grouped(own, lambda outcome: outcome.model).values() if alone else [own]
    people = [outcome for part in parts for outcome in in_two_ages(part)]
    levels: tuple[Level, Level] = ("overall", "benchmark")
    found = level_contrasts(people, levels, without=RUN_AXES, alone=levels[:1] if alone else ())
    return [one for one in found if one.level == "overall"], [one for one in found if one.level == "benchmark"]


def people_gaps(outcomes: Sequence[Outcome]) -> dict[str, tuple[PeopleGap, ...]]:
    """Return model -> the widest significant gap on each axis of people, the widest of all first; none is left out.

    They are among those of `people_contrasts`.
    """
    return gaps_of(people_contrasts(outcomes))


def gaps_of(contrasts: Sequence[LevelContrast]) -> dict[str, tuple[PeopleGap, ...]]:
    """Return the same from contrasts that are at hand."""
    found: dict[str, dict[str, PeopleGap]] = {}
    significant = [one for one in contrasts if one.found]
    for one in sorted(significant, key=lambda one: (-abs(one.difference.value), one.model, one.axis)):
        found.setdefault(one.model, {}).setdefault(one.axis, PeopleGap(one))
    return {model: tuple(axes.values()) for model, axes in found.items()}


def hidden_sentence(over_all: Sequence[LevelContrast], in_benchmarks: Sequence[LevelContrast]) -> str:
    """Return a sentence on models with significant gaps in single benchmarks and none on that axis over all of them.

    Opposite gaps in two benchmarks cancel. Empty where there are none.
    """
    known = {(one.model, one.axis) for one in over_all if one.found}
    found: dict[str, list[str]] = {}
    for one in in_benchmarks:
        if one.found and (one.model, one.axis) not in known:
            found.setdefault(shown_model(one.model), []).append(f"{one.scope} by {one.axis}")
    if not found:
        return ""
    named = [f"{model} in {listed([*dict.fromkeys(own)], most=MOST_TOLD)}" for model, own in found.items()]
    return (
        "People fare differently in single benchmarks, although no gap over all of them is significant: "
        f"{listed(named, most=MOST_TOLD)}. `impactbench contrasts --by benchmark` shows the gaps."
    )
