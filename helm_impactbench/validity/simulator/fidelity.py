"""Do simulated users write as people do? Two sets of conversations compared, trait by trait and as a whole. Pure.

Both sides are cut to the same number of messages first (`cut_at`): a long chat repeats itself more than a short one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import median

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.energy import EnergyGap, EnergyPoints, difference_of_gaps, gap_between, halves, likeness
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.simultaneous import ALPHA
from helm_impactbench.stats.two_samples import (
    SampleDifference,
    SampleTest,
    coordinate_tests,
    difference,
    one_each,
    overall_test,
)
from helm_impactbench.validity.simulator.user_style import TRAITS, Trait, style_of

MOST = 2_000
"""Conversations of a set that are compared; of more, so many are drawn."""
CLIP = 4.0
"""Standard deviations beyond which a trait is as far off as can be: one odd conversation is not to decide."""
KNOWN = 0.5
"""Share of conversations of either side that must show a trait for it to count."""


@dataclass(frozen=True)
class WrittenMessages:
    """What somebody wrote in one conversation."""

    cluster: Hashable
    """Base scenario of a simulated user, or the person: conversations of one resemble each other."""
    messages: tuple[str, ...]


@dataclass(frozen=True)
class Styles:
    """The styles of a set of conversations."""

    values: Floats
    """Shape (conversations, traits), in the order of TRAITS; nan where a conversation cannot show a trait."""
    clusters: tuple[Hashable, ...]

    @property
    def size(self) -> int:
        """Number of conversations."""
        return len(self.clusters)

    @cached_property
    def units(self) -> int:
        """Number of clusters."""
        return len(set(self.clusters))

    def by_cluster(self, trait: int) -> list[Floats]:
        """Return the known values of a trait by cluster, as ratios count where they do."""
        found: dict[Hashable, list[float]] = {}
        for cluster, value in zip(self.clusters, _counting(self.values)[:, trait].tolist(), strict=True):
            if value == value:
                found.setdefault(cluster, []).append(value)
        return [np.array(found[key]) for key in sorted(found, key=repr)]

    def mean(self, trait: int) -> float:
        """Return the mean of a trait over conversations; nan where none shows it."""
        known = self.values[:, trait][~np.isnan(self.values[:, trait])]
        return float(known.mean()) if len(known) else float("nan")


@dataclass(frozen=True)
class TraitGap:
    """How a trait differs between simulated users and people."""

    trait: Trait
    simulated: float
    """Mean over conversations."""
    human: float
    difference: SampleDifference
    """In standard deviations of people; of the logarithm where ratios count."""
    told: SampleTest


@dataclass(frozen=True)
class Likeness:
    """How alike one simulated user is to people."""

    name: str
    simulated: Styles
    traits: tuple[TraitGap, ...]
    gap: EnergyGap
    ceiling: float
    p_value: float
    """Of the test whether simulated users and people write alike in all traits together."""

    @property
    def value(self) -> float:
        """The index, from 0 to 100; 100 is as alike as two halves of the reference are on average."""
        return self._index(self.gap.coefficient)

    @property
    def interval(self) -> Interval:
        """95%, for other base scenarios and other people like these."""
        bounds = self.gap.interval
        return Interval(self._index(bounds.high), self._index(bounds.low)) if bounds.is_known else UNKNOWN

    def _index(self, coefficient: float) -> float:
        return min(100.0, 100 * likeness(coefficient) / self.ceiling)

    @property
    def told_apart(self) -> bool:
        """Whether the overall test finds a difference."""
        return self.p_value <= ALPHA

    @property
    def dimensions_apart(self) -> list[str]:
        """The dimensions with a trait that tells the two apart."""
        return list(dict.fromkeys(one.trait.dimension for one in self.traits if one.told.apart))


@dataclass(frozen=True)
class Ahead:
    """Which of two simulated users writes more as people do."""

    nearer: str
    farther: str
    difference: float
    """Of the distances to people, each from 0 to 1."""
    interval: Interval


@dataclass(frozen=True)
class Fidelity:
    """The comparison of simulated users with people."""

    human: Styles
    halves: tuple[float, float]
    """Index of the middle 95% of random halves of the reference, whose mean is 100; nan where it has too few people."""
    likenesses: tuple[Likeness, ...]
    """Nearest first."""
    order: tuple[Ahead, ...]


def cut_at(conversations: Sequence[WrittenMessages]) -> int:
    """Return to how many messages both sides are cut: the median number of a simulated user, and two at least."""
    return max(2, int(median(len(one.messages) for one in conversations))) if conversations else 2


def styles_of(conversations: Sequence[WrittenMessages], cut: int, seed: int = SEED) -> Styles:
    """Return the styles of conversations, of MOST at most, in their first `cut` messages."""
    chosen = np.random.default_rng(seed).permutation(len(conversations))[:MOST] if len(conversations) > MOST else None
    kept = [conversations[place] for place in sorted(chosen)] if chosen is not None else list(conversations)
    rows = [list(style_of(one.messages[:cut]).values()) for one in kept]
    return Styles(np.array(rows, dtype=np.float64).reshape(len(kept), len(TRAITS)), tuple(one.cluster for one in kept))


def compare(simulated: dict[str, Styles], human: Styles, permutations: int = 999) -> Fidelity:
    """Return how simulated users, by name, differ from people."""
    usable = _known(human) & np.all([_known(one) for one in simulated.values()], axis=0)
    everybody = np.vstack([human.values, *(one.values for one in simulated.values())])
    scale = _Scale(human.values, everybody, usable)
    people = EnergyPoints(scale.points(human.values), human.clusters)
    within = people.distances(people)
    split = [likeness(one) for one in halves(within).tolist()]
    ceiling = float(np.mean(split)) if split else 100.0
    found = [
        _likeness(
            name,
            one,
            human,
            EnergyPoints(scale.points(one.values), one.clusters),
            people,
            within,
            ceiling,
            permutations,
        )
        for name, one in simulated.items()
    ]
    ranked = sorted(found, key=lambda one: (one.gap.coefficient, one.name))
    low, high = (100 * np.quantile(split, (0.025, 0.975)) / ceiling).tolist() if split else (math.nan, math.nan)
    return Fidelity(
        human=human,
        halves=(low, min(100.0, high)),
        likenesses=tuple(ranked),
        order=tuple(
            Ahead(one.name, other.name, *difference_of_gaps(other.gap, one.gap))
            for one, other in combinations(ranked, 2)
        ),
    )


def _likeness(
    name: str,
    simulated: Styles,
    human: Styles,
    points: EnergyPoints,
    people: EnergyPoints,
    within: Floats,
    ceiling: float,
    permutations: int,
) -> Likeness:
    gap = gap_between(points, people, within)
    one, other = (part.values[one_each(part.clusters)] for part in (simulated, human))
    tests = coordinate_tests(one, other, permutations)
    scale = _Scale(np.vstack([one, other]), np.vstack([one, other]), _known(simulated) & _known(human))
    return Likeness(
        name=name,
        simulated=simulated,
        traits=tuple(
            TraitGap(
                trait,
                simulated.mean(place),
                human.mean(place),
                difference(simulated.by_cluster(place), human.by_cluster(place)),
                tests[place],
            )
            for place, trait in enumerate(TRAITS)
        ),
        gap=gap,
        ceiling=ceiling,
        p_value=overall_test(scale.points(one), scale.points(other), permutations),
    )


class _Scale:
    """Makes points of styles: every trait robustly standardised, every dimension of equal weight."""

    def __init__(self, reference: Floats, everybody: Floats, usable: NDArray[np.bool_]) -> None:
        self._usable = usable
        values, others = _counting(reference)[:, usable], _counting(everybody)[:, usable]
        self._middle = np.nanmedian(values, axis=0) if len(values) else np.zeros(usable.sum())
        spread, wide = _winsorised(values), _winsorised(others)
        self._spread = np.where(spread > 0, spread, np.where(wide > 0, wide, 1.0))
        dimensions = [trait.dimension for trait, kept in zip(TRAITS, usable, strict=True) if kept]
        self._weight = np.array([dimensions.count(one) ** -0.5 for one in dimensions])

    def points(self, values: Floats) -> Floats:
        """Return the points; what a conversation cannot show is the reference's median. Shape (points, usable)."""
        standard = (_counting(values)[:, self._usable] - self._middle) / self._spread
        found: Floats = np.clip(np.nan_to_num(standard, nan=0.0), -CLIP, CLIP) * self._weight
        return found


def _counting(values: Floats) -> Floats:
    """Return the logarithms of traits whose ratios count; the others as they are."""
    logs = np.array([trait.log for trait in TRAITS])
    found: Floats = np.where(logs, np.log(np.where(logs & (values > 0), values, 1.0)), values)
    return np.where(np.isnan(values), np.nan, found)


def _known(styles: Styles) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (
        (~np.isnan(styles.values)).mean(axis=0) >= KNOWN if styles.size else np.zeros(len(TRAITS), bool)
    )
    return found


def _winsorised(values: Floats) -> Floats:
    """Return standard deviations without the outer two per cent."""
    low, high = np.nanquantile(values, (0.01, 0.99), axis=0)
    found: Floats = np.nanstd(np.clip(values, low, high), axis=0)
    return found
