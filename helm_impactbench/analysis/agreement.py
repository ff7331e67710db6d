"""How far the judges of a panel agree: alike or not, or by a distance. sample_agreement has repeated samples."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.agreement import (
    Kappa,
    cohen_kappa,
    krippendorff_alpha,
    krippendorff_alpha_of_numbers,
    mean_distance,
    split_rate,
)
from helm_impactbench.stats.agreement_intervals import (
    alpha_interval,
    distance_interval,
    split_interval,
)
from helm_impactbench.stats.intervals import UNKNOWN, Interval


@dataclass(frozen=True)
class PanelAgreement:
    """Agreement of the judges on the value of a measure. A figure is None where it is undefined."""

    judges: tuple[str, ...]
    measure: str
    """Kind of the measure; "several" where the outcomes have several, in which case only `conversations` is set."""
    scale: str
    """nominal or interval."""
    conversations: int
    """Conversations on which at least two judges have an answer."""
    undecided: float | None
    """Share of conversations with two valid votes or more on which judges differ about whether there is an answer:
    some give one, others say not applicable or unclear."""
    alpha: float | None
    """Krippendorff's: nominal, or interval."""
    split: float | None
    """Nominal: share of these conversations on which the answers differ."""
    distance: float | None
    """Interval: mean distance of two judges' answers, in the units of the measure."""
    kappas: tuple[tuple[str, str, Kappa], ...]
    """Nominal: Cohen's, of every pair of judges in the panel's order."""
    alpha_interval: Interval = UNKNOWN
    """This and the others: 95%, for other base scenarios like these."""
    split_interval: Interval = UNKNOWN
    distance_interval: Interval = UNKNOWN

    @property
    def mean_kappa(self) -> float | None:
        """Mean of the pairs' kappas that are defined."""
        values = [kappa.value for _, _, kappa in self.kappas if kappa.value is not None]
        return fmean(values) if values else None


def panel_agreement(outcomes: Sequence[Outcome]) -> PanelAgreement | None:
    """Return the agreement of the judges in `outcomes`; None when no conversation was put to two judges.

    Cascades are left out: their second judge sees only what the first one is unsure of.
    """
    judged = [outcome for outcome in outcomes if len(outcome.votes) > 1 and outcome.cascade is None]
    judges = tuple(dict.fromkeys(vote.judge for outcome in judged for vote in outcome.votes))
    if not judges:
        return None
    values = [_values(outcome, judges) for outcome in judged]
    clusters = [outcome.cluster for outcome in judged]
    alike = len({comparable(outcome) for outcome in judged}) == 1
    nominal = alike and judged[0].scale == "nominal"
    return PanelAgreement(
        judges=judges,
        measure=judged[0].measure if alike else "several",
        scale=judged[0].scale,
        conversations=sum(sum(value is not None for value in item) >= 2 for item in values),
        undecided=_undecided(judged),
        alpha=krippendorff_alpha(values) if nominal else krippendorff_alpha_of_numbers(values) if alike else None,
        split=split_rate(values) if nominal else None,
        distance=mean_distance(values) if alike and not nominal else None,
        kappas=tuple(
            (judges[i], judges[j], cohen_kappa([v[i] for v in values], [v[j] for v in values], clusters))
            for i, j in combinations(range(len(judges)), 2)
            if nominal
        ),
        alpha_interval=alpha_interval(values, clusters, nominal=nominal) if alike else UNKNOWN,
        split_interval=split_interval(values, clusters) if nominal else UNKNOWN,
        distance_interval=(distance_interval(values, clusters, span(judged[0])) if alike and not nominal else UNKNOWN),
    )


def span(outcome: Outcome) -> float:
    """Return the greatest distance that two values can have; infinite without bounds."""
    return outcome.bounds[1] - outcome.bounds[0] if outcome.bounds else math.inf


def by_measure(outcomes: Sequence[Outcome]) -> Mapping[str, list[Outcome]]:
    """Return outcomes whose values can be compared with each other, under the name of their measure.

    Quantities, and scales with other ends, are compared only within a metric.
    """
    groups = grouped(outcomes, comparable)
    kinds = [outcomes[0].measure for outcomes in groups.values()]
    return {
        found[0].measure if kinds.count(found[0].measure) == 1 else f"{found[0].measure} ({_named(found)})": found
        for found in groups.values()
    }


def comparable(outcome: Outcome) -> Hashable:
    """Return what is equal for outcomes whose values mean the same."""
    if outcome.scale == "nominal":
        return outcome.measure
    return outcome.measure, outcome.bounds or outcome.metric


def _named(outcomes: Sequence[Outcome]) -> str:
    metrics = list(dict.fromkeys(outcome.metric for outcome in outcomes))
    bounds = outcomes[0].bounds
    return f"{bounds[0]:g} to {bounds[1]:g}" if bounds else metrics[0]


def _values(outcome: Outcome, judges: Sequence[str]) -> list[float | None]:
    votes = {vote.judge: vote.value for vote in outcome.votes}
    return [votes.get(judge) for judge in judges]


def _undecided(outcomes: Sequence[Outcome]) -> float | None:
    said = [[vote.status == "answered" for vote in o.votes if vote.status != "no_vote"] for o in outcomes]
    return split_rate(said)
