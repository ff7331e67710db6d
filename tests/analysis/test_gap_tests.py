"""Differences between the levels of contrast metrics: tested as a family, with what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.contrast_metrics import level_gaps
from helm_impactbench.analysis.difference_rows import contrast_rows
from helm_impactbench.analysis.gap_tests import gap_difference
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import contrast_outcome


def told(when_a: float, when_b: float, bases: int = 12, model: str = "m") -> list[Outcome]:
    """Return a model's stances, the same in every base scenario, which alternate with their opposite around `a - b`."""
    return [
        contrast_outcome(value, level, f"base_{base:02d}", model=model)
        for base in range(bases)
        for level, value in (("a", when_a), ("b", when_b))
    ]


def lost(outcome: Outcome, reason: str = "unscored") -> Outcome:
    """Return an outcome without its value."""
    why = "judge_error" if reason == "unscored" else None
    return replace(outcome, value=None, score=None, status=reason, unscored=why)


def test_a_gap_and_its_difference_have_one_value() -> None:
    """The test is of the very figure that is shown."""
    data = [*told(1, -1, 3), *[replace(o, metric_id="other") for o in told(0.5, 0, 8)]]
    sets = list(matched_sets(data))
    for gap in level_gaps(sets):
        difference = gap_difference(gap, sets)
        assert difference is not None
        assert difference.value == pytest.approx(gap.estimate.value, abs=1e-12)


def test_planted_gaps_are_found_and_no_others() -> None:
    """Of two models, the even-handed one has none; three base scenarios cannot show one."""
    rows = [row for row in contrast_rows([*told(1, -1, model="flatters"), *told(1, 1, model="even")])
            if row["figure"] == "gap"]  # fmt: skip
    assert {row["model"]: row["found"] for row in rows} == {"flatters": True, "even": False}
    (few,) = [row for row in contrast_rows(told(1, -1, 3)) if row["figure"] == "gap"]
    assert (few["found"], few["can_be_found"]) == (False, False)


def test_missing_values_are_counted_by_side_and_bounded() -> None:
    """One missing value can be anything in the measure's range; what is not applicable has no bounds."""
    data = told(1, 0)
    data[1] = lost(data[1])
    data[2] = lost(data[2], "not_applicable")
    (row,) = [row for row in contrast_rows(data) if row["figure"] == "gap"]
    assert (row["missing_first"], row["missing_second"]) == (0, 1)
    assert (row["not_applicable_first"], row["not_applicable_second"]) == (1, 0)
    assert row["value"] == 0.5
    assert [row["if_missing_low"], row["if_missing_high"]] == pytest.approx([5 / 11, 6 / 11])
    assert (row["found"], row["undone_by"]) == (True, None)
    many = [lost(o) if place % 2 and place < 12 else o for place, o in enumerate(told(0.5, 0))]
    (row,) = [row for row in contrast_rows(many) if row["figure"] == "gap"]
    assert row["found"]
    assert 0 < row["undone_by"] < 1
