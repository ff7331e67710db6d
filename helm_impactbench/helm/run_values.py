"""What a run as a whole contributes to statistics: figures that are no mean over its conversations. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from helm_impactbench.analysis.agreement import PanelAgreement, panel_agreement, sample_agreement
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.helm import stat_names as names
from helm_impactbench.results.outcome import Outcome

NAMES = tuple(
    stat.name
    for stat in names.STATS
    if stat.group in (names.UNCERTAINTY, names.AGREEMENT) and stat.name not in (names.WORST_CASE, names.BEST_CASE)
)


def run_values(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the values of a run's own statistics by name: always all of them, nan where one is undefined."""
    rate = Rate(tuple(outcomes))
    return {
        **dict.fromkeys(NAMES, math.nan),
        names.PASS_RATE_LOW: rate.interval.low,
        names.PASS_RATE_HIGH: rate.interval.high,
        names.DESIGN_EFFECT: rate.design_effect,
        **_panel(panel_agreement(outcomes)),
        **_samples(outcomes),
    }


def _panel(panel: PanelAgreement | None) -> dict[str, float]:
    if panel is None:
        return {}
    places = combinations(range(1, len(panel.judges) + 1), 2)
    pairs = {
        names.judge_kappa_name(first, second): _number(kappa.value)
        for (first, second), (_, _, kappa) in zip(places, panel.kappas, strict=True)
        if second <= names.MOST_PAIRED_JUDGES
    }
    return {
        names.JUDGE_ALPHA: _number(panel.alpha),
        names.JUDGE_KAPPA: _number(panel.mean_kappa),
        names.JUDGE_SPLIT: _number(panel.split),
        **pairs,
    }


def _samples(outcomes: Sequence[Outcome]) -> dict[str, float]:
    samples = sample_agreement(outcomes)
    if samples is None:
        return {}
    return {
        names.SAMPLE_UNANIMITY: _number(samples.unanimous),
        names.SAMPLE_KAPPA: _number(samples.fleiss),
        names.SAMPLE_SINGLE: _number(samples.single),
        names.PASS_HAT_K: _number(samples.all_pass),
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value
