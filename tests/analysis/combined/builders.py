"""Scales with given means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helm_impactbench.analysis.combined.scales import CombinedScale, Score
from helm_impactbench.stats.estimates import Estimate


def scale(key: str, values: Mapping[str, float], missing: Sequence[str] = ()) -> CombinedScale:
    """Return a scale with these means; models in `missing` lack a part of it."""
    return CombinedScale(key, key, "impact", {
        model: Score(Estimate(value, 0.001, 50, 51), 51, 51, ("a part",) if model in missing else ())
        for model, value in values.items()
    })  # fmt: skip


def numbered(values: Sequence[float]) -> dict[str, float]:
    """Return values by model."""
    return {f"m{i:02d}": float(value) for i, value in enumerate(values)}
