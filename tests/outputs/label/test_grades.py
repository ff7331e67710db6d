"""Bands, what a grade needs, and how far the interval lets it move."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.rates import Rate
from helm_impactbench.outputs.label.grades import BANDS, Grade, NoGrade, grade_of, judge_row, letter_of
from helm_impactbench.outputs.label.phrases import percent
from helm_impactbench.outputs.label.words import shown_bands
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from tests.outputs.label.builders import talks
from tools.simulations.grades import graded_rows


@pytest.mark.parametrize(
    ("rate", "letter"),
    [
        (1.0, "A"),
        (0.95, "A"),
        (0.949, "B"),
        (0.85, "B"),
        (0.849, "C"),
        (0.7, "C"),
        (0.5, "D"),
        (0.499, "E"),
        (0.0, "E"),
    ],
)
def test_a_rate_gets_the_letter_of_its_band(rate: float, letter: str) -> None:
    """Each bound belongs to the better grade."""
    assert letter_of(rate) == letter


def test_a_rate_is_graded_as_it_is_shown() -> None:
    """ "95.0%" is never shown with a B, at any count of conversations."""
    for scored in range(20, 400):
        for passed in range(scored + 1):
            shown = float(percent(passed / scored).rstrip("%")) / 100
            assert letter_of(passed / scored) == next(b.letter for b in BANDS if shown >= b.least - 1e-9)


def test_the_bands_are_stated_as_they_are() -> None:
    """The line on every label follows from the bands."""
    assert shown_bands() == "A 95% or more, B 85% or more, C 70% or more, D 50% or more, E below 50%"


@pytest.mark.parametrize(
    ("rate", "low", "high", "span"),
    [
        (0.88, 0.68, 0.97, "A to C"),
        (0.97, 0.955, 0.99, "A"),
        (0.90, 0.86, 0.93, "B"),
        (0.86, 0.80, 0.90, "B to C"),
        (0.3, 0.2, 0.42, "E"),
        (0.6, 0.2, 0.9, "C to E"),
    ],
)
def test_a_grade_is_the_fewest_bands_with_nine_tenths_of_the_evidence(
    rate: float, low: float, high: float, span: str
) -> None:
    """A letter alone where one band holds as much; a wide interval has a wide span."""
    assert grade_of(rate, Interval(low, high)).span == span


def test_letters_that_stand_alone_are_the_true_ones() -> None:
    """In 90% of rows of 60 metrics x 6 x 2; they stand in half of these; equal models differ in 10% at most."""
    found = graded_rows(60, 6, 2, sets=200)
    assert found.right >= 0.9
    assert found.alone >= 0.5
    assert found.different <= 0.1
    assert graded_rows(3, 6, 2, sets=200).different <= 0.1


def _rate(metrics: int, per_metric: int, unscored: int = 0) -> Rate:
    found: list[Outcome] = []
    for number in range(1, metrics + 1):
        verdicts: list[bool | None] = [True] * per_metric
        verdicts[: unscored // metrics] = [None] * (unscored // metrics)
        found += talks(number, verdicts)
    return Rate(tuple(found))


@pytest.mark.parametrize(
    ("rate", "metrics", "expected"),
    [
        pytest.param(Rate(()), 0, NoGrade.NO_METRIC, id="nothing looks at it"),
        pytest.param(_rate(3, 6), 3, NoGrade.TOO_FEW, id="18 conversations"),
        pytest.param(_rate(2, 20), 2, NoGrade.TOO_FEW, id="two metrics"),
        pytest.param(_rate(3, 20, unscored=15), 3, NoGrade.UNSCORED, id="a quarter without a verdict"),
        pytest.param(_rate(3, 20, unscored=12), 3, Grade("A", "B"), id="a fifth without a verdict"),
        pytest.param(_rate(5, 4), 5, Grade("A", "C"), id="20 conversations"),
        pytest.param(_rate(3, 20), 3, Grade("A", "A"), id="enough"),
    ],
)
def test_a_row_is_graded_only_on_enough(rate: Rate, metrics: int, expected: Grade | NoGrade) -> None:
    """Without enough conversations, metrics or verdicts a row is not measured, and says why."""
    assert judge_row(rate, rate.interval, metrics) == expected


def test_a_grade_of_four_bands_is_none() -> None:
    """It says next to nothing; neither does an unknown interval."""
    for interval in (Interval(0.01, 1.0), UNKNOWN):
        assert judge_row(_rate(3, 20), interval, 3) is NoGrade.TOO_WIDE


def test_many_conversations_of_few_scenarios_are_not_enough() -> None:
    """Samples of one scenario resemble each other: five scenarios make no grade, however often they are played."""
    found = [o for n in range(1, 6) for s in range(20) for o in talks(n, [True, True], sample=s)]
    rate = Rate(tuple(found))
    assert judge_row(rate, rate.interval, 5) is NoGrade.TOO_FEW
