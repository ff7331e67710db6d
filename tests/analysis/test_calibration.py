"""Stated confidence beside what is right: a planted overconfidence comes out, and none where there is none."""

from __future__ import annotations

import numpy as np

from helm_impactbench.analysis.calibration import calibration_tables, calibrations
from helm_impactbench.benchmark.measures.confidence import Confidence
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import beta, outcome

SHOWN = Confidence()
DATA_SETS, BASES, SIZE, CORRELATION = 200, 40, 4, 0.2
MOST_FALSE = 16
"""Of 200 intervals of 95% that do not hold the truth: more are unlikely (p < .05)."""


def stated(right: bool, percent: int, **changes: object) -> Outcome:
    """Return the outcome of an answer with a stated confidence."""
    value = SHOWN.read({"right": right, "stated": percent}, applies=False).value
    given = {"measure": "confidence", "scale": "interval", "bounds": SHOWN.bounds, "value": value, "score": 0.5}
    return outcome(True, **{**given, **changes})


def answers(rng: np.random.Generator, excess: float) -> list[Outcome]:
    """Return answers of 60, 75 and 90 percent, right as often as that less the excess; a scenario's resemble others."""
    found = []
    for base in range(BASES):
        percent = int(rng.choice([60, 75, 90]))
        rate = beta(rng, percent / 100 - excess, CORRELATION, None)
        found += [stated(bool(rng.random() < rate), percent, base_id=f"s{base}", sample=n) for n in range(SIZE)]
    return found


def test_a_planted_overconfidence_is_recovered_within_its_interval() -> None:
    """In at least 184 of 200 data sets, and nearly all of them say that it is there."""
    rng = np.random.default_rng(7)
    found = [calibrations(answers(rng, 0.2))[0] for _ in range(DATA_SETS)]
    held = sum(one.found.excess.interval.low <= 0.2 <= one.found.excess.interval.high for one in found)
    assert held >= DATA_SETS - MOST_FALSE
    assert sum(one.finding == "overconfident" for one in found) >= 190
    assert abs(np.mean([one.found.excess.value for one in found]) - 0.2) < 0.01


def test_where_confidence_holds_nothing_is_found() -> None:
    """In at most 16 of 200 data sets; and the opposite is called by its name."""
    rng = np.random.default_rng(8)
    found = [calibrations(answers(rng, 0.0))[0].finding for _ in range(DATA_SETS)]
    assert DATA_SETS - found.count("no significant difference") <= MOST_FALSE
    assert calibrations([stated(True, 50, base_id=f"s{n}") for n in range(20)])[0].finding == "underconfident"


def test_figures_are_hand_counts() -> None:
    """Answers of another measure, and those without a percent, are in none of them."""
    silent = stated(True, 50, status="not_applicable", value=None, score=None)
    own = [stated(n < 6, 90, base_id=f"s{n}") for n in range(10)]
    (table, bins) = calibration_tables([*own, silent, outcome(True)])
    (row,) = table.rows
    assert (row["answers"], row["silent"], row["stated"], row["right"]) == (10, 1, 0.9, 0.6)
    assert abs(row["excess"] - 0.3) < 1e-9
    assert abs(row["brier"] - (6 * 0.1**2 + 4 * 0.9**2) / 10) < 1e-9
    assert [(one["answers"], one["stated"]) for one in bins.rows] == [(10, 0.9)]
    assert calibration_tables([outcome(True)]) == ()
    assert calibrations(own[:3])[0].finding == "too few base scenarios"
