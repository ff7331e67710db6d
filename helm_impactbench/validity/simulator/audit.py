"""What reviews of the simulated user say of a suite: faults, who is affected, the result without these. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.analysis.marked import overtaken
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.validity.simulator.review import Review, ReviewFaultKind, Severity


@dataclass(frozen=True)
class Reviewed:
    """One conversation with the review of its user."""

    run: str
    """The run's name."""
    conversation: str
    """The instance's id."""
    outcome: Outcome
    review: Review


@dataclass(frozen=True)
class FaultRate:
    """The pass rate over some conversations on level metrics; a contrast metric has none."""

    clusters: Clusters

    @property
    def n(self) -> int:
        """Number of scored conversations."""
        return self.clusters.values

    @property
    def value(self) -> float | None:
        """The rate; None without a conversation."""
        return self.clusters.mean if self.clusters.size else None

    @property
    def interval(self) -> Interval:
        """95% interval; base scenarios are the clusters."""
        return cluster_interval(self.clusters)

    def data(self) -> dict[str, Any]:
        """Return the rate as JSON-like data."""
        bounds = self.interval
        return {"rate": self.value, "n": self.n, "interval": [bounds.low, bounds.high] if bounds.is_known else None}


@dataclass(frozen=True)
class ModelRates:
    """The pass rate of one model with and without the affected conversations."""

    model: str
    everything: FaultRate
    without_major: FaultRate
    without_any: FaultRate


@dataclass(frozen=True)
class Affected:
    """How many of some conversations are affected."""

    name: str
    """A benchmark's slug, or "all"."""
    reviewed: int
    unreviewed: int
    major: int
    any: int
    marked: int
    """By the checks of the run, of those reviewed."""
    marked_any: int
    """Those of them in which the review finds a fault as well."""


def drawn(items: Sequence[tuple[str, Outcome]], size: int | None, seed: int) -> list[int]:
    """Return the places of a sample of (run, outcome) pairs, ascending; all of them when `size` is None.

    Runs get equal shares, and runs that share their scenarios the same scenarios, so that models are compared on the
    same conversations. Depends on the seed and on the conversations, not on their order.
    """
    if size is None or size >= len(items):
        return list(range(len(items)))
    lots = [content_digest([seed, o.benchmark, o.variant_id, o.sample]) for _, o in items]
    runs: dict[str, list[int]] = {}
    for place in sorted(range(len(items)), key=lots.__getitem__):
        runs.setdefault(items[place][0], []).append(place)
    ranked = [(rank, lots[place], run, place) for run, places in runs.items() for rank, place in enumerate(places)]
    return sorted(place for *_, place in sorted(ranked)[:size])


def fault_counts(reviewed: Iterable[Reviewed]) -> dict[ReviewFaultKind, dict[str, int]]:
    """Return kind -> counts of grounded faults by severity, and of those without grounds ("ungrounded")."""
    counts = {kind: dict.fromkeys([*(s.value for s in Severity), "ungrounded"], 0) for kind in ReviewFaultKind}
    for one in reviewed:
        for fault in one.review.faults or ():
            counts[fault.kind][fault.severity.value if fault.grounded else "ungrounded"] += 1
    return counts


def affected(reviewed: Sequence[Reviewed]) -> list[Affected]:
    """Return how many conversations are affected: per benchmark, then over all."""
    slugs = sorted({one.outcome.benchmark for one in reviewed})
    per = [_affected(slug, [one for one in reviewed if one.outcome.benchmark == slug]) for slug in slugs]
    return [*per, _affected("all", reviewed)]


def marks_sentence(affected: Affected) -> str:
    """Return how the marks of the run's own checks and the reviews agree."""
    others, others_any = affected.reviewed - affected.marked, affected.any - affected.marked_any
    return (
        f"The checks of the run marked {affected.marked:,} of {counted(affected.reviewed, 'reviewed conversation')}; "
        f"the review finds a fault in {affected.marked_any:,} of these, and in {others_any:,} of the other {others:,}."
    )


def model_rates(reviewed: Iterable[Reviewed]) -> list[ModelRates]:
    """Return each model's pass rates over reviewed conversations, best over all of them first.

    A conversation whose review failed is in none of the three: nobody knows whether it is affected.
    """
    scored = [one for one in reviewed if one.review.faults is not None and one.outcome.score is not None]
    rates = [
        ModelRates(
            model,
            _rate(one for one in scored if one.outcome.model == model),
            _rate(one for one in scored if one.outcome.model == model and not one.review.affected(Severity.MAJOR)),
            _rate(one for one in scored if one.outcome.model == model and not one.review.affected()),
        )
        for model in sorted({one.outcome.model for one in scored})
    ]
    return sorted(rates, key=lambda rate: (-(rate.everything.value or 0.0), rate.model))


def swapped(rates: Sequence[ModelRates], without: str) -> list[tuple[str, str]]:
    """Return the pairs (was better, is better) of models that change places in the column `without`."""
    return overtaken(
        {rate.model: rate.everything.value for rate in rates},
        {rate.model: getattr(rate, without).value for rate in rates},
    )


def order_sentence(rates: Sequence[ModelRates]) -> str:
    """Return whether leaving out affected conversations changes the order of models."""
    if not rates:
        return "No reviewed conversation has a score, so there is no order of models."
    if len(rates) == 1:
        return "There is only one model, so there is no order of models."
    parts = []
    for column, words in (("without_major", "major faults"), ("without_any", "any fault")):
        pairs = swapped(rates, column)
        shown = "; ".join(f"{now} passes {was}" for was, now in pairs)
        parts.append(f"without {words} it changes: {shown}" if pairs else f"without {words} it stays")
    return f"Order of models: {parts[0]}; {parts[1]}."


def _affected(name: str, reviewed: Sequence[Reviewed]) -> Affected:
    done = [one for one in reviewed if one.review.faults is not None]
    return Affected(
        name=name,
        reviewed=len(done),
        unreviewed=len(reviewed) - len(done),
        major=sum(one.review.affected(Severity.MAJOR) for one in done),
        any=sum(one.review.affected() for one in done),
        marked=sum(one.outcome.marked for one in done),
        marked_any=sum(one.outcome.marked and one.review.affected() for one in done),
    )


def _rate(scored: Iterable[Reviewed]) -> FaultRate:
    return FaultRate(
        clustered((one.outcome.cluster, one.outcome.score) for one in scored if one.outcome.score is not None)
    )
