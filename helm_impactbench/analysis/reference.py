"""Pass rates of a model that was run on a part of the scenarios, with what other models did on all of them.

A case that both suites have predicts: models find the same cases hard. See stats/difference_estimator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.analysis.rates import by_benchmark, grouped
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.difference_estimator import (
    FEWEST_CLUSTERS,
    Cases,
    Estimates,
    difference_estimates,
    frame_of,
    shared_slope,
)
from helm_impactbench.stats.intervals import TINY, UNKNOWN, Interval
from helm_impactbench.stats.population import drawn_rate_interval
from helm_impactbench.stats.strata import mean_interval

EXPECTED_IN_PART = 5.0
"""A metric or level of which a part drawn at random would have so many cases, and has none, was not to be drawn."""


@dataclass(frozen=True)
class ReferenceRate:
    """The pass rate of one model on all cases of the reference, from a part of them."""

    model: str
    scope: str
    """Benchmark, or area."""
    part: str
    """Metric, level, or "all"."""
    value: float
    """nan when it cannot be estimated."""
    interval: Interval
    """95%, over scenarios."""
    like_these_interval: Interval
    """95%, for other benchmarks like these; of a single one unknown, since a part has too little of each metric."""
    all_cases_interval: Interval
    """95%, for what a run of all cases of the reference would give."""
    gain: float
    """How many times as many conversations the same variance would take without a reference; nan where none is seen."""
    matched: int
    """Drawn conversations whose case the reference has of another model."""
    scored: int
    """Those of them that have a score."""
    unmatched: int
    """Conversations whose case it has not: they take no part."""
    left_out: tuple[str, ...]
    """Metrics and levels of the reference that the model's runs were not meant to have, as people read them."""
    may_stop_early: bool
    """Whether runs of either side end when their own data say so; nothing is estimated from those.

    How many cases such a run has depends on what it found on them, so that their mean leans; see Rate.interval.
    """
    cases: int
    """Of the reference: what the rate is for."""
    models: int
    """Other models in the reference."""

    @property
    def worth(self) -> float:
        """How many conversations without a reference would be as certain; nan where that cannot be said."""
        return self.scored * self.gain


def reference_rates(
    outcomes: Sequence[Outcome], reference: Sequence[Outcome], by: str = "benchmark"
) -> list[ReferenceRate]:
    """Return a rate per model and part of level metrics, from the other models of a reference.

    `by`: see breakdown. Overall is the mean over benchmarks. Raises ImpactBenchError when no case is in both.
    """
    check_matches(outcomes, reference)
    return estimated_rates(outcomes, reference, by)


def check_matches(outcomes: Iterable[Outcome], reference: Iterable[Outcome]) -> None:
    """Raise ImpactBenchError when no case of a level metric is in both."""
    known = {outcome.case for outcome in reference if outcome.is_level}
    if not any(outcome.case in known for outcome in outcomes if outcome.is_level):
        raise ImpactBenchError(
            "No case of the suite is in the reference; cases match by benchmark, variant, sample and content. Run "
            "the new model on a part of the same benchmarks, for example with part=0.3."
        )


def estimated_rates(outcomes: Sequence[Outcome], reference: Sequence[Outcome], by: str) -> list[ReferenceRate]:
    """Return reference_rates; where no case is in both, nothing is estimated."""
    own, others = ([o for o in found if o.is_level] for found in (outcomes, reference))
    everything = broken_down(others, by, known=[*own, *others])
    return [
        _rate(model, scope, part, drawn, everything.get((scope, part), []))
        for (scope, part), found in broken_down(own, by, known=own).items()
        for model, drawn in sorted(grouped(found, lambda outcome: outcome.model).items())
    ]


def unmatched(outcomes: Iterable[Outcome], reference: Iterable[Outcome]) -> list[Outcome]:
    """Return the conversations of level metrics whose case the reference does not have of another model."""
    models: dict[Case, set[str]] = {}
    for outcome in reference:
        models.setdefault(outcome.case, set()).add(outcome.model)
    return [o for o in outcomes if o.is_level and not models.get(o.case, set()) - {o.model}]


def _rate(model: str, scope: str, part: str, drawn: Sequence[Outcome], reference: Sequence[Outcome]) -> ReferenceRate:
    """Return the mean over the benchmarks of a part: one, or for an area all that the model was run on."""
    all_cases = by_benchmark(outcome for outcome in reference if outcome.model != model)
    pairs = {slug: (own, all_cases.get(slug, [])) for slug, own in by_benchmark(drawn).items()}
    lacking = {slug: _not_drawn(own, others) for slug, (own, others) in pairs.items()}
    tables = [_CaseTable.of(own, _without(others, lacking[slug])) for slug, (own, others) in pairs.items()]
    early = any(outcome.draw is not None for sides in pairs.values() for side in sides for outcome in side)
    found = [estimates for table in tables if (estimates := table.estimates()) is not None and not early]
    found = found if len(found) == len(tables) else []  # a mean over some of the benchmarks would be of another kind
    values = [float(each.value) for each in found]
    these = mean_interval(values, [each.interval() for each in found])
    before, now = (
        math.fsum(map(float, each)) for each in ([e.plain_variance for e in found], [e.variance for e in found])
    )
    matched = sum(len(table.places) for table in tables)
    return ReferenceRate(
        model,
        scope,
        part,
        value=math.fsum(values) / len(values) if values else math.nan,
        interval=these,
        like_these_interval=drawn_rate_interval(values, these) if len(values) > 1 else UNKNOWN,
        all_cases_interval=mean_interval(values, [each.all_cases_interval() for each in found]),
        gain=before / now if now > TINY else math.nan,
        matched=matched,
        scored=sum(int((~np.isnan(table.scores)).sum()) for table in tables),
        unmatched=len(unmatched(drawn, reference)),
        left_out=tuple(f"{slug}: {name}" for slug, names in lacking.items() for name in sorted(names)),
        may_stop_early=early,
        cases=sum(len(table.others) for table in tables),
        models=len({outcome.model for own in all_cases.values() for outcome in own}),
    )


@dataclass(frozen=True)
class _CaseTable:
    """What the models of the reference scored on the cases of one benchmark, and the new model on some of them."""

    others: Floats
    """Shape (cases, models); nan where there is no score. Cases are in the order of their clusters."""
    starts: np.ndarray[tuple[int], np.dtype[np.int64]]
    """Place of the first case of each cluster."""
    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    """Of the drawn cases."""
    scores: Floats
    """Of the new model on these; nan where there is no score."""

    @classmethod
    def of(cls, own: Sequence[Outcome], reference: Sequence[Outcome]) -> _CaseTable:
        """Return the table of one benchmark, with what of the reference the new model was meant to have."""
        clusters = {outcome.case: outcome.base_id for outcome in reference}
        cases = {case: place for place, case in enumerate(sorted(clusters, key=lambda case: (clusters[case], case)))}
        columns = {model: place for place, model in enumerate(sorted({outcome.model for outcome in reference}))}
        bases = [clusters[case] for case in cases]
        starts = [place for place, base in enumerate(bases) if not place or base != bases[place - 1]]
        drawn = _scores(own, cases)
        return cls(
            _matrix(reference, cases, columns),
            np.array(starts, dtype=np.int64),
            np.array(list(drawn), dtype=np.int64),
            np.array(list(drawn.values()), dtype=np.float64),
        )

    def estimates(self) -> Estimates | None:
        """Return the estimate; None where the drawn cases have too few clusters or no score."""
        scored = ~np.isnan(self.scores)
        if not scored.any() or np.isnan(self.others).all():
            return None
        there = ~np.isnan(self.others)
        sums, counts = np.nansum(self.others, axis=1), there.sum(axis=1)
        predictions = _means(sums, counts)
        one = np.ones(len(predictions))
        # What the models of the reference have to do with each other: each of them against the mean of the rest.
        rest = _means(sums[:, None] - np.nan_to_num(self.others), counts[:, None] - there)
        slope = shared_slope(
            Cases(
                *(
                    self._sums(each).T
                    for each in (np.nan_to_num(self.others), there.astype(float), rest, np.ones_like(rest))
                )
            )
        )
        frame = frame_of(self._sums(predictions), self._sums(one), slope)
        own, mine, met = np.zeros_like(one), np.zeros_like(one), np.zeros_like(one)
        own[self.places], mine[self.places], met[self.places] = np.nan_to_num(self.scores), scored, 1.0
        drawn = [self._sums(each) for each in (own, mine, predictions * met, met)]
        some = drawn[3] > 0
        enough = some.sum() >= FEWEST_CLUSTERS
        return difference_estimates(Cases(*(each[some] for each in drawn)), frame) if enough else None

    def _sums(self, values: Floats) -> Floats:
        """Return the sums by cluster, along the first axis."""
        found: Floats = np.add.reduceat(values, self.starts, axis=0)
        return found


def _means(sums: Floats, counts: Floats) -> Floats:
    """Return means over models of shape (cases, ...); where a case has none, the mean of the others stands for it."""
    means: Floats = np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)
    known = ~np.isnan(means)
    middle = np.where(known, means, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, means, middle)


def _matrix(outcomes: Iterable[Outcome], cases: Mapping[Case, int], columns: Mapping[str, int]) -> Floats:
    """Return scores by case and model; of a case that a model met more than once, the mean."""
    sums, counts = np.zeros((len(cases), len(columns))), np.zeros((len(cases), len(columns)))
    for outcome in outcomes:
        if outcome.score is not None:
            place = cases[outcome.case], columns[outcome.model]
            sums[place] += outcome.score
            counts[place] += 1
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _scores(outcomes: Iterable[Outcome], cases: Mapping[Case, int]) -> dict[int, float]:
    """Return the drawn model's scores by the case's place; nan where a case has none."""
    found: dict[int, list[float]] = {}
    for outcome in outcomes:
        if outcome.case in cases:
            own = found.setdefault(cases[outcome.case], [])
            own += [] if outcome.score is None else [outcome.score]
    return {place: math.fsum(own) / len(own) if own else math.nan for place, own in sorted(found.items())}


def _without(reference: Sequence[Outcome], lacking: set[str]) -> Sequence[Outcome]:
    return [outcome for outcome in reference if lacking.isdisjoint(_names(outcome))] if lacking else reference


def _not_drawn(own: Sequence[Outcome], reference: Sequence[Outcome]) -> set[str]:
    """Return the metrics and levels of one benchmark's reference that a part of it should have, and has not."""
    cases = {outcome.case: outcome for outcome in reference}
    mine = {outcome.case for outcome in own if outcome.case in cases}
    drawn = {name for outcome in own for name in _names(outcome)}  # also in conversations on cases that it lacks
    everywhere: dict[str, int] = {}
    for outcome in cases.values():
        for name in _names(outcome):
            everywhere[name] = everywhere.get(name, 0) + 1
    share = len(mine) / len(cases) if cases else 0.0
    return {name for name, count in everywhere.items() if name not in drawn and share * count >= EXPECTED_IN_PART}


def _names(outcome: Outcome) -> list[str]:
    return [f"metric {outcome.metric_id}", *(f"{axis}={level}" for axis, level in outcome.axes)]
