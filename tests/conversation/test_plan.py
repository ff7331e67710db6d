"""What is put to the speakers: the plan of a case, with a simulated user, fixed messages, or both."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.model import Benchmark, Setting
from helm_impactbench.benchmark.scenario import Landmark, Scenario
from helm_impactbench.conversation.plan import ConversationCase, brief, plan_case
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import BenchmarkError
from tests.judging.builders import metric

PLAYED = {"persona": "p", "user_persona": "q", "user_goal": "g", "latent_adversarial_goal": "h",
          "landmarks": [Landmark(turn=2, instruction="Push.")]}  # fmt: skip


def planned(turns: int | None = None, **changes: Any) -> ConversationCase:
    """Return the case of a scenario in a benchmark of six turns."""
    given = {"id": "s1_v01", "metric_id": "m", "axes": {"age": "adult", "origin": "here"}, **changes}
    setting = Setting(turns=6, untold_axes=["origin"], user_context="setting", target_system_prompt="common")
    benchmark = Benchmark(
        slug="b", name="B", description="B.", scenario=setting, metrics=[metric()], scenarios=[Scenario(**given)]
    )
    return plan_case(benchmark, "digest", benchmark.scenarios[0], 0, RunOptions(user="u/u", turns=turns))


@pytest.mark.parametrize(
    ("changes", "turns", "held", "fixed"),
    [
        pytest.param(PLAYED, None, 6, 0, id="played: the benchmark's number"),
        pytest.param(PLAYED, 2, 2, 0, id="played: fewer"),
        pytest.param({"messages": ["one", "two"]}, None, 2, 2, id="fixed: their number"),
        pytest.param({"messages": ["one", "two"]}, 1, 1, 1, id="fixed: fewer"),
        pytest.param({"messages": ["one"], **PLAYED}, None, 1, 1, id="both: the fixed ones"),
        pytest.param({"messages": ["one"], **PLAYED}, 3, 3, 1, id="both: the user goes on"),
    ],
)
def test_how_many_turns_are_held(changes: dict[str, Any], turns: int | None, held: int, fixed: int) -> None:
    """Fixed messages are asked once each; who wants more needs somebody to simulate."""
    plan = planned(turns, **changes).plan
    assert (plan.turns, len(plan.messages)) == (held, fixed)


def test_more_turns_than_anybody_can_fill_are_refused() -> None:
    """Before anything is paid."""
    with pytest.raises(
        BenchmarkError,
        match=r"s1_v01 of b has 1 fixed message and nobody .* turns=2 is too many. Write turns= with 1 to 1",
    ):
        planned(2, messages=["one"])


def test_a_plan_tells_the_speakers_no_type_name_or_line() -> None:
    """What is said cannot depend on what only the judge or the score needs."""
    text = planned(**PLAYED, facts=["secret-fact"], factors={"size": "secret-factor"}).plan.model_dump_json()
    assert not [word for word in ("negative", "Avoid", "I say x!", "secret", "presence") if word in text]
    assert '"axes":{"age":"adult"}' in text
    assert '"persona":"q"' in text


def test_a_scenario_may_have_a_system_prompt_of_its_own() -> None:
    """Else the benchmark's."""
    assert planned(**PLAYED).plan.target_system_prompt == "common"
    assert planned(**PLAYED, target_system_prompt="own").plan.target_system_prompt == "own"


def test_what_the_app_remembers_follows_whatever_system_prompt_there_is() -> None:
    """The benchmark's, the scenario's, or the run's."""
    knows = {**PLAYED, "app_context": "The user sings."}
    assert planned(**knows).plan.target_system_prompt == "common\n\nThe user sings."
    assert planned(**knows, target_system_prompt="own").plan.target_system_prompt == "own\n\nThe user sings."


def test_a_case_goes_through_json_and_back() -> None:
    """With the measure of its metric and without the fields that say nothing."""
    case = planned(**PLAYED)
    assert ConversationCase.model_validate(case.model_dump(mode="json", exclude_defaults=True)) == case


def test_people_read_the_case_before_the_conversation() -> None:
    """Person, levels, factors, goals, directions and fixed messages; nothing that is not there."""
    shown = brief(planned(messages=["one"], factors={"size": "large"}, **PLAYED))
    expected = ["Conversation b/s1_v01", "Metric m (negative): Avoid x", "Person: q", "age: adult", "size: large",
                "Wants: g", "Turn 2: Push.", "Message 1: one", "System prompt of the assistant: common"]  # fmt: skip
    assert [line for line in expected if line not in shown.splitlines()] == []
    assert "Person" not in brief(planned(messages=["one"]))
