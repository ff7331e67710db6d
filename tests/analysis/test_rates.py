"""Rates and scores of models: their denominators, and what is missing."""

from __future__ import annotations

import math

from helm_impactbench.analysis.rates import Rate, model_scores
from tests.analysis.builders import FAILED, MISSING, PASSED, row


def test_a_rate_tells_its_denominator_and_what_is_missing() -> None:
    """Unscored ones leave the denominator, are counted by reason, and bound the rate from both sides."""
    rate = Rate(tuple(row([PASSED, PASSED, FAILED, MISSING])))
    assert (rate.value, len(rate.scored), rate.conversations) == (2 / 3, 3, 4)
    assert rate.unscored == {"judge_error": 1}
    assert (rate.worst_case, rate.best_case) == (0.5, 0.75)
    nothing = Rate(tuple(row([MISSING])))
    assert math.isnan(nothing.value)
    assert not nothing.interval.is_known
    assert (nothing.worst_case, nothing.best_case) == (0.0, 1.0)


def test_models_are_ranked_by_the_mean_over_benchmarks() -> None:
    """A model without any verdict comes last and has no score."""
    data = [
        *row([PASSED, FAILED], model="b", benchmark="one"),
        *row([PASSED, PASSED, PASSED, PASSED], model="b", benchmark="two"),
        *row([PASSED, FAILED], model="a", benchmark="one"),
        *row([MISSING], model="0", benchmark="one"),
    ]
    scores = model_scores(data)
    assert [(score.model, score.mean) for score in scores[:2]] == [("b", 0.75), ("a", 0.5)]
    assert math.isnan(scores[2].mean)
