"""How long targets took for replies: each call once, in base scenarios, where the time is known."""

from __future__ import annotations

from helm_impactbench.analysis.latency import latencies, latency_tables
from tests.support.outcomes import outcome


def test_each_different_call_counts_once() -> None:
    """A stored answer that another run has too is the same call; an unknown time is none."""
    outcomes = [
        outcome(base_id="s1", calls=("a", "b"), seconds=(1.0, 3.0)),
        outcome(base_id="s1", calls=("a", "c"), seconds=(1.0, 0.0), setup="another judge"),
        outcome(base_id="s2", calls=("d",), seconds=(2.0,)),
        outcome(base_id="s2", calls=("a",), seconds=(9.0,), model="model-b"),
    ]
    first, second = latencies(outcomes)
    assert (first.model, first.replies, first.scenarios, first.median.value) == ("model-a", 3, 2, 2.0)
    assert (second.model, second.replies, second.slow.value) == ("model-b", 1, 9.0)


def test_replies_of_one_base_scenario_are_not_independent() -> None:
    """The same 60 times in 12 base scenarios, all alike within one, tell less than in 60."""
    times = [1.0 + (place // 5) for place in range(60)]

    def found(bases: int) -> float:
        (one,) = latencies(
            outcome(base_id=f"s{place * bases // 60}", calls=(str(place),), seconds=(time,))
            for place, time in enumerate(times)
        )
        return one.median.interval.high - one.median.interval.low

    assert found(12) > found(60) > 0


def test_there_is_no_table_without_a_time() -> None:
    """Scripted targets have no calls."""
    assert latency_tables([outcome()]) == ()
