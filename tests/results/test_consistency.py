"""Outcomes that contradict themselves are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import contrast_outcome, outcome


def test_what_fits_together_is_fine() -> None:
    """Passes, failures, missing verdicts, a contrast without a score, not applicable, silence that fails."""
    check_outcomes(row([PASSED, FAILED, MISSING]), "r")
    check_outcomes([contrast_outcome(0.5, "a")], "r")
    check_outcomes([replace(outcome(), status="not_applicable", value=None, score=None)], "r")
    check_outcomes([replace(outcome(True, metric_type="negative"), engaged=False, score=0.0)], "r")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (replace(outcome(), unscored="judge_error"), "is scored with the reason judge_error"),
        (replace(outcome(), value=None), "is scored with the value None"),
        (replace(outcome(), status="not_applicable"), "is not_applicable with the value 1.0"),
        (replace(outcome(), conversation_status="empty", exchanges=0), "is scored, but its conversation is empty"),
        (replace(outcome(), votes=()), "is scored without a vote"),
        (replace(outcome(), score=0.0), "positive metric, value 1.0, score 0.0"),
        (replace(outcome(), score=None), "value 1.0, score None"),
        (replace(outcome(), value=2.0), "value 2.0"),
        (replace(contrast_outcome(0.5, "a"), score=0.5), "value 0.5, score 0.5"),
    ],
)
def test_every_inconsistency_is_named(bad: Outcome, message: str) -> None:
    """Status, value, score, votes and the conversation bear each other out; a contrast has no score."""
    with pytest.raises(ResultsError, match=message):
        check_outcomes([bad], "r")


def test_nothing_occurs_twice() -> None:
    """A conversation is counted once."""
    with pytest.raises(ResultsError, match="occurs 2 times"):
        check_outcomes([outcome(), outcome()], "r")
