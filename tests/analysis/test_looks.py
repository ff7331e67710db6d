"""Looks at a suite that grows: what counts as one, and what changes with the second."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helm_impactbench.analysis.commands.compare import compare
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.looks import Look, look_at, looks_before, looks_sentence
from helm_impactbench.analysis.which_best import which_is_best
from helm_impactbench.errors import ResultsError
from helm_impactbench.suites.reading import Reading, Selection, reading_of
from helm_impactbench.validity.records.looks import FILE, record_look, recorded_looks
from tests.support.outcomes import simulated

WHOLE = tuple(simulated(np.random.default_rng(5), {"a": 0.9, "b": 0.5}, metrics=12, scenarios=6))
HALF = tuple(outcome for outcome in WHOLE if outcome.base_id[-1] in "123")


def reading(folder: Path, outcomes: tuple = HALF) -> Reading:  # type: ignore[type-arg]
    """Return a reading of a suite in a folder."""
    return Reading(folder, outcomes)


def test_a_look_counts_once_the_suite_has_grown(tmp_path: Path) -> None:
    """The first look has none before it, nor has the same again; the next one has, and says with how many."""
    assert record_look(reading(tmp_path)) == []
    assert record_look(reading(tmp_path)) == []
    (before,) = record_look(reading(tmp_path, WHOLE))
    assert before.size == 36
    assert len(recorded_looks(tmp_path)) == 2
    assert looks_sentence([before]).startswith("This suite grows, and was looked at with 36 base scenarios:")


def test_a_new_model_or_a_narrower_reading_is_no_growth(tmp_path: Path) -> None:
    """Pairs that were compared are as they were; a single level is no look at the suite."""
    record_look(reading(tmp_path))
    third = tuple(replace(outcome, model="c") for outcome in WHOLE)
    assert record_look(reading(tmp_path, HALF + third)) == []
    now = look_at(replace(reading(tmp_path), selection=Selection(where=("age=child",))))
    assert now is None
    assert looks_before([Look({"a": {"mini": 3}})], now) == []


def test_one_model_is_enough_where_it_is_compared_with_itself() -> None:
    """As at a gate with a baseline."""
    before, now = Look({"a": {"mini": 18}, "b": {"mini": 36}}), Look({"a": {"mini": 36}, "b": {"mini": 36}})
    assert looks_before([before], now) == []
    assert looks_before([before], now, models=1) == [before]


def test_a_planned_look_counts_from_the_beginning(tmp_path: Path) -> None:
    """A suite that grows until it says which model is best has tests that hold at any look at its first one, too."""
    record_look(reading(tmp_path), is_planned=True)
    assert [look.is_planned for look in record_look(reading(tmp_path))] == [True]


def test_a_damaged_record_says_so(tmp_path: Path) -> None:
    """With what to do; a folder that cannot be written to is none's fault."""
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(ResultsError, match="Delete it to begin anew"):
        record_look(reading(tmp_path))
    assert record_look(reading(tmp_path / "nowhere")) == []


def test_from_the_second_look_on_tests_hold_at_any() -> None:
    """compare says so first, p values are larger, intervals wider, and interval and verdict agree."""
    near = reading_of(simulated(np.random.default_rng(7), {"a": 0.8, "b": 0.65}, scenarios=6))
    once, again = compare(near), compare(near, before=[Look({"a": {"mini": 36}})])
    assert "looked at with 36 base scenarios" in again.first[-1]
    assert not any("looked at" in line for line in once.first)
    one, other = once["pairs"].rows[0], again["pairs"].rows[0]
    assert one["difference"] == other["difference"]
    assert other["adjusted_p"] > one["adjusted_p"]
    assert other["low_these"] < one["low_these"]
    assert other["found"] == (other["low_these"] > 0)


def test_which_is_best_once_it_is_certain() -> None:
    """A wide difference is; two equal models are not, and the sentence names both."""
    found = which_is_best(reading_of(WHOLE))
    assert (found.is_decided, found.sentence) == (True, "After 72 base scenarios: a is better than b.")
    equal = simulated(np.random.default_rng(6), {"a": 0.7, "b": 0.7}, metrics=2)
    assert "it is open whether" in which_is_best(reading_of(equal)).sentence
    assert not which_is_best(reading_of([o for o in WHOLE if o.model == "a"])).is_decided


def test_a_loss_is_decided_by_an_interval_that_holds_at_any_look() -> None:
    """A real loss still fails the gate; the interval is wider."""
    now = [replace(outcome, model="x") for outcome in WHOLE if outcome.model == "b"]
    before = [replace(outcome, model="x") for outcome in WHOLE if outcome.model == "a"]
    (once,), (again,) = (not_worse(now, before, 0.02, any_look=any_look) for any_look in (False, True))
    assert once.decision == again.decision == "fail"
    assert again.interval.high - again.interval.low > once.interval.high - once.interval.low
