"""Who favours whose models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.validity.self_preference import self_preferences
from tests.support.outcomes import contrast_outcome, simulated

FAMILIES = {"kin/x": "kin", "far/y": "far", "kin/j": "kin", "far/j": "far", "easy/j": "easy"}


def voted(outcome: Outcome, kin: float, easy: float) -> Outcome:
    """Return an outcome with the votes of two judges."""
    return replace(
        outcome, votes=(JudgeVote("kin/j", kin, "answered", None), JudgeVote("easy/j", easy, "answered", None))
    )


def test_self_preference_is_found_where_planted() -> None:
    """A judge that passes its relatives regardless; one that is lenient to all alike shows no preference."""
    data = simulated(np.random.default_rng(7), {"kin/x": 0.4, "far/y": 0.4}, scenarios=6)
    favours = [voted(o, 1.0 if o.model == "kin/x" else o.value or 0.0, o.value or 0.0) for o in data]
    (kin,) = self_preferences(favours, FAMILIES)
    assert kin.family == "kin"
    assert kin.own == 1.0
    assert kin.preference > 0.4
    assert kin.interval.low > 0
    (fair,) = self_preferences([voted(o, 1.0, o.value or 0.0) for o in data], FAMILIES)
    assert fair.interval.low < 0 < fair.interval.high
    assert self_preferences(data, {**FAMILIES, "j": "kin"}) == []


def test_points_of_a_scale_count_by_how_far_they_let_pass() -> None:
    """On a negative metric with a scale from 1 to 5, a vote of 2 passes by three quarters."""
    data = simulated(np.random.default_rng(9), {"kin/x": 0.5, "far/y": 0.5}, metrics=2, scenarios=6)
    ends = {"metric_type": "negative", "scale": "interval", "bounds": (1.0, 5.0)}
    scaled = [voted(replace(o, **ends), 2.0 if o.model == "kin/x" else 4.0, 4.0) for o in data]  # type: ignore[arg-type]
    (kin,) = self_preferences(scaled, FAMILIES)
    assert (kin.own, kin.own_by_others, kin.rest) == (0.75, 0.25, 0.25)


def test_a_contrast_has_nothing_to_pass() -> None:
    """Votes on contrast metrics are in no preference: no side that a judge takes is a pass."""
    data = [voted(contrast_outcome(1.0, "a", f"b{n}", model=model), 1.0, -1.0)
            for n in range(8) for model in ("kin/x", "far/y")]  # fmt: skip
    assert self_preferences(data, FAMILIES) == []
