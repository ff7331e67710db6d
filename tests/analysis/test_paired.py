"""Paired differences: what is missing is counted by side, bounded, and never decides by its absence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.analysis.paired import CasePair, MissingBySide, among, matched, paired_difference
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import judged, outcome, simulated


def sides(first: list[bool | None], second: list[bool | None]) -> list[tuple[Outcome, Outcome]]:
    """Return the outcomes of two models, base scenario by base scenario."""
    return [
        (outcome(one, model="a", base_id=f"s{n}"), outcome(other, model="b", base_id=f"s{n}"))
        for n, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def test_what_is_missing_is_counted_by_side_and_bounded() -> None:
    """Four pairs, one case lacking each side, one both: the bounds are those of the best and the worst verdicts."""
    found = matched(sides([True, True, True, False, None, True, None], [False, False, True, True, False, None, None]))
    difference = found.difference()
    assert difference is not None
    assert difference.value == 0.25
    assert difference.missing == MissingBySide(first=2, second=2)
    # Worst for the first side: 1 1 0 -1, then 0-0, 1-1, 0-1 over seven cases; best: 1-0, 1-0, 1-0.
    assert (difference.bounds.low, difference.bounds.high) == pytest.approx((0 / 7, 4 / 7))


def test_what_is_not_applicable_is_counted_and_has_no_bounds() -> None:
    """The question did not arise on one side: no pair, no doubt."""
    silent = outcome(None, model="b", base_id="s9", status="not_applicable", unscored=None)
    found = matched([*sides([True], [False]), (outcome(None, model="a", base_id="s9"), silent)])
    difference = found.difference()
    assert difference is not None
    assert difference.missing == MissingBySide(first=1, not_applicable_second=1)
    assert difference.bounds.low == difference.bounds.high == 1


def test_without_missing_verdicts_the_bounds_are_the_value() -> None:
    """And the worst case is the case."""
    difference = matched(sides([True, False, True], [False, False, True])).difference()
    assert difference is not None
    assert difference.bounds.low == difference.bounds.high == difference.value == pytest.approx(1 / 3)
    assert difference.worst is difference.totals


def test_equality_has_to_be_shown() -> None:
    """Forty equal cases are equal within .1, four are not; a real difference is not, however sure."""
    many, few = ([CasePair("x", str(n), 0.0) for n in range(count)] for count in (80, 4))
    large = [CasePair("x", str(n), 0.3) for n in range(80)]
    found = [paired_difference(pairs) for pairs in (many, few, large)]
    assert [each.equal_within(0.1) for each in found if each is not None] == [True, False, False]


def test_equality_that_missing_verdicts_could_undo_does_not_survive() -> None:
    """Equal where both have a verdict; what either side lacks may all have failed. Few of many change nothing."""
    for first, second in (([True] * 96, [True] * 50 + [None] * 46), ([True] * 50 + [None] * 46, [True] * 96)):
        torn = matched(sides(first, second)).difference()
        assert torn is not None
        assert torn.equal_within(0.1)
        assert 0 < (torn.equality_tips(0.1) or 0) < 1
        assert torn.worst_equivalence_interval.low <= torn.bounds.low <= torn.bounds.high
        assert torn.bounds.high <= torn.worst_equivalence_interval.high
    for lost in (0, 1):
        held = matched(sides([True] * 200, [True] * (200 - lost) + [None] * lost)).difference()
        assert held is not None
        assert (held.equal_within(0.1), held.equality_tips(0.1)) == (True, None)


def hide(rng: np.random.Generator, data: list[Outcome], share: float, where: str) -> list[Outcome]:
    """Take away a share of one side's failures: a model's, or those of an age."""
    return [
        judged(each, None)
        if each.score == 0 and where in (each.model, each.axes_label) and rng.random() < share
        else each
        for each in data
    ]


@pytest.mark.parametrize("where", ["b", "child"])
def test_verdicts_that_are_missing_for_a_reason_find_nothing_unmarked(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """35% of one side's failures unscored, equal sides: findings that they cannot undo in at most 7%, others often."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 999)  # for the clock: p values are coarser
    rng = np.random.default_rng(21)
    marked = unmarked = 0
    for _ in range(150):
        data = hide(rng, simulated(rng, {"a": 0.5, "b": 0.5}, scenarios=10), 0.35, where)
        found = (
            [pair for pair in compare(data).pairs if pair.found]
            if where == "b"
            else [contrast for contrast in level_contrasts(data, ["benchmark"]) if contrast.found]
        )
        unmarked += any(each.tips is None for each in found)
        marked += any(each.tips is not None for each in found)
    assert unmarked <= 0.07 * 150
    assert marked >= 0.1 * 150


def test_intervals_of_a_family_hold_at_once_and_agree_with_their_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five models with true differences: all ten hold in 93% of 200 suites or more, and exclude 0 where it is found."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 1_999)  # for the clock: p values are coarser
    rng, truths, held = np.random.default_rng(11), dict(zip("abcde", (0.2, 0.4, 0.5, 0.7, 0.8), strict=True)), 0
    for _ in range(200):
        scores = {model: rng.random((36, 2)) < rate for model, rate in truths.items()}
        family = [
            paired_difference([CasePair("x", str(base), float(one[base, side]) - float(other[base, side]))
                               for base in range(36) for side in range(2)])
            for one, other in combinations(scores.values(), 2)
        ]  # fmt: skip
        found = among([each for each in family if each is not None])
        true = [one - other for one, other in combinations(truths.values(), 2)]
        held += all(each.interval.low <= value <= each.interval.high for each, value in zip(found, true, strict=True))
        for each in found:
            assert each.test is not None
            assert each.test.found == (each.interval.low > 0 or each.interval.high < 0)
    assert held >= 0.93 * 200


def test_a_benchmark_with_a_single_scenario_leaves_no_interval_of_zero_width() -> None:
    """Sixteen equal differences, one of them alone in its benchmark: wider than 42 of one benchmark, and as found."""
    few = [CasePair("x" if n else "y", str(n), 1.0) for n in range(16)]
    many = [CasePair("x", str(n), 1.0) for n in range(42)]
    for size in (1.0, 0.0, -1.0):
        one, other = (
            among([found])[0]
            for pairs in (few, many)
            if (found := paired_difference([pair._replace(difference=size) for pair in pairs])) is not None
        )
        assert one.interval.high - one.interval.low > other.interval.high - other.interval.low > 0
        assert one.interval.low <= one.value <= one.interval.high
        assert one.test is not None
        assert one.test.found == (one.interval.low > 0 or one.interval.high < 0) == bool(size)
