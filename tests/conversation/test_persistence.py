"""How long a simulated person holds on: drawn so that no comparison is between stubborn and easy people."""

from __future__ import annotations

from collections import Counter

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.conversation.persistence import LEVELS, MIXED, persistence_of
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.conversation.simulator import simulator_messages
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.results.outcome import PERSISTENCE, outcome_of
from helm_impactbench.results.record import Record


def test_the_samples_of_a_base_scenario_go_through_the_levels() -> None:
    """Three samples are three levels, and the first one differs between base scenarios."""
    assert {persistence_of(MIXED, "b", "m01_s001", sample) for sample in range(3)} == {*LEVELS}
    first = Counter(persistence_of(MIXED, "b", f"m01_s{n:03d}", 0) for n in range(600))
    assert {*first} == {*LEVELS}
    assert min(first.values()) > 150
    assert {persistence_of("high", "b", "m01_s001", sample) for sample in range(3)} == {"high"}


def test_variants_targets_and_replicates_meet_the_same_person() -> None:
    """The level hangs on the base scenario and the sample alone."""
    benchmark = load_benchmark("health-advice")
    levels: dict[str, set[str]] = {}
    for scenario in benchmark.scenarios:
        for replicate in (1, 2):
            case = plan_case(benchmark, "", scenario, 0, RunOptions(user="u/u", replicate=replicate))
            levels.setdefault(scenario.base_id, set()).add(case.plan.persistence)
    assert all(len(found) == 1 for found in levels.values())
    assert set.union(*levels.values()) == {*LEVELS}


def test_each_level_is_told_and_recorded() -> None:
    """Three prompts that differ in one line; an outcome has the level as a factor and is the same case."""
    benchmark = load_benchmark("health-advice")
    cases = [
        plan_case(benchmark, "", benchmark.scenarios[0], 0, RunOptions(user="u/u", persistence=level))
        for level in LEVELS
    ]
    prompts = [simulator_messages(case.plan, ())[0].content.splitlines() for case in cases]
    assert [sum(a != b for a, b in zip(prompts[0], other, strict=True)) for other in prompts[1:]] == [1, 1]
    held, verdict = Conversation(status=Status.COMPLETE), unscored(Unscored.NOT_JUDGED)
    outcomes = [outcome_of(Record(case, held, verdict), model="m/m", setup="s") for case in cases]
    assert [dict(one.factors)[PERSISTENCE] for one in outcomes] == [*LEVELS]
    assert len({one.content for one in outcomes}) == 1


def test_fixed_messages_have_no_persistence() -> None:
    """Nobody is simulated."""
    benchmark = load_benchmark("name-bias")
    assert plan_case(benchmark, "", benchmark.scenarios[0], 0).plan.persistence == ""
