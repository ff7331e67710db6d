"""What a cascade of judges would save and lose, from answers of all its judges to golden sets. Pure.

In a cascade judges are asked in order, and the next one only where the last one is not sure enough; the last one asked
decides. It is compared with asking the last judge of the panel always. Clusters are metrics, as for error rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, cluster_interval
from helm_impactbench.validity.golden.figures import FEWEST_METRICS, JudgeFigure
from helm_impactbench.validity.records.answers import JudgedItem, KnownAnswer

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Cascade:
    """A cascade at one threshold."""

    threshold: float
    calls: JudgeFigure
    """Judges asked per transcript."""
    saved: JudgeFigure
    """Share of the dollars of always asking the last judge that is not spent, below 0 where more is spent; nan where a
    price is unknown or nothing is paid."""
    right: JudgeFigure
    """Share of known verdicts that it names; an item without an answer is not right."""
    lost: JudgeFigure
    """By how much the last judge alone is right more often, paired."""


def cascades(answers: Sequence[JudgedItem], judges: Sequence[str]) -> tuple[Cascade, ...]:
    """Return one per threshold; none for a single judge, or where no judge but the last states a confidence."""
    known = [one for one in answers if one.is_known and all(judge in one.votes for judge in judges)]
    stated = any(one.votes[judge][0].confidence is not None for one in known for judge in judges[:-1])
    return tuple(_at(threshold, known, judges) for threshold in THRESHOLDS) if len(judges) > 1 and stated else ()


def asked_in(votes: Sequence[KnownAnswer], threshold: float) -> int:
    """Return how many judges a cascade asks, by what each would say."""
    for number, vote in enumerate(votes[:-1], start=1):
        if vote.status in ("scored", "not_applicable") and vote.confidence is not None and vote.confidence >= threshold:
            return number
    return len(votes)


def _at(threshold: float, known: Sequence[JudgedItem], judges: Sequence[str]) -> Cascade:
    metrics, calls, saved, right, lost = [], [], [], [], []
    priced = all(not usage.unpriced_calls for one in known for usage in one.usage.values())
    whole = sum(one.usage[judges[-1]].cost_usd for one in known if judges[-1] in one.usage)
    each = whole / len(known) if known else 0.0
    for one in known:
        votes = [one.votes[judge][0] for judge in judges]
        asked = asked_in(votes, threshold)
        own, last = votes[asked - 1].right is True, votes[-1].right is True
        paid = sum(one.usage[judge].cost_usd for judge in judges[:asked] if judge in one.usage)
        metrics.append(one.cluster)
        calls.append(float(asked))
        right.append(float(own))
        lost.append(float(last) - float(own))
        saved.append((one.usage[judges[-1]].cost_usd - paid) / each if priced and each else math.nan)
    return Cascade(
        threshold,
        _mean(metrics, calls, 1.0, float(len(judges))),
        _mean(metrics, saved, -math.inf, math.inf) if priced and each else JudgeFigure(math.nan, UNKNOWN, len(known)),
        _mean(metrics, right, 0.0, 1.0),
        _mean(metrics, lost, -1.0, 1.0),
    )


def _mean(metrics: Sequence[tuple[str, str]], values: Sequence[float], lowest: float, highest: float) -> JudgeFigure:
    grouped = clustered(zip(metrics, values, strict=True))
    known = grouped.size >= FEWEST_METRICS
    return JudgeFigure(grouped.mean, cluster_interval(grouped, lowest, highest) if known else UNKNOWN, len(values))
