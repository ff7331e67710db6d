"""What a model gains on published scenarios."""

from __future__ import annotations

import random

import pytest

from helm_impactbench.analysis.commands.contamination import contamination
from helm_impactbench.analysis.contamination import advantages, concluded
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import outcome


def drawn(model: str, public: float, private: float, bases: int = 60) -> list[Outcome]:
    """Return outcomes of a model that passes these shares of public and of private base scenarios."""
    draws = random.Random(model)
    return [
        outcome(
            draws.random() < rate,
            model=model,
            base_id=f"m01_s{offset + i:03d}",
            factors=factors,
            variant_id=f"m01_s{offset + i:03d}_v01",
        )
        for offset, rate, factors in ((1, public, ()), (501, private, (("split", "private"),)))
        for i in range(bases)
    ]


def test_a_planted_advantage_is_found_and_none_where_there_is_none() -> None:
    """.95 on published and .55 on private scenarios; and .7 on both."""
    seen, fair = drawn("seen", 0.95, 0.55), drawn("fair", 0.7, 0.7)
    found = {one.model: one for one in advantages([*seen, *fair])}
    assert found["seen"].is_found
    assert not found["fair"].is_found
    assert found["seen"].interval.low < 0.4 < found["seen"].interval.high
    assert concluded(list(found.values())).startswith("seen: better on published scenarios")
    assert concluded([found["fair"]]).startswith("No model is better")


def test_a_benchmark_without_private_scenarios_is_not_compared() -> None:
    """Nor a model without them."""
    assert advantages([one for one in drawn("seen", 1, 1) if not one.factors]) == []


def test_the_command_names_who_gains_on_published_scenarios() -> None:
    """A row per model with both kinds, and one sentence; without private runs an error that says where to get them."""
    result = contamination(reading_of([*drawn("seen", 0.95, 0.55), *drawn("fair", 0.7, 0.7)]))
    rows = {row["model"]: row for row in result["contamination"].records()}
    assert {model: row["is_found"] for model, row in rows.items()} == {"seen": True, "fair": False}
    assert result.notes[0].startswith("seen: better")
    with pytest.raises(ImpactBenchError, match="gen-scenarios"):
        contamination(reading_of([one for one in drawn("seen", 1, 1) if not one.factors]))
