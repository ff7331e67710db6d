"""Another judge or generator in the same place: what moves, and who prefers its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.swap import metric_shifts, ranking, self_preferences, verdict_agreement
from helm_impactbench.results.outcome import Vote
from tests.analysis.builders import HEALTHY
from tests.support.outcomes import simulated


def test_a_swapped_judge_shows_in_order_flips_and_metrics() -> None:
    """A second judge that turns one metric round: that metric moved, the others did not."""
    first = simulated(np.random.default_rng(5), HEALTHY, correlation=0.05, metrics=4, scenarios=12)
    second = [replace(o, passed=not o.passed, present=not o.present) if o.metric_id == "m02" else o for o in first]
    shifts = {shift.metric: shift for shift in metric_shifts(first, second)}
    assert [metric for metric, shift in shifts.items() if shift.moved] == []  # 50% pass before and after: no shift
    assert verdict_agreement(first, second).agreement == 0.75
    lenient = [replace(o, passed=True, present=True) if o.metric_id == "m02" else o for o in first]
    assert [s.metric for s in metric_shifts(first, lenient) if s.moved] == ["mini/m02"]
    order = ranking(first, lenient)
    assert order.spearman == order.kendall == pytest.approx(1.0)


def test_a_swapped_generator_is_compared_by_metrics() -> None:
    """Other scenarios under the same ids share no case, and a metric can still be seen to move."""
    first = simulated(np.random.default_rng(6), {"a": 0.9}, metrics=2, scenarios=20, correlation=0.1)
    second = [
        replace(o, content="other", passed=o.passed and (o.metric_id == "m01" or o.base_id < "m02_s008")) for o in first
    ]
    assert verdict_agreement(first, second).items == 0
    moved = {shift.metric: (shift.moved, shift.interval) for shift in metric_shifts(first, second)}
    assert moved == {"mini/m01": (False, None), "mini/m02": (True, None)}


def test_self_preference_is_found_where_planted() -> None:
    """A judge that passes its relatives regardless; one that is lenient to all alike shows no preference."""
    data = simulated(np.random.default_rng(7), {"kin/x": 0.4, "far/y": 0.4}, scenarios=6)
    families = {"kin/x": "kin", "far/y": "far", "kin/j": "kin", "far/j": "far", "easy/j": "easy"}
    voted = [
        replace(o, votes=(Vote("kin/j", bool(o.present) or o.model == "kin/x", None), Vote("easy/j", o.present, None)))
        for o in data
    ]
    (kin,) = self_preferences(voted, families)
    assert kin.family == "kin"
    assert kin.own == 1.0
    assert kin.preference > 0.4
    assert kin.interval.low > 0
    lenient = [replace(o, votes=(Vote("kin/j", True, None), Vote("easy/j", o.present, None))) for o in data]
    (fair,) = self_preferences(lenient, families)
    assert fair.interval.low < 0 < fair.interval.high
    assert self_preferences(data, {**families, "j": "kin"}) == []
