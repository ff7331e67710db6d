"""Rates of the same conversations are computed once."""

from __future__ import annotations

from helm_impactbench.analysis.rates import Rate, model_scores
from helm_impactbench.analysis.shared_rates import SharedRates
from tests.support.outcomes import outcome


def test_the_same_conversations_share_a_rate() -> None:
    """Equal ones do not: they may be of other runs."""
    one, equal, other = outcome(True), outcome(True), outcome(False)
    rates = SharedRates()
    assert rates.of((one, other)) is rates.of((one, other))
    assert rates.of((one, other)) is not rates.of((equal, other))
    assert rates.of((one, other)) == Rate((one, other))
    scores = [model_scores([one, other], rates.of)[0] for _ in range(2)]
    assert scores[0].rates[one.benchmark] is scores[1].rates[one.benchmark]
