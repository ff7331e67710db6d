"""Planning a suite: the pilot that another suite is, and what as many base scenarios as needed would take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.analysis.comparison import by_case
from helm_impactbench.analysis.level_contrasts import axis_sides
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.paired import CasePair
from helm_impactbench.analysis.paired_totals import totals
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.assumed import Assumed, assumed_pilot
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import (
    FEWEST_BASES,
    Planned,
    detectable_difference,
    level_of_pairs,
    level_of_tests,
)

SAMPLES = (1, 2, 4, 8)
"""Samples per variant that are planned for, beside the pilot's own."""
RANGE = (0.1, 0.9)
"""Shares of the truths that a pilot leaves open, between which the range of base scenarios lies."""
Sides = tuple[Outcome, Outcome]


@dataclass(frozen=True)
class PowerQuestion:
    """What is to be found."""

    scope: str
    """An area, a benchmark, or what is assumed."""
    difference: float
    """The true difference that should be found."""
    models: int
    """How many are compared."""
    tests: int
    """In the family that the correction is for."""
    levels: int = 0
    """Of an axis, where these are compared in every model, and not models: 2."""

    @property
    def level(self) -> float:
        """The level of each test, so that any false finding in the family has 5%."""
        return level_of_tests(self.tests) if self.levels else level_of_pairs(self.models)

    @property
    def conversations(self) -> int:
        """Conversations for each pair of the pilot, over all models."""
        return self.models * (self.levels or 1)


@dataclass(frozen=True)
class PowerPlan:
    """What it takes with a number of samples per variant."""

    samples: int
    detectable: float
    """The smallest difference that is found with so many base scenarios as were asked about; nan for none."""
    scenarios: float
    """Base scenarios to find the difference in 80% of suites, over all that the pilot leaves open; infinite beyond
    1,000,000."""
    least: float
    """The same under a tenth of the truths that the pilot leaves open; under assumptions that of `scenarios`."""
    most: float
    """The same under nine tenths of them."""
    per_side: float
    """Conversations of each model, or at each level."""
    conversations: float
    """Of all models, at both levels where levels are compared."""


def model_pilot(outcomes: Sequence[Outcome], first: str, second: str) -> Pilot | None:
    """Return the pilot of a comparison of two models; None when they share fewer than two base scenarios."""
    cases = {model: by_case(own) for model, own in grouped(outcomes, lambda o: o.model).items()}
    one, other = cases.get(first, {}), cases.get(second, {})
    return _pilot([(outcome, other[case]) for case, outcome in one.items() if case in other])


def level_pilot(outcomes: Sequence[Outcome], model: str, axis: str, first: str, second: str) -> Pilot | None:
    """Return the pilot of a contrast of two levels of an axis; None with fewer than two base scenarios at both."""
    own = [outcome for outcome in outcomes if outcome.model == model and outcome.is_level]
    return _pilot(axis_sides(own, axis, first, second))


def gap_pilot(outcomes: Sequence[Outcome], model: str, axis: str, first: str, second: str) -> Pilot | None:
    """Return the pilot of a gap of contrast metrics, in shares of the measure's range; None as above.

    Gaps of measures without a range have no mean over metrics and are left out.
    """
    own = [
        o
        for o in outcomes
        if o.model == model and o.contrast and o.contrast.axis == axis and (o.bounds or o.contrast.relative)
    ]
    pairs: list[CasePair] = []
    cases: dict[object, list[float]] = {}
    asked: set[tuple[str, str]] = set()
    for found in matched_sets(own):
        gap = found.gap(first, second)
        if found.gap_range(first, second) is not None:
            asked.add((found.metric, found.base_id))
        if gap is not None:
            pairs.append(CasePair(found.metric, found.base_id, gap))
            cases.setdefault((found.setup, found.metric, found.base_id, found.rest), []).append(gap)
    bases = len({(pair.benchmark, pair.base_id) for pair in pairs})
    return _from_pairs(pairs, len(pairs) / bases if bases else 0.0, cases, len(asked))


def _pilot(sides: Sequence[Sides]) -> Pilot | None:
    scored = [(a, a.score - b.score) for a, b in sides if a.score is not None and b.score is not None]
    pairs = [CasePair(outcome.benchmark, outcome.base_id, difference) for outcome, difference in scored]
    cases: dict[object, list[float]] = {}
    for outcome, difference in scored:
        cases.setdefault((outcome.whole_setup, *outcome.cluster, outcome.variant_id), []).append(difference)
    bases = len({outcome.cluster for outcome, _ in sides})
    return _from_pairs(pairs, len(sides) / bases if bases else 0.0, cases, bases)


def _from_pairs(
    pairs: Sequence[CasePair], conversations: float, cases: Mapping[object, Sequence[float]], asked: int
) -> Pilot | None:
    """Return a pilot whose mean is that of the difference.

    conversations: pairs per base scenario, scored or not. asked: base scenarios, with a difference or not.
    """
    moves = totals(pair[:3] for pair in pairs).moves
    if len(moves) < FEWEST_BASES:
        return None
    means = np.array([moves[cluster] * len(moves) for cluster in sorted(moves)])
    samples = max(map(len, cases.values()))
    within = _within(cases.values(), len(pairs) / len(moves) / samples) if samples > 1 else math.nan
    return Pilot(means, conversations, samples, within, len(moves) / max(asked, len(moves)))


def _within(cases: Iterable[Sequence[float]], per_base: float) -> float:
    """Return the variance between samples of a variant, divided by the variants per base scenario."""
    repeated = [np.array(values) for values in cases if len(values) > 1]
    squares = math.fsum(float(((values - values.mean()) ** 2).sum()) for values in repeated)
    return squares / sum(len(values) - 1 for values in repeated) / per_base


def gap_tests(outcomes: Iterable[Outcome], metric: str | None = None) -> int:
    """Return how many tests `contrasts` makes of one model: pairs of levels of every axis in every scope of a level.

    The level is that of metrics where a single one is planned for, else the overall one: areas, or benchmarks of
    contrast metrics, which are compared along an axis of their own alone.
    """
    values: dict[tuple[str, str], set[str]] = {}
    for outcome in outcomes:
        scope = outcome.metric if metric else outcome.benchmark if outcome.contrast else outcome.area
        for axis, level in outcome.axes:
            if outcome.contrast is None or outcome.contrast.axis == axis:
                values.setdefault((scope, axis), set()).add(level)
    return max(1, sum(math.comb(len(levels), 2) for levels in values.values()))


def plans(pilot: Pilot, question: PowerQuestion, scenarios: int) -> Iterator[PowerPlan]:
    """Yield a plan for every number of samples that the pilot can tell of."""
    for samples in sorted({*SAMPLES, pilot.samples}):
        planned = pilot.with_samples(samples)
        if planned is not None:
            yield _plan(planned, question, scenarios)


def assumed_plans(assumed: Assumed, question: PowerQuestion, scenarios: int) -> Iterator[PowerPlan]:
    """Yield a plan for every number of samples. Raises ValueError for assumptions that cannot be."""
    for samples in sorted({*SAMPLES, assumed.samples}):
        yield _plan(assumed_pilot(assumed, question.difference, samples), question, scenarios)


def _plan(pilot: Pilot, question: PowerQuestion, scenarios: int) -> PowerPlan:
    planned = Planned.of(pilot, question.difference, question.level)
    found = [planned.needed(), *(planned.needed(share) if pilot.is_sample else planned.needed() for share in RANGE)]
    # As large a share as in the pilot will lack a verdict on one side.
    needed, least, most = (math.ceil(one / pilot.usable) if math.isfinite(one) else one for one in found)
    per_side = needed * pilot.conversations
    usable = max(FEWEST_BASES, math.floor(scenarios * pilot.usable))
    detectable = detectable_difference(pilot, usable, level=question.level)
    return PowerPlan(pilot.samples, detectable, needed, least, most, per_side, per_side * question.conversations)
