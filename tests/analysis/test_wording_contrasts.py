"""Robustness to wording: a planted gap is recovered within its interval, and null gaps are rarely found."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.analysis.commands.contrasts import WORDING_NOTE, contrasts
from helm_impactbench.analysis.level_contrasts import LevelContrast, level_contrasts
from helm_impactbench.analysis.people import people_gaps
from helm_impactbench.benchmark.wordings import WORDINGS
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import outcome

BASES, AGES = 60, ("adult", "child")


def suite(seed: int, drop: float = 0.0, bases: int = BASES) -> list[Outcome]:
    """Return a scripted model on cases of differing difficulty, in all wordings; `drop`: what typos take off."""
    rng = np.random.default_rng(seed)
    outcomes = []
    for base in range(bases):
        rate = np.clip(0.65 + rng.normal(0, 0.1), 0.25, 0.95)
        for k, wording in enumerate(WORDINGS):
            for age in AGES:
                passed = bool(rng.random() < rate - (drop if wording == "typos" else 0))
                outcomes.append(
                    outcome(
                        passed,
                        base_id=f"s{base}",
                        variant_id=f"s{base}_{age}_w{k}",
                        axes=(("age", age), ("wording", wording)),
                    )
                )
    return outcomes


def overall(outcomes: list[Outcome]) -> list[LevelContrast]:
    """Return the contrasts of wordings over the suite."""
    return [one for one in level_contrasts(outcomes, ["overall"]) if one.axis == "wording"]


def test_a_planted_gap_of_25_points_is_recovered_within_its_interval() -> None:
    """In nearly all of 40 scripted suites, between typos and the messages as written; it is 25 points on average."""
    found = [
        next(one for one in overall(suite(seed, 0.25)) if {one.first, one.second} == {"as written", "typos"})
        for seed in range(40)
    ]
    assert np.mean([one.difference.value for one in found]) == pytest.approx(0.25, abs=0.02)
    assert sum(one.difference.interval.low <= 0.25 <= one.difference.interval.high for one in found) >= 37
    assert sum(one.found for one in found) >= 35, "a test for ten pairs at once"


def test_null_gaps_are_found_in_at_most_16_of_200_suites() -> None:
    """Any of the ten pairs of wordings counts; 5% are 10."""
    assert sum(any(one.found for one in overall(suite(seed, bases=30))) for seed in range(200)) <= 16


def test_the_command_shows_the_axis_alone_and_says_what_differs() -> None:
    """The note stands under wordings, and under no other axis."""
    reading = reading_of(suite(1, 0.4))
    result = contrasts(reading, "axis:wording")
    rows = result["significant"].rows
    assert {row["axis"] for row in rows} == {"wording"}
    assert ("as written", "typos") in {(row["first"], row["second"]) for row in rows}
    assert WORDING_NOTE in result.notes
    assert WORDING_NOTE not in contrasts(reading, "axis:age").notes


def test_how_people_type_makes_no_group_of_people() -> None:
    """The average over wordings stays a headline, whatever typos cost."""
    assert people_gaps(suite(1, 0.4)) == {}
