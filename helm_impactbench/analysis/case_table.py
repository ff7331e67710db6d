"""The cases that models met, numbered, so that any two models are compared by arrays: 40 models are 780 pairs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.analysis.paired import Difference, MissingBySide, difference_of, with_applicable
from helm_impactbench.analysis.paired_totals import Cluster, Totals, in_order
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.stats.clusters import Clusters, Floats

Places = NDArray[np.intp]
Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class CaseTable:
    """The outcomes of level metrics by model and case."""

    clusters: Sequence[Cluster]
    """Base scenarios, in the order of totals."""
    cluster_of: Places
    """Shape (cases,)."""
    metric_of: Places
    """Shape (cases,); metrics of the same name in two benchmarks are one."""
    met: dict[str, Places]
    """Model -> its cases, in its own order."""
    scores: dict[str, Floats]
    """Model -> score of every case, nan without one; shape (cases,)."""
    missing: dict[str, Marks]
    """Model -> whether a case could have a score and has none; shape (cases,)."""
    is_met: dict[str, Marks]
    """Model -> whether it met a case; shape (cases,)."""

    def measured(self, first: str, second: str) -> Difference | None:
        """Return the difference as a test needs it: without the metrics, and without what missing verdicts allow."""
        shared = self._shared(first, second)
        differences = self.scores[first][shared] - self.scores[second][shared]
        scored = ~np.isnan(differences)
        return difference_of(self._totals(shared[scored], differences[scored]), (), (), 1.0, MissingBySide())

    def difference(self, first: str, second: str) -> Difference | None:
        """Return the difference over the cases that both met; None where none has a score on both sides."""
        shared = self._shared(first, second)
        a, b = (self.scores[model][shared] for model in (first, second))
        a_missing, b_missing = (self.missing[model][shared] for model in (first, second))
        scored = ~np.isnan(a) & ~np.isnan(b)
        half = ~scored & ((a_missing | ~np.isnan(a)) & (b_missing | ~np.isnan(b)))
        pairs, differences = shared[scored], (a - b)[scored]
        whole = self._totals(pairs, differences)

        def filled(lacking: Marks) -> list[Totals]:
            ends = [np.nan_to_num(a[lacking], nan=end) - np.nan_to_num(b[lacking], nan=1 - end) for end in (0.0, 1.0)]
            cases = np.concatenate([pairs, shared[lacking]])
            return [self._totals(cases, np.concatenate([differences, end])) for end in ends if lacking.any()]

        rest = ((side, np.isnan(score) & ~side) for side, score in ((a_missing, a), (b_missing, b)))
        (one, one_never), (other, other_never) = rest
        counts = (int((marks & ~scored).sum()) for marks in (one, other, one_never, other_never))
        strata = self._strata(pairs, differences) if len(whole.groups) == 1 else []
        found = difference_of(whole, strata, filled(half), 1.0, MissingBySide(*counts))
        return with_applicable(found, filled(~scored) if (~scored & ~half).any() else [])

    def _shared(self, first: str, second: str) -> Places:
        """Return the cases that both met, in the order of the first."""
        own = self.met[first]
        return own[self.is_met[second][own]]

    def _totals(self, cases: Places, differences: Floats) -> Totals:
        sums, counts = self._sums(cases, differences)
        gains, _ = self._sums(cases, np.maximum(differences, 0.0))
        there = np.flatnonzero(counts)
        whole = len(there) == len(self.clusters)  # then all pairs share one list
        clusters = self.clusters if whole else [self.clusters[place] for place in there.tolist()]
        return Totals(clusters, sums[there], counts[there], gains[there])

    def _strata(self, cases: Places, differences: Floats) -> list[Clusters]:
        """Return the differences by base scenario, metric by metric."""
        metrics, found = self.metric_of[cases], []
        for metric in np.unique(metrics):
            own = metrics == metric
            sums, counts = self._sums(cases[own], differences[own])
            found.append(Clusters(sums[counts > 0], counts[counts > 0]))
        return found

    def _sums(self, cases: Places, differences: Floats) -> tuple[Floats, Floats]:
        places, size = self.cluster_of[cases], len(self.clusters)
        sums = np.bincount(places, differences, size).astype(float)
        return sums, np.bincount(places, minlength=size).astype(float)


def case_table(outcomes: Iterable[Outcome]) -> CaseTable:
    """Return the table of all models in `outcomes`; of a case that a model met twice, the last counts."""
    by_model: dict[str, dict[tuple[str, Case], Outcome]] = {}
    for outcome in outcomes:
        if outcome.is_level:
            by_model.setdefault(outcome.model, {})[outcome.whole_setup, outcome.case] = outcome
    cases = {case: outcome for own in by_model.values() for case, outcome in own.items()}
    number = {case: place for place, case in enumerate(cases)}
    met = {model: np.array([number[case] for case in own], np.intp) for model, own in by_model.items()}
    clusters = in_order({outcome.cluster for outcome in cases.values()})
    metrics = sorted({outcome.metric_id for outcome in cases.values()})
    scores, missing, is_met = dict[str, Floats](), dict[str, Marks](), dict[str, Marks]()
    for model, own in by_model.items():
        scores[model], missing[model], is_met[model] = (
            np.full(len(cases), math.nan),
            np.zeros(len(cases), bool),
            np.zeros(len(cases), bool),
        )
        scores[model][met[model]] = [math.nan if outcome.score is None else outcome.score for outcome in own.values()]
        missing[model][met[model]] = [outcome.is_missing for outcome in own.values()]
        is_met[model][met[model]] = True
    return CaseTable(
        clusters,
        _places((outcome.cluster for outcome in cases.values()), clusters),
        _places((outcome.metric_id for outcome in cases.values()), metrics),
        met,
        scores,
        missing,
        is_met,
    )


def _places(names: Iterable[Hashable], known: Iterable[Hashable]) -> Places:
    """Return where each of `names` is in `known`."""
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[name] for name in names], np.intp)
