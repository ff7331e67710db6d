"""Verdicts before and after: every change is counted once, whatever the measure."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.commands.flips import changed_table
from helm_impactbench.validity.flips import CHANGES, by_benchmark, changes, paired
from tests.support.outcomes import contrast_outcome, outcome


def presence(base: int, passed: bool | None) -> Outcome:
    """Return an outcome on a positive metric with this verdict."""
    return outcome(passed, base_id=f"s{base}", variant_id=f"s{base}_v01")


def test_presence_is_counted_in_both_directions() -> None:
    """Every change once; the share is over conversations that are scored in both."""
    before = [True, True, True, False, False, None, True, None]
    after = [True, False, False, True, False, True, None, None]
    pairs = paired("run", [presence(n, v) for n, v in enumerate(before)],
                   [presence(n, v) for n, v in enumerate(after)][::-1])  # fmt: skip
    found = changes(pairs)
    assert {name: count for name, count in found.counts.items() if count} == {
        "present_to_present": 1, "present_to_absent": 2, "absent_to_present": 1, "absent_to_absent": 1,
        "newly_scored": 1, "no_longer_scored": 1, "never_scored": 1,
    }  # fmt: skip
    assert sum(found.counts.values()) == len(pairs)
    assert (found.scored_in_both, found.share_changed) == (5, 3 / 5)
    assert [row["variant"] for row in changed_table({"s": pairs}).rows] == [f"s{n}_v01" for n in (1, 2, 3, 5, 6)]


def test_values_are_lower_the_same_or_higher() -> None:
    """Of a stance from -1 to 1, the mean shift is a share of the range."""
    before = [contrast_outcome(v, "a", f"b{n}") for n, v in enumerate([1.0, 0.0, -1.0, 0.5])]
    after = [contrast_outcome(v, "a", f"b{n}") for n, v in enumerate([0.5, 0.0, 1.0, 0.5])]
    found = changes(paired("run", before, after))
    assert [found.counts[name] for name in ("lower", "same", "higher")] == [1, 2, 1]
    assert (found.share_changed, found.mean_shift) == (0.5, (-0.25 + 1.0) / 4)


def test_measures_and_benchmarks_are_kept_apart() -> None:
    """A mixed suite has a row per benchmark and measure, and no sum over measures."""
    found = by_benchmark([
        *paired("one", [presence(1, True)], [presence(1, False)]),
        *paired("two", [contrast_outcome(1.0, "a")], [contrast_outcome(1.0, "a")]),
    ])  # fmt: skip
    assert {key: own.share_changed for key, own in found.items()} == {
        ("mini", "presence"): 1.0,
        ("sides", "stance"): 0.0,
    }


def test_a_status_that_becomes_another_is_told() -> None:
    """Unclear after, scored before: it is no longer scored, and the file says why."""
    after = replace(presence(1, None), status="unclear", unscored=None)
    pairs = paired("run", [presence(1, True)], [after])
    assert changes(pairs).statuses == {"scored -> unclear": 1}
    (changed,) = changed_table({"s": pairs}).rows
    assert (changed["change"], changed["after"]) == ("no_longer_scored", "unclear")


def test_no_share_of_nothing() -> None:
    """Nothing scored in both: no number is made up."""
    found = changes(paired("run", [presence(1, None)], [presence(1, True)]))
    assert (found.share_changed, found.mean_shift, found.scored_in_both) == (None, None, 0)
    assert not found.interval.is_known
    assert found.counts.keys() == set(CHANGES)
