"""Rates weighed by severity: what is present costs as much as it is severe, also without ungrounded votes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.rows import rate_rows, weighed
from helm_impactbench.results.outcome import Withheld, without_ungrounded
from tests.support.outcomes import outcome


def test_what_is_left_without_ungrounded_votes_is_weighed_too() -> None:
    """The column beside the weighed rate is the rate that withholding them would give."""
    found = [
        replace(
            outcome(False, base_id=f"s{base}", variant_id=f"s{base}_v1", metric_type="negative"), severity=0.5,
            withheld=Withheld("scored", 1.0, 0.0, None, "present", 0.25),
        )
        for base in range(8)
    ]  # fmt: skip
    (row,) = rate_rows(weighed(found))
    (left,) = rate_rows(weighed(without_ungrounded(found)))
    assert (row["pass_rate"], row["rate_if_ungrounded_withheld"]) == (0.5, pytest.approx(0.75))
    assert left["pass_rate"] == row["rate_if_ungrounded_withheld"]


def test_a_withheld_vote_without_severity_keeps_its_score() -> None:
    """Nothing is left to weigh where withholding leaves no verdict, or an absent behaviour."""
    found = replace(outcome(True, metric_type="negative"), withheld=Withheld("scored", 0.0, 1.0, None, "absent", None))
    assert weighed([found]) == [found]
