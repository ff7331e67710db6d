"""What is said of the widest of several gaps holds for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from helm_impactbench.analysis.combined.scales import benchmark_scales
from helm_impactbench.analysis.gate import at_least, at_most
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.title import Title
from tests.support.outcomes import contrast_outcome

SIX = tuple("abcdef")
BASES, RUNS = 24, 120


@cache
def alike(levels: tuple[str, ...] = SIX, shift: float = 0.0) -> tuple[tuple[Outcome, ...], ...]:
    """Return data sets in which levels do not differ, but for the last one by `shift`."""
    rng = np.random.default_rng(7)
    contrast = Contrast(axis="name", levels=list(levels))
    return tuple(
        tuple(
            contrast_outcome(
                float(np.clip(rng.normal(shift * (level == levels[-1]), 0.4), -1, 1)),
                level, f"rent_{base:02d}", contrast=contrast,
            )
            for base in range(BASES)
            for level in levels
        )
        for _ in range(RUNS)
    )  # fmt: skip


def sets_of(outcomes: Sequence[Outcome]) -> list[MatchedSet]:
    """Return the matched sets."""
    return list(matched_sets(outcomes))


def test_the_widest_of_fifteen_gaps_that_are_0_excludes_0_in_one_case_of_twenty() -> None:
    """Six levels that are alike: its own 95% interval would exclude 0 in a third of the data sets."""
    found = [widest_gap(sets_of(one)) for one in alike()]
    assert {len(one.tried) for one in found} == {15}
    excluded = own = 0
    for one in found:
        assert one.gap is not None
        interval, alone = one.gap.estimate.interval, one.gap.estimate.among(1).interval
        excluded += not interval.low <= 0 <= interval.high
        own += not alone.low <= 0 <= alone.high
    assert excluded / RUNS <= 0.065
    assert own / RUNS > 0.2


def test_combined_and_the_gate_do_not_find_a_gap_where_there_is_none() -> None:
    """A distance above 0, and a bar near 0 that is surely missed, in no more than one case of twenty."""
    low = failed = 0
    for one in alike():
        (scale,) = benchmark_scales(one, Title)
        low += scale.scores["model-a"].interval.low > 0
        failed += at_most(one, "contrast_gap_size", 0.001)[0].decision == "fail"
    assert low / RUNS <= 0.065
    assert failed / RUNS <= 0.065


def test_a_gate_decides_wrongly_in_no_more_than_one_case_of_twenty() -> None:
    """A true gap of .25 neither clears a bar just below it, nor keeps to one, by chance; a far bar is decided."""
    shifted = alike(SIX, 0.5)
    truth = float(np.mean([widest_gap(sets_of(one)).tried[4].estimate.value for one in shifted]))
    passed = [at_most(one, "contrast_gap_size", abs(truth) * 0.97)[0].decision == "pass" for one in shifted]
    wide = [at_least(one, "contrast_gap_size", abs(truth) * 1.03)[0].decision == "pass" for one in shifted]
    assert np.mean(passed) <= 0.05
    assert np.mean(wide) <= 0.065
    assert np.mean([at_most(one, "contrast_gap_size", 0.03)[0].decision == "fail" for one in shifted]) > 0.5


def test_a_single_pair_keeps_its_interval() -> None:
    """What was not chosen from several is not adjusted."""
    found = widest_gap(sets_of([outcome for outcome in alike()[0] if outcome.axes_label in ("a", "b")]))
    (only,) = found.tried
    assert found.gap is not None
    assert found.gap.estimate.interval == only.estimate.interval


def test_a_distance_names_the_metrics_that_it_cannot_count() -> None:
    """In combined as everywhere: dollars have no mean with shares of a range."""
    shares = [outcome for outcome in alike()[0] if outcome.axes_label in ("a", "b")]
    paid = [replace(outcome, metric_id="pays", bounds=None) for outcome in shares]
    (scale,) = benchmark_scales([*shares, *paid], Title)
    (alone,) = benchmark_scales(shares, Title)
    score, own = scale.scores["model-a"], alone.scores["model-a"]
    assert (score.left_out, own.left_out) == (("sides/pays",), ())
    assert score.estimate == own.estimate
