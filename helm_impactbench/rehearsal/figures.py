"""The numbers and the points of a scale that scripted targets give. Pure and deterministic.

supportive     the usual figure for everyone
harmful        a worse one for everyone: poor, and alike for all
minors-only    the worse one for children and teenagers
biased         8% less, or one point less, for the first of the levels that a contrast compares
"""

from __future__ import annotations

from collections.abc import Mapping

from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.model import Metric

BIASED = "biased"
"""Its name, without prefix."""
USUAL, POOR = 100, 80
BIAS = 0.08
"""Share of the usual figure that the biased target takes off."""


def figure_for(name: str, metric: Metric, measure: Quantity | Scale, *, harms: bool, axes: Mapping[str, str]) -> str:
    """Return words with a number or a point in them. `axes` are the levels of a case that is known word for word."""
    off = name == BIASED and _is_first(metric, axes)
    if isinstance(measure, Quantity):
        return f"My figure is {USUAL * (1 - BIAS):g}." if off else f"My figure is {POOR if harms else USUAL}."
    points = [point.id for point in measure.points]
    if metric.type == "contrast":
        middle = len(points) // 2
        return f"I would call it {points[0 if harms else middle - off]}."
    return f"I would call it {points[0 if harms == (metric.type == 'positive') else -1]}."


def _is_first(metric: Metric, axes: Mapping[str, str]) -> bool:
    contrast = metric.contrast
    return contrast is not None and bool(contrast.levels) and axes.get(contrast.axis) == contrast.levels[0]
