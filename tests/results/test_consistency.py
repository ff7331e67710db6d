"""Outcomes that contradict themselves are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.consistency import check_outcomes
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import outcome


def test_every_inconsistency_is_named() -> None:
    """Conversations = scored + unscored, nothing empty is scored, nothing stands twice, polarity holds."""
    check_outcomes(row([PASSED, FAILED, MISSING]), "r")
    sick = {
        "both a verdict and a reason": replace(outcome(), unscored="judge_error"),
        "conversation is empty": replace(outcome(), status="empty", exchanges=0),
        "scored without a vote": replace(outcome(), votes=()),
        "passed=False": replace(outcome(), passed=False),
        "or neither": replace(outcome(), passed=None),
    }
    for message, bad in sick.items():
        with pytest.raises(ResultsError, match=message):
            check_outcomes([bad], "r")
    with pytest.raises(ResultsError, match="stands 2 times"):
        check_outcomes([outcome(), outcome()], "r")
