"""What a missing verdict does wherever two sides are compared."""

from __future__ import annotations

from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.validity.swap import metric_shifts, verdict_agreements
from tests.analysis.builders import MISSING, PASSED, row


def test_an_unscored_side_takes_its_pair_out_everywhere() -> None:
    """Law 4: in contrasts, against a baseline and between suites a missing verdict is not a failure, but no pair."""
    adults, children = row([PASSED] * 8), row([PASSED] * 7 + [MISSING], axes=(("age", "child"),))
    (contrast,) = level_contrasts([*adults, *children], ["overall"])
    assert (contrast.difference.pairs, contrast.difference.value, contrast.second_rate) == (7, 0.0, 1.0)
    # The gate counts it as failed unless it is told otherwise: see test_gate.py.
    gone = row([PASSED] * 7 + [MISSING])
    for now, before in ((gone, adults), (adults, gone)):
        (check,) = not_worse(now, before, 0.0, leave_out=True)
        assert (check.cases, check.value) == (7, 0.0)
        assert [found.cases for found in verdict_agreements(now, before)] == [7]
        assert [shift.difference for shift in metric_shifts(now, before)] == [0.0]
