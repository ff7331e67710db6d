"""What `impactbench annotate score` says of people: only what was modelled, and counts that can be read."""

from __future__ import annotations

import numpy as np

from helm_impactbench.cli.calibration import _of_people, _rate
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.judge_errors import Rate
from helm_impactbench.stats.labellers import Labeller, Labels


def test_errors_of_people_are_allowed_for_only_where_they_are_modelled() -> None:
    """Two people who shared too few items have labels, but no known errors."""
    none = np.zeros((1, 4))
    person = Labeller(0.9, Interval(0.8, 1.0), 0.8, Interval(0.7, 0.9))
    assert _of_people(None) == _of_people(Labels(none, none)) == "Both assume that people are right."
    assert _of_people(Labels(none, none, (person,))).startswith("Both allow for people's errors")


def test_expected_numbers_of_items_are_rounded() -> None:
    """A sum of probabilities is no count of 30.00000466742272 items."""
    shown = [_rate(Rate(0.5, Interval(0.4, 0.6), 15.0, items)) for items in (30.00000466742272, 30.0, 27.5558)]
    assert [text.split(", ")[1] for text in shown] == ["n=30", "n=30", "n=27.6"]
    assert _rate(None) == "-"
