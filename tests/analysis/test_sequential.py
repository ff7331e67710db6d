"""Runs that stopped early, as every analysis sees them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from helm_impactbench.analysis.combined.scales import benchmark_scales, mean_scale
from helm_impactbench.analysis.rates import Rate, model_scores
from helm_impactbench.analysis.sequential import stops
from helm_impactbench.analysis.weighted import Emphasis, weighted_scores
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.errors import ResultsError
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.title import Title
from tests.support.outcomes import outcome


def draw(place: int, **changes: Any) -> Draw:
    """Return the draw of one of 40 base scenarios with two conversations each."""
    return Draw(**{"place": place, "of": 40, "size": 2, "most": 2, "conversations": 80, "bar": 0.5, **changes})


def drawn(
    verdicts: list[bool | None], model: str = "model-a", benchmark: str = "mini", **changes: Any
) -> list[Outcome]:
    """Return two conversations with the same verdict for each base scenario, in the order of the draws."""
    return [
        outcome(passed, model=model, benchmark=benchmark, base_id=f"m01_s{place:03d}",
                variant_id=f"m01_s{place:03d}_v{variant}",
                axes=(("age", age),), draw=draw(place, **changes))
        for place, passed in enumerate(verdicts, start=1)
        for variant, age in ((1, "child"), (2, "adult"))
    ]  # fmt: skip


def test_where_it_stopped_and_what_it_decided() -> None:
    """Ten of forty base scenarios, all passed: above one half, and 60 conversations were not drawn."""
    (stop,) = stops(drawn([True] * 10))
    assert (stop.not_drawn, stop.is_reached, stop.decision) == (60, True, True)
    assert str(stop).startswith("mini stopped after 10 of 40 base scenarios (60 conversations not drawn): 0.")
    assert str(stop).endswith(" for the whole list, at or above 0.5.")


def test_a_run_that_drew_all_is_said_so() -> None:
    """A rate of one half among all, to be known within .1 for other scenarios: that takes more than there are."""
    (stop,) = stops(drawn([True, False] * 20, bar=None, width=0.1, other_scenarios=True))
    assert not stop.is_reached
    assert str(stop).startswith("mini drew all 40 base scenarios: ")
    assert str(stop).endswith(" for other scenarios, not within 0.1 wide.")


def test_its_interval_is_wider_than_an_ordinary_one() -> None:
    """An ordinary interval would take the moment of the stop as fixed beforehand."""
    verdicts = [True, True, False, True] * 5
    found = Rate(tuple(drawn(verdicts))).interval
    ordinary = Rate(tuple(outcome(o.score == 1, base_id=o.base_id, variant_id=o.variant_id) for o in drawn(verdicts)))
    assert found.low < ordinary.interval.low < 0.75 < ordinary.interval.high < found.high


def test_a_level_has_an_interval_of_its_own() -> None:
    """Half of each base scenario: as certain as a run of that half would be."""
    verdicts = [True, True, False, True] * 5
    whole = Rate(tuple(drawn(verdicts)))
    children = Rate(tuple(o for o in drawn(verdicts) if dict(o.axes)["age"] == "child"))
    assert children.interval == whole.interval


def test_missing_verdicts_count_at_their_worst_on_both_sides() -> None:
    """Whatever they would have been, the interval holds it; nothing is decided by leaving them out."""
    some, passed, failed = (Rate(tuple(drawn([True] * 12 + [last] * 6))) for last in (None, True, False))
    assert some.value == 1.0
    assert some.interval.low == failed.interval.low
    assert some.interval.high == passed.interval.high


def test_other_runs_of_the_model_are_added_by_their_size() -> None:
    """A stopped run and a complete one: the interval lies around the pass rate over both."""
    other = [
        outcome(i % 3 > 0, benchmark="second", base_id=f"m01_s{i:03d}", variant_id=f"m01_s{i:03d}_v1")
        for i in range(30)
    ]
    rate = Rate((*drawn([True] * 10), *other))
    assert rate.interval.low < rate.value < rate.interval.high
    assert not rate.like_these_interval.is_known


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        pytest.param(lambda own: own[:2] + own[4:], "draw 2 holds 0 conversations, not 1", id="a base scenario lost"),
        pytest.param(lambda own: own[1:], "draw 1 holds 1 conversation, not 2", id="a conversation lost"),
        pytest.param(lambda own: [*own, outcome(True)], "1 conversation not drawn with the others", id="added"),
    ],
)
def test_what_was_drawn_is_whole(spoil: Any, fault: str) -> None:
    """The first base scenarios of the order, each with all its conversations: anything else is refused."""
    check_outcomes(drawn([True, False, True]), "r")
    with pytest.raises(ResultsError, match=fault):
        check_outcomes(spoil(drawn([True, False, True])), "r")


def test_a_draw_has_a_place_in_its_list() -> None:
    """Damaged files are refused where they are read."""
    with pytest.raises(ValidationError):
        draw(41)
    with pytest.raises(ValidationError):
        draw(1, size=3)


def test_the_mean_over_benchmarks_lies_between_the_means_of_their_bounds() -> None:
    """In every figure that adds up benchmarks: runs that stop once decided lean the same way, and do not cancel out."""
    own = [*drawn([True, True, False, True] * 5), *drawn([True] * 12, benchmark="other")]
    rates = [Rate(tuple(o for o in own if o.benchmark == slug)) for slug in ("mini", "other")]
    ends = [sum(rate.interval.low for rate in rates) / 2, sum(rate.interval.high for rate in rates) / 2]
    (score,) = model_scores(own)
    (weighted,) = weighted_scores(own, Emphasis("age", {}, {}), {})
    scales = benchmark_scales(own, Title)
    scaled = mean_scale("mean", "mean", "impact", scales).scores["model-a"]
    for found in (score, weighted, scaled):
        assert [found.interval.low, found.interval.high] == pytest.approx(ends)
    assert not score.like_these_interval.is_known
    assert not scaled.like_these_interval.is_known
