"""How many scenarios and samples it takes to separate two models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.analysis.comparison import Cases, by_case
from helm_impactbench.analysis.paired import matched
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.simultaneous import ALPHA

POWER = 0.80
MOST_SCENARIOS = 1_000_000


@dataclass(frozen=True)
class Noise:
    """Where the spread of two models' paired differences comes from, per base scenario."""

    scenarios: int
    conversations: float
    """Paired conversations per base scenario, mean."""
    samples: int
    """Samples per variant, at most."""
    difference: float
    """Mean difference over base scenarios."""
    variance: float
    """Of the mean difference of one base scenario."""
    within: float
    """The part of `variance` that more samples would average out, with one sample; nan with one sample per variant."""

    def variance_with(self, samples: int) -> float:
        """Return the variance of a base scenario's mean difference with this many samples; nan where unknown."""
        if samples == self.samples:
            return self.variance
        fixed = self.variance - self.within / self.samples
        return max(0.0, fixed) + self.within / samples


def noise(outcomes: Sequence[Outcome], first: str, second: str) -> Noise | None:
    """Return the noise between two models; None when they share fewer than two base scenarios."""
    scored = [outcome for outcome in outcomes if outcome.score is not None]
    by_model = {model: by_case(own) for model, own in grouped(scored, lambda o: o.model).items()}
    one, other = by_model.get(first, {}), by_model.get(second, {})
    pairs = matched([(outcome, other[case]) for case, outcome in one.items() if case in other]).pairs
    by_scenario: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        by_scenario.setdefault((pair.benchmark, pair.base_id), []).append(pair.difference)
    if len(by_scenario) < 2:
        return None
    means = np.array([np.mean(by_scenario[key]) for key in sorted(by_scenario)])
    samples = max(outcome.sample for outcome in one.values()) + 1
    return Noise(
        scenarios=len(means),
        conversations=len(pairs) / len(means),
        samples=samples,
        difference=float(means.mean()),
        variance=float(means.var(ddof=1)),
        within=_within(one, other, len(pairs) / len(means) / samples) if samples > 1 else math.nan,
    )


def _within(one: Cases, other: Cases, variants: float) -> float:
    """Return the variance between samples of a variant, divided by the variants per base scenario."""
    by_variant: dict[tuple[str, str, str], list[float]] = {}
    for key, outcome in one.items():
        if key in other:
            difference = (outcome.score or 0.0) - (other[key].score or 0.0)
            by_variant.setdefault((outcome.setup, outcome.benchmark, outcome.variant_id), []).append(difference)
    repeated = [np.array(values) for values in by_variant.values() if len(values) > 1]
    if not repeated:
        return math.nan
    squares: Floats = np.array([((values - values.mean()) ** 2).sum() for values in repeated])
    return float(squares.sum() / sum(len(values) - 1 for values in repeated)) / variants


def detectable_difference(variance: float, scenarios: int) -> float:
    """Return the smallest true difference that a paired test at 5% finds with a probability of 80%.

    `variance` is that of a base scenario's mean difference; without any, 0.0: any difference shows.
    Source: Cohen (1988), Statistical Power Analysis, chapter 2; statsmodels' TTestPower.
    """
    if math.isnan(variance) or scenarios < 2:
        return math.nan
    if variance == 0:
        return 0.0
    from statsmodels.stats.power import TTestPower

    effect = TTestPower().solve_power(nobs=scenarios, alpha=ALPHA, power=POWER, alternative="two-sided")
    return float(effect) * math.sqrt(variance)


def scenarios_needed(variance: float, difference: float) -> int | None:
    """Return the base scenarios it takes to find this true difference; None when unknown or beyond MOST_SCENARIOS."""
    if math.isnan(variance) or difference == 0:
        return None
    low, high = 2, MOST_SCENARIOS
    if detectable_difference(variance, high) > abs(difference):
        return None
    while low < high:  # the detectable difference falls with every scenario
        middle = (low + high) // 2
        low, high = (low, middle) if detectable_difference(variance, middle) <= abs(difference) else (middle + 1, high)
    return low
