"""What turned from pass to fail between two releases."""

from __future__ import annotations

from helm_impactbench.analysis.commands.turned import losses_note, turned, turned_to_fail
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import outcome


def release(results: dict[tuple[str, int], bool | None]) -> list[Outcome]:
    """Return outcomes of one sample per (metric, scenario)."""
    return [
        outcome(passed, metric_id=metric, base_id=f"{metric}_s{base}", variant_id=f"{metric}_s{base}_v01")
        for (metric, base), passed in results.items()
    ]


BEFORE = {("m01", 1): True, ("m01", 2): True, ("m01", 3): True, ("m02", 1): True, ("m02", 2): True, ("m02", 3): False}
NOW = {("m01", 1): True, ("m01", 2): True, ("m01", 3): False, ("m02", 1): False, ("m02", 2): None, ("m02", 3): False}


def test_base_scenarios_that_turned_are_listed_worst_metric_first() -> None:
    """A missing verdict now counts as failed; what failed before and what still passes is no loss."""
    rows = turned_to_fail(release(NOW), release(BEFORE))
    assert [(row["metric"], row["scenario"], row["to_fail"], row["conversations"]) for row in rows] == [
        ("mini/m02", "m02_s1", 1, 1),
        ("mini/m02", "m02_s2", 1, 1),
        ("mini/m01", "m01_s3", 1, 1),
    ]
    assert rows[0]["example"] == "mini/m02_s1_v01"


def test_what_had_no_verdict_before_turned_nowhere() -> None:
    """It makes no pair, as in the gate."""
    assert turned_to_fail(release({("m01", 1): False}), release({("m01", 1): None})) == []


def test_the_result_ends_with_the_command_that_shows_a_conversation() -> None:
    """Of the worst metric; without a loss it says so, and the gate has nothing to say."""
    now, before = reading_of(release(NOW)), reading_of(release(BEFORE))
    found = turned(now, before)
    assert found["turned"].title == "3 conversations of 3 base scenarios turned from pass to fail"
    assert found.notes[-1].endswith("--model model-a mini/m02_s1_v01")
    assert turned(before, before).notes == ("None of 6 conversations in both turned from pass to fail.",)
    assert losses_note(before, before, None) == ""
