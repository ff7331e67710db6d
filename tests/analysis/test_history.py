"""One model over several suites: order, shared benchmarks, differences on shared cases, what else changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from helm_impactbench.analysis.history import Instruments, SuiteSnapshot, changes, history, shared_benchmarks
from tests.support.outcomes import outcome

SAME = Instruments(("j/1",), ("u/1",), ("0.2.0",), ("p",), {"a": ("1",), "b": ("1",)})


def snapshot(
    suite: str, day: int, scores: dict[str, list[float]], instruments: Instruments = SAME, hour: int = 0
) -> SuiteSnapshot:
    """Return a suite with one base scenario per score."""
    own = tuple(
        outcome(bool(score), benchmark=slug, base_id=f"s{k}", variant_id=f"s{k}_v01")
        for slug, found in scores.items()
        for k, score in enumerate(found)
    )
    return SuiteSnapshot(suite, "m/1", datetime(2026, 11, day, hour, tzinfo=timezone.utc), own, instruments)


def test_suites_stand_by_age_and_scores_are_over_what_all_have() -> None:
    """A benchmark that one suite lacks is in no mean; differences are on the cases of both suites."""
    new = snapshot("new", 20, {"a": [1.0] * 8, "b": [0.0] * 4})
    old = snapshot("old", 3, {"a": [0.0] * 6 + [1.0] * 2})
    first, second = history([new, old])
    assert [step.snapshot.suite for step in (first, second)] == ["old", "new"]
    assert shared_benchmarks([first, second]) == ["a"]
    assert first.score is not None
    assert second.score is not None
    assert (first.score.mean, second.score.mean) == (0.25, 1.0)
    assert first.difference is None
    assert second.difference is not None
    assert second.difference.value == pytest.approx(0.75)
    assert second.difference.pairs == 8


def test_suites_of_one_day_stand_by_the_clock() -> None:
    """And not by their names: before and after of an afternoon."""
    found = [snapshot("a-after", 3, {"a": [1.0] * 4}, hour=15), snapshot("b-before", 3, {"a": [0.0] * 4}, hour=14)]
    assert [step.snapshot.suite for step in history(found)] == ["b-before", "a-after"]


def test_suites_without_a_common_benchmark_have_no_score() -> None:
    """Nothing is compared, and nothing is made up."""
    steps = history([snapshot("old", 1, {"a": [1.0] * 4}), snapshot("new", 2, {"b": [0.0] * 4})])
    assert [step.score for step in steps] == [None, None]
    assert steps[1].difference is None
    assert history([]) == []


def test_everything_that_changed_is_named() -> None:
    """Judge, simulated user, version, prompts, and the content of benchmarks that both suites have."""
    now = Instruments(("j/2", "j/3"), (), ("0.3.0",), ("q",), {"a": ("2",), "c": ("1",)})
    assert changes(SAME, now) == {
        "judge": "judge: j/1 before, now j/2 and j/3",
        "simulated user": "simulated user: u/1 before, now nobody",
        "version": "version: 0.2.0 before, now 0.3.0",
        "prompts": "the prompts",
        "content": "the content of a",
    }
    assert changes(SAME, SAME) == {}


def test_other_areas_are_in_no_score() -> None:
    """A suite with a safety panel beside impact is followed by its impact alone."""
    panel = tuple(
        outcome(False, benchmark="panel", base_id=f"p{k}", variant_id=f"p{k}_v01", area="safety") for k in range(6)
    )
    own = (snapshot("old", 1, {"a": [1.0] * 4}), snapshot("new", 2, {"a": [1.0] * 4}))
    snapshots = [replace(one, outcomes=(*one.outcomes, *panel)) for one in own]
    steps = history(snapshots)
    assert shared_benchmarks(steps) == ["a"]
    assert [step.score.mean for step in steps if step.score] == [1.0, 1.0]
    assert steps[1].difference is not None
    assert steps[1].difference.pairs == 4
