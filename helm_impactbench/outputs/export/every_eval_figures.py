"""The figures of a run that an evaluation record can hold: finite, with a range and a better direction. Pure.

A contrast has no better direction, only a distance from no difference; so its signed figures become sizes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from helm_impactbench.analysis.contrast_metrics import BOTH_SIDES, UPLIFT, FigureEstimate, estimate
from helm_impactbench.analysis.gate import GAP_SIZE
from helm_impactbench.analysis.matched_sets import contrast_outcomes, matched_sets
from helm_impactbench.analysis.rates import Rate, grouped, metric_rates
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.helm.stat_names import MAIN_METRIC
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import DEFAULT, WORDS


@dataclass(frozen=True)
class ExportedFigure:
    """One figure of a run, over all its metrics of one kind or for one metric."""

    kind: str
    """pass_rate, contrast_gap_size, both_sides_rate or agree_uplift_size."""
    metric: Metric | None
    """None for all metrics of the benchmark that have such a figure."""
    description: str
    value: float
    n: int
    """Values that it is made of: conversations, or matched sets of a contrast."""
    interval: Interval = UNKNOWN
    """95%."""
    interval_for: str = WORDS[DEFAULT]
    lower_is_better: bool = False
    low: float = 0.0
    high: float = 1.0
    unit: str = "proportion"
    levels: tuple[str, ...] = ()
    """The two levels that a difference is between."""
    details: Mapping[str, str] = field(default_factory=dict)


def figures_of(run: Run) -> list[ExportedFigure]:
    """Return the run's figures that have a finite value: those of the benchmark first, then metric by metric."""
    metrics = {record.case.metric.id: record.case.metric for record in run.records}
    level = [outcome for outcome in run.outcomes if outcome.is_level]
    contrasts = contrast_outcomes(run.outcomes)
    by_metric = sorted(grouped(contrasts, lambda outcome: outcome.metric_id).items())
    found = [
        *_rate(Rate(tuple(level)), None),
        *_contrast(contrasts, None),
        *(own for rate in metric_rates(level).values() for own in _rate(rate, metrics[rate.outcomes[0].metric_id])),
        *(own for name, outcomes in by_metric for own in _contrast(outcomes, metrics[name])),
    ]
    return [figure for figure in found if math.isfinite(figure.value)]


def _rate(rate: Rate, metric: Metric | None) -> Iterator[ExportedFigure]:
    if not rate.scored:
        return
    what = f"{metric.definition} {_BETTER[metric.type]}" if metric else "Of all metrics that have a pass rate."
    bounds = {"if_missing_fail": str(rate.worst_case), "if_missing_pass": str(rate.best_case)}
    engaged = {"did_not_engage": str(rate.not_engaged), "if_engaged": str(rate.engaged_value)}
    yield ExportedFigure(
        MAIN_METRIC,
        metric,
        f"Pass rate: share of conversations that pass, or mean of scores. {what}",
        rate.value,
        len(rate.scored),
        rate.interval,
        details=_counts(rate.outcomes) | bounds | engaged,
    )


_BETTER = {"positive": "More of this is better.", "negative": "Less of this is better."}


def _contrast(outcomes: Sequence[Outcome], metric: Metric | None) -> Iterator[ExportedFigure]:
    sets = list(matched_sets(outcomes))
    widest = widest_gap(sets)
    of, without = f" {metric.definition}" if metric else "", set(widest.left_out)
    counts = _counts([outcome for outcome in outcomes if outcome.metric not in without])
    if without:
        of = f" Without metrics in units of their own, which have no mean with others: {', '.join(widest.left_out)}."
        counts["left_out"] = ", ".join(widest.left_out)
    for gap in widest.tried:
        words = f"Distance from no difference between {gap.first} and {gap.second}.{of}"
        found = _size(gap.estimate, GAP_SIZE, words, metric, counts)
        yield replace(found, levels=(gap.first, gap.second))
    if widest.gap is not None and len(widest.tried) > 1:  # chosen by its size: each pair has an interval of its own
        words = f"Distance from no difference of the two levels that differ most.{of}"
        found = _size(widest.gap.estimate, GAP_SIZE, words, metric, counts)
        named = f"{widest.gap.first} minus {widest.gap.second}"
        yield replace(found, interval=UNKNOWN, details={**counts, "widest": named})
    counts = _counts(outcomes)
    both, uplift = estimate(BOTH_SIDES, sets), estimate(UPLIFT, sets)
    if both.n:
        yield ExportedFigure(
            BOTH_SIDES.name,
            metric,
            BOTH_SIDES.description,
            both.value,
            both.n,
            both.interval,
            lower_is_better=True,
            details=counts,
        )
    if uplift.n:
        yield _size(uplift, f"{UPLIFT.name}_size", f"Distance from 0 of: {UPLIFT.description}", metric, counts)


def _size(
    found: FigureEstimate, kind: str, description: str, metric: Metric | None, counts: Mapping[str, str]
) -> ExportedFigure:
    signed, size = {"signed": str(found.value)}, _size_interval(found.interval)
    if size.is_known:
        signed |= {"signed_low": str(found.interval.low), "signed_high": str(found.interval.high)}
    high = found.figure.high
    own_unit = getattr(metric.measure, "unit", "") if metric and math.isinf(high) else ""
    return ExportedFigure(
        kind,
        metric,
        description,
        abs(found.value),
        found.n,
        size,
        f"{WORDS[DEFAULT]}; of the size, from the interval of the signed figure",
        lower_is_better=True,
        high=high,
        unit=own_unit or ("units of the measure" if math.isinf(high) else "proportion"),
        details={**counts, **signed},
    )


def _size_interval(signed: Interval) -> Interval:
    """Return the sizes of the values in an interval: it covers the true size whenever that covers the true value."""
    if not (math.isfinite(signed.low) and math.isfinite(signed.high)):
        return UNKNOWN
    ends = sorted((abs(signed.low), abs(signed.high)))
    return Interval(0.0 if signed.low <= 0 <= signed.high else ends[0], ends[1])


def _counts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return conversations and those without a value, each by its reason, as text."""
    missing = Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing is not None)
    return {
        "conversations": str(len(outcomes)),
        "scored": str(sum(outcome.is_scored for outcome in outcomes)),
        "unscored": str(sum(outcome.is_missing for outcome in outcomes)),
        **{f"without_value_{reason}": str(count) for reason, count in sorted(missing.items())},
    }
