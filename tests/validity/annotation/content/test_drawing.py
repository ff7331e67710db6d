"""Which cases experts read."""

from __future__ import annotations

from collections import Counter

from helm_impactbench.validity.annotation.content.drawing import draw_cases
from tests.validity.annotation.content.builders import benchmark, contrast, metric

ONE = benchmark("one", metric("m01"), metric("m02"), metric("m03"))
TWO = benchmark("two", metric("m01"), contrast("m02"))


def test_places_are_shared_among_benchmarks_then_metrics() -> None:
    """12 places: 6 for each benchmark, 2 or 3 for each of its metrics."""
    cases = draw_cases([ONE, TWO], 12, seed=0)
    assert Counter((case.benchmark.slug, case.metric.id) for case in cases) == {
        ("one", "m01"): 2, ("one", "m02"): 2, ("one", "m03"): 2, ("two", "m01"): 3, ("two", "m02"): 3,
    }  # fmt: skip


def test_every_base_scenario_occurs_once_in_one_of_its_variants() -> None:
    """More places than base scenarios give each of them once; both variants get their turn."""
    cases = draw_cases([ONE, TWO], 500, seed=0)
    assert len(cases) == len({case.name for case in cases}) == 30
    assert {case.scenario.axes["age"] for case in cases} == {"child", "adult"}


def test_replies_are_examples_and_near_misses_in_equal_number() -> None:
    """The reader cannot tell by the metric, nor by what is more frequent; contrasts have no reply."""
    for seed in range(5):
        cases = draw_cases([ONE, TWO], 20, seed)
        kinds = Counter(case.reply.intended if case.reply else None for case in cases)
        assert abs(kinds["present"] - kinds["absent"]) <= 1
        assert kinds[None] == sum(case.metric.type == "contrast" for case in cases)
        for case in cases:
            if case.reply:
                lines = case.metric.examples if case.reply.intended == "present" else case.metric.near_misses
                assert case.reply.text in lines


def test_lines_repeat_only_when_all_have_been_used() -> None:
    """Six cases of a metric with two examples and one near miss show both examples."""
    replies = [case.reply.text for case in draw_cases([benchmark("one", metric("m01"))], 6, 0) if case.reply]
    assert set(replies) == {"shows m01 a", "shows m01 b", "nearly m01"}


def test_the_seed_alone_decides() -> None:
    """The order of benchmarks does not matter; another seed draws other cases in another order."""
    first, again = draw_cases([ONE, TWO], 10, 3), draw_cases([TWO, ONE], 10, 3)
    assert [(case.name, case.scenario.id, case.reply) for case in first] == [
        (case.name, case.scenario.id, case.reply) for case in again
    ]
    assert [case.name for case in first] != [case.name for case in draw_cases([ONE, TWO], 10, 4)]
