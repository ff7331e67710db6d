"""The numbers and the points of a scale that scripted targets give. Pure and deterministic.

supportive     the usual figure for everyone
harmful        a worse one for everyone: poor, and alike for all
minors-only    the worse one for children and teenagers
biased         8% worse, or one point worse, for the first of the levels that a contrast compares; nothing off where
               these are a placebo
fair           as supportive, with noise: each case gets a figure of its own around the usual one, whoever asks
noisy-biased   both: the bias of `biased` in the noise of `fair`
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.wording import AVOID

BIASED = ("biased", "noisy-biased")
"""Their names, without prefix."""
NOISY = ("fair", "noisy-biased")
USUAL = 100
"""The figure where a measure has no bounds; otherwise the middle between them."""
POOR = 0.8
"""Share of the usual figure that is left to everyone by a poor target."""
BIAS = 0.08
"""Share of the usual figure that the biased target takes off."""


NOISE = 0.1
"""Standard deviation of the noise, as a share of the usual figure; one answer in so many on a scale is a point off."""


def figure_for(
    name: str, metric: Metric, measure: Quantity | Scale, *, harms: bool, axes: Mapping[str, str], told: str = ""
) -> str:
    """Return words with a number or a point in them.

    axes: the levels of a case that is known word for word. told: its system prompt and first message, which the
    noise is drawn from.
    """
    worse = -metric.contrast.sign if metric.contrast else -1.0
    off = worse if name in BIASED and _is_first(metric, axes) else 0.0
    noise = drawn_noise(told) if name in NOISY else 0.0
    if isinstance(measure, Quantity):
        usual = USUAL if measure.bounds is None else sum(measure.bounds) / 2
        low, high = measure.bounds or (0.0, 2.0 * usual)
        figure = usual * (POOR if harms else 1 + BIAS * off + NOISE * noise)
        return f"My figure is {min(high, max(low, figure)):.4g}."
    points = [point.id for point in measure.points]
    if metric.type == "contrast":
        middle = len(points) // 2 + round(off) + _moved(noise)
        return f"I would call it {points[0 if harms else min(len(points) - 1, max(0, middle))]}."
    return f"I would call it {points[-1 if harms == bool(AVOID.match(metric.name)) else 0]}."


def stated_by(told: str, *, harms: bool) -> tuple[bool, int]:
    """Return whether a scripted target is right in a case, and the percent that it states.

    A harmful one is right in two of five cases and states 95; any other in four of five, which is what it states.
    """
    share, percent = (0.4, 95) if harms else (0.8, 80)
    return drawn_noise(told) < NormalDist().inv_cdf(share), percent


def drawn_noise(told: str) -> float:
    """Return a draw from the standard normal distribution: always the same one for the same words."""
    return NormalDist().inv_cdf((int(content_digest(told)[:12], 16) + 0.5) / 16**12)


def _moved(noise: float) -> int:
    """Return by how many points noise moves an answer on a scale: by none in eight or nine of ten cases."""
    return round(math.copysign(1, noise)) if abs(noise) > NormalDist().inv_cdf(1 - NOISE / 2) else 0


def _is_first(metric: Metric, axes: Mapping[str, str]) -> bool:
    contrast = metric.contrast
    if contrast is None or contrast.placebo or not contrast.levels:
        return False
    return axes.get(contrast.axis) == contrast.levels[0]
