"""Another judge or generator in the same place: what moves, by scores and by gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.swap import benchmark_shifts, metric_shifts, rankings, verdict_agreements
from tests.analysis.builders import HEALTHY
from tests.support.outcomes import contrast_outcome, judged, simulated


def test_a_swapped_judge_shows_in_order_verdicts_and_metrics() -> None:
    """A second judge that turns one metric round: that metric moved, the others did not."""
    first = simulated(np.random.default_rng(5), HEALTHY, correlation=0.05, metrics=4, scenarios=12)
    second = [judged(o, not o.passed) if o.metric_id == "m02" else o for o in first]
    shifts = {shift.metric: shift for shift in metric_shifts(first, second)}
    assert [metric for metric, shift in shifts.items() if shift.moved] == []  # 50% pass before and after: no shift
    (agreement,) = verdict_agreements(first, second)
    assert (agreement.measure, agreement.same) == ("presence", 0.75)
    assert agreement.kappa is not None
    assert agreement.kappa.agreement == 0.75
    lenient = [judged(o, True) if o.metric_id == "m02" else o for o in first]
    assert [s.metric for s in metric_shifts(first, lenient) if s.moved] == ["mini/m02"]
    (order,) = rankings(first, lenient)
    assert np.isnan(order.spearman)  # three models can show nothing of an order
    assert {model: (one.test.found, one.interval.low > 0) for model, one in order.changes.items() if one.test} == {
        "good": (False, False), "middle": (True, True), "bad": (True, True),
    }  # fmt: skip
    assert order.changes["bad"].value == pytest.approx(order.scores["bad"][1] - order.scores["bad"][0])
    (many,) = rankings(*(
        [replace(o, model=f"{o.model}{suffix}") for o in side for suffix in ("", "-2")] for side in (first, lenient)
    ))  # fmt: skip
    assert many.spearman == pytest.approx(1.0)


def test_a_swapped_generator_is_compared_by_metrics() -> None:
    """Other scenarios under the same ids share no case, and a metric can still be seen to move."""
    first = simulated(np.random.default_rng(6), {"a": 0.9}, metrics=2, scenarios=20, correlation=0.1)
    second = [
        replace(judged(o, bool(o.passed) and (o.metric_id == "m01" or o.base_id < "m02_s008")), content="other")
        for o in first
    ]
    assert verdict_agreements(first, second) == []
    moved = {shift.metric: (shift.moved, shift.interval) for shift in metric_shifts(first, second)}
    assert moved == {"mini/m01": (False, None), "mini/m02": (True, None)}


def tellers(model: str, when_a: float, when_b: float) -> list[Outcome]:
    """Return a model's outcomes on a contrast metric with twelve base scenarios."""
    return [
        contrast_outcome(value, level, f"base_{base:02d}", model=model)
        for base in range(12)
        for level, value in (("a", when_a), ("b", when_b))
    ]


def test_contrast_metrics_are_compared_by_their_gaps() -> None:
    """Models in the order of their distance from 0, and a judge that widens every gap has moved the metric."""
    first = [*tellers("x", 0, 0), *tellers("y", 0.5, 0), *tellers("z", 0.5, -0.5)]
    second = [*tellers("x", 0.5, 0), *tellers("y", 0.5, -0.5), *tellers("z", 1, -0.5)]
    (order,) = rankings(first, second)
    assert (order.scope, order.figure) == ("sides", "distance from 0")
    assert order.scores == {"x": (0.0, 0.25), "y": (0.25, 0.5), "z": (0.5, 0.75)}
    (shift,) = metric_shifts(first, second)
    assert (shift.figure, shift.difference, shift.moved) == ("gap, a minus b", pytest.approx(0.25), True)
    (agreement,) = verdict_agreements(first, second)
    assert (agreement.measure, agreement.cases, agreement.kappa) == ("stance", 72, None)
    assert agreement.distance == pytest.approx(0.25)
    assert metric_shifts(first, first)[0].moved is False


def test_the_levels_of_a_shift_are_not_chosen_by_chance() -> None:
    """Two suites with six levels that are alike in both: the widest gap of the first one is no wider than the other's.

    Chosen from the first suite alone, its gap would seem to have shrunk in a fifth of such pairs of suites.
    """
    rng = np.random.default_rng(1)
    contrast = Contrast(axis="name", levels=list("abcdef"))

    def noise() -> list[Outcome]:
        return [
            contrast_outcome(float(np.clip(rng.normal(0, 0.4), -1, 1)), level, f"rent_{base}", contrast=contrast)
            for base in range(24)
            for level in contrast.levels
        ]

    moved = [metric_shifts(noise(), noise())[0].moved for _ in range(100)]
    assert np.mean(moved) <= 0.08


def test_distances_are_over_the_metrics_of_both_suites_and_name_what_they_leave_out() -> None:
    """Dollars are never set against shares of a range."""
    shares = tellers("x", 0.5, 0)
    paid = [replace(o, metric_id="pays", bounds=None, value=100 * (o.value or 0)) for o in shares]
    (both,) = rankings([*shares, *paid], [*shares, *paid])
    assert (both.scores, both.left_out) == ({"x": (0.25, 0.25)}, ("sides/pays",))
    (one,) = rankings(paid, [*shares, *paid])
    assert (one.scores, one.left_out) == ({"x": (50.0, 50.0)}, ())


def test_areas_have_rankings_of_their_own() -> None:
    """A mean over impact and safety is never taken."""
    impact = simulated(np.random.default_rng(8), HEALTHY, metrics=2)
    safety = [replace(o, benchmark="xstest", area="safety") for o in impact]
    assert [(found.scope, len(found.scores)) for found in rankings([*impact, *safety], impact + safety)] == [
        ("impact", 3), ("safety", 3),
    ]  # fmt: skip


def test_what_three_base_scenarios_cannot_show_is_shown_by_the_benchmark() -> None:
    """Every verdict of a strict judge turned round: no metric of three base scenarios can be tested, the whole can."""
    first = [judged(o, False) for o in simulated(np.random.default_rng(7), {"a": 0.5}, metrics=12, scenarios=3)]
    second = [judged(o, True) for o in first]
    shifts = metric_shifts(first, second)
    assert [shift.can_be_found for shift in shifts] == [False] * 12
    assert not any(shift.moved for shift in shifts)
    (whole,) = benchmark_shifts(first, second)
    assert (whole.metric, whole.moved, whole.can_be_found, whole.difference) == ("mini", True, True, 1.0)
