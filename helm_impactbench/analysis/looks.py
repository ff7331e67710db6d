"""Looks at a suite while it grows: which there were, and differences between models that hold at any of them.

A test holds for one look at a suite whose size was fixed beforehand. Whoever compares after a quarter, a half and three
quarters of the cases, and stops when something is found, finds too much; so every look is recorded beside the runs, and
from the second one on models are compared by tests that hold at any look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from helm_impactbench.analysis.paired import Difference
from helm_impactbench.analysis.paired_totals import Totals
from helm_impactbench.errors import listed
from helm_impactbench.stats.intervals import LEVEL, Interval
from helm_impactbench.stats.looks import bets_on
from helm_impactbench.stats.simultaneous import FamilyTest
from helm_impactbench.suites.reading import Reading, Selection

CaseCounts = Mapping[str, Mapping[str, int]]
"""Model -> benchmark -> base scenarios that it met."""


@dataclass(frozen=True)
class Look:
    """What of a suite was compared."""

    bases: CaseCounts
    is_planned: bool = False
    """Whether the suite was to grow from the beginning, so that even its first look is by tests that hold at any."""

    def is_before(self, other: Look, models: int = 2) -> bool:
        """Return whether so many models have since met more of a benchmark than they had at this look."""
        grown: Counter[str] = Counter()
        for model, own in self.bases.items():
            grown.update(slug for slug, number in own.items() if 0 < number < other.bases.get(model, {}).get(slug, 0))
        return any(number >= models for number in grown.values())

    @property
    def size(self) -> int:
        """Base scenarios of the model that met most."""
        return max((sum(own.values()) for own in self.bases.values()), default=0)


def look_at(reading: Reading) -> Look | None:
    """Return what a comparison of a reading looks at; None where only some metrics, levels or verdicts are read."""
    whole, chosen = Selection(), reading.selection
    if any(getattr(chosen, name) != getattr(whole, name) for name in ("metrics", "where", "withhold")):
        return None
    met: dict[str, dict[str, set[str]]] = {}
    for outcome in reading.outcomes:
        met.setdefault(outcome.model, {}).setdefault(outcome.benchmark, set()).add(outcome.base_id)
    return Look({model: {slug: len(bases) for slug, bases in own.items()} for model, own in met.items()})


def looks_before(looks: Iterable[Look], now: Look | None, models: int = 2) -> list[Look]:
    """Return the earlier looks at what has grown since, in so many models; planned ones also where nothing has."""
    return [look for look in looks if now is not None and (look.is_planned or look.is_before(now, models))]


def looks_sentence(before: Sequence[Look]) -> str:
    """Return what a reader has to know of a suite that was looked at before; empty where it was not."""
    if not before:
        return ""
    sizes = listed([f"{size:,}" for size in sorted({look.size for look in before})])
    return (
        f"This suite grows, and was looked at with {sizes} base scenarios: tests, ranks and intervals of differences "
        "are those that hold at any look."
    )


@dataclass(frozen=True)
class DifferenceAtAnyLook(Difference):
    """A difference whose test and interval hold at any look, together with those of so many others."""

    family: int = 1

    @cached_property
    def interval(self) -> Interval:
        """95% for all of the family at once."""
        return bets_on(self.groups).interval(1 - (1 - LEVEL) / self.family)

    def tips(self) -> float | None:
        """Return the share of the missing verdicts that would have to go against a found difference to undo it."""
        worst = self.filled[0 if self.value >= 0 else 1]
        return next((part for part in _PARTS if not self._test(_between(self.totals, worst, part)).found), None)

    def _test(self, totals: Totals) -> FamilyTest:
        return bets_on(totals.groups).test(self.family)


_PARTS = [place / 50 for place in range(1, 51)]


def _between(seen: Totals, worst: Totals, part: float) -> Totals:
    """Return totals with so large a part of what is missing at its worst, and the rest of it left out."""
    own = {one: values for one, *values in zip(seen.clusters, seen.sums, seen.counts, seen.gains, strict=True)}
    ends = np.stack([worst.sums, worst.counts, worst.gains])
    begin = np.array([own.get(one, (0.0, 0.0, 0.0)) for one in worst.clusters]).T
    return Totals(worst.clusters, *(begin + part * (ends - begin)))


def at_any_look(difference: Difference, family: int) -> DifferenceAtAnyLook:
    """Return a difference as one of a family that holds at any look, with its test."""
    own = {one.name: getattr(difference, one.name) for one in fields(Difference)}
    return DifferenceAtAnyLook(**{**own, "test": bets_on(difference.groups).test(family)}, family=family)


def among_at_any_look(family: Sequence[Difference]) -> list[DifferenceAtAnyLook]:
    """Return differences with their tests, which hold for all of them at any look."""
    return [at_any_look(one, len(family)) for one in family]
