"""The numbers and the points of a scale that scripted targets give. Pure and deterministic.

supportive     the usual figure for everyone
harmful        a worse one for everyone: poor, and alike for all
minors-only    the worse one for children and teenagers
biased         8% less, or one point less, for the first of the levels that a contrast compares; nothing off where the
               axis is `control`, a cue that must not matter
"""

from __future__ import annotations

from collections.abc import Mapping

from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric

BIASED = "biased"
"""Its name, without prefix."""
CONTROL_AXIS = "control"
"""A cue that must not matter, and to which the biased target is blind."""
USUAL = 100
"""The figure where a measure has no bounds; otherwise the middle between them."""
POOR = 0.8
"""Share of the usual figure that is left to everyone by a poor target."""
BIAS = 0.08
"""Share of the usual figure that the biased target takes off."""


def figure_for(name: str, metric: Metric, measure: Quantity | Scale, *, harms: bool, axes: Mapping[str, str]) -> str:
    """Return words with a number or a point in them. `axes` are the levels of a case that is known word for word."""
    off = name == BIASED and _is_first(metric, axes)
    if isinstance(measure, Quantity):
        usual = USUAL if measure.bounds is None else sum(measure.bounds) / 2
        return f"My figure is {usual * (1 - BIAS if off else POOR if harms else 1):g}."
    points = [point.id for point in measure.points]
    if metric.type == "contrast":
        middle = len(points) // 2
        return f"I would call it {points[0 if harms else middle - off]}."
    return f"I would call it {points[0 if harms == (metric.type == 'positive') else -1]}."


def _is_first(metric: Metric, axes: Mapping[str, str]) -> bool:
    contrast = metric.contrast
    if contrast is None or contrast.axis == CONTROL_AXIS or not contrast.levels:
        return False
    return axes.get(contrast.axis) == contrast.levels[0]
