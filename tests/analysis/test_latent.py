"""What a panel's votes say of its judges and verdicts, from outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.latent import latent_agreement
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.support.outcomes import outcome

GOOD, WEAK = 0.97, 0.7


def panel(conversations: int, judges: int = 3) -> tuple[list[Outcome], list[bool]]:
    """Return conversations of a good and a bad target on two types of metrics, judged by one good judge and weak ones,
    and whether each passes in truth."""
    rng, found, passes = np.random.default_rng(1), list[Outcome](), list[bool]()
    for number in range(conversations):
        kind, model = ("positive", "negative")[number % 2], ("good", "bad")[number // 2 % 2]
        passed = bool(rng.random() < (0.9 if model == "good" else 0.2))
        present = passed == (kind == "positive")
        right = [rng.random() < (WEAK if place else GOOD) for place in range(judges)]
        said = [float(present == is_right) for is_right in right]
        value = float(sum(said) > judges / 2)
        one = outcome(
            (value == 1) == (kind == "positive"), metric_type=kind, model=model, value=value, base_id=f"s{number // 4}"
        )
        votes = tuple(JudgeVote(f"j{place}", vote, "answered", None) for place, vote in enumerate(said))
        found.append(replace(one, votes=votes))
        passes.append(passed)
    return found, passes


def test_rates_of_judges_and_pass_rates_by_both_rules() -> None:
    """The good judge is found, the weighed pass rate is nearer to the truth, and nobody is accused."""
    outcomes, passes = panel(2_000)
    found = latent_agreement(outcomes)
    assert found is not None
    for (judge, rates), right in zip(found.judges, (GOOD, WEAK, WEAK), strict=True):
        assert (rates.sensitivity, rates.specificity) == (pytest.approx(right, abs=0.04),) * 2, judge
    assert found.conversations == found.all_voted == 2_000
    assert found.differing.value == pytest.approx(0.09, abs=0.03)
    assert found.majority_pass is not None
    assert found.latent_pass is not None
    truth = float(np.mean(passes))
    assert abs(found.latent_pass.value - truth) < abs(found.majority_pass.value - truth)
    assert found.latent_pass.interval.low < truth < found.latent_pass.interval.high
    assert found.shared is not None
    assert not found.shared.found


def test_two_judges_or_other_measures_say_nothing() -> None:
    """With two judges error rates cannot be told; points and sides have other answers than present and absent."""
    outcomes, _ = panel(200)
    assert latent_agreement(panel(200, judges=2)[0]) is None
    assert latent_agreement([replace(one, measure="stance", scale="interval") for one in outcomes]) is None
    assert latent_agreement(outcomes[:10]) is None
