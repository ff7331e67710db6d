"""What a run as a whole contributes to statistics: figures that are not means over its conversations. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from helm_impactbench.analysis.agreement import PanelAgreement, panel_agreement
from helm_impactbench.analysis.contrast_metrics import FIGURES, estimate
from helm_impactbench.analysis.gap_comparison import gap_scores
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.sample_agreement import sample_agreement
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.helm import stat_names as names
from helm_impactbench.results.outcome import Outcome

NAMES = tuple(
    stat.name
    for stat in names.STATS
    if stat.group in (names.UNCERTAINTY, names.AGREEMENT)
    and stat.name not in (names.WORST_CASE, names.BEST_CASE, names.JUDGE_SPREAD)
)


def run_values(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the values of a run's own statistics by name: always all of them, nan where one is undefined."""
    rate = Rate(tuple(outcome for outcome in outcomes if outcome.is_level))
    return {
        **dict.fromkeys(NAMES, math.nan),
        names.PASS_RATE_LOW: rate.interval.low,
        names.PASS_RATE_HIGH: rate.interval.high,
        **_panel(panel_agreement([each for each in outcomes if each.measure == "presence"] or outcomes)),
        **_samples(outcomes),
    }


def contrast_values(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the figures of a run's contrast metrics with their intervals, nan where one is undefined; none without."""
    sets = list(matched_sets(outcomes))
    if not any(outcome.contrast for outcome in outcomes):
        return {}
    values = {names.TYPICAL_GAP: gap_scores([one for one in outcomes if one.contrast])[0].gap}
    for figure in FIGURES:
        found = estimate(figure, sets)
        low, high = names.bound_names(figure.name)
        values |= {figure.name: found.value, low: found.interval.low, high: found.interval.high}
    for metric in sorted({outcome.metric_id for outcome in outcomes if outcome.contrast}):
        own = [found for found in sets if found.metric.endswith(f"/{metric}")]
        widest = widest_gap(own).gap
        values[names.metric_gap(outcomes[0].benchmark, metric)] = widest.estimate.value if widest else math.nan
    return values


def _panel(panel: PanelAgreement | None) -> dict[str, float]:
    if panel is None:
        return {}
    place = {judge: number for number, judge in enumerate(panel.judges, start=1)}
    pairs = {
        names.judge_kappa_name(place[first], place[second]): _number(kappa.value)
        for first, second, kappa in panel.kappas  # none where votes differ by a distance
        if place[second] <= names.MOST_PAIRED_JUDGES
    }
    return {
        names.JUDGE_ALPHA: _number(panel.alpha),
        names.JUDGE_KAPPA: _number(panel.mean_kappa),
        names.JUDGE_SPLIT: _number(panel.split),
        **pairs,
    }


def _samples(outcomes: Sequence[Outcome]) -> dict[str, float]:
    found = sample_agreement(outcomes)
    if len(found) != 1:  # none, or several numbers of samples, which have no common figure
        return {}
    (samples,) = found
    worst, best = samples.all_pass_bounds or (math.nan, math.nan)
    return {
        names.SAMPLE_UNANIMITY: _number(samples.unanimous.value),
        names.SAMPLE_KAPPA: _number(samples.fleiss),
        names.SAMPLE_SINGLE: _number(samples.single.value),
        names.PASS_HAT_K: _number(samples.all_pass.value),
        names.PASS_HAT_K_WORST: worst,
        names.PASS_HAT_K_BEST: best,
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value
