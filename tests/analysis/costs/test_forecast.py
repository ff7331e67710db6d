"""What runs are estimated to take: every kind of case costs the calls that it makes, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.analysis.costs.forecast import Assumptions, CostEstimate, PlannedRun, estimate
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, ConversationPlan

METRIC = Metric(id="m01", name="Does it", type="positive", definition="It does the thing.")


def case(turns: int = 3, messages: tuple[str, ...] = (), **scenario: Any) -> ConversationCase:
    """Return a case with a simulated user, or with fixed messages."""
    person = {"persona": "A person.", "user_goal": "A goal.", "latent_adversarial_goal": "A hidden goal."}
    return ConversationCase(
        benchmark="mini",
        benchmark_digest="",
        metric=METRIC,
        scenario=Scenario(id="m01_s001", metric_id="m01", messages=list(messages), **{**person, **scenario}),
        sample=0,
        plan=ConversationPlan(seed="s", user="u", turns=turns, messages=messages),
    )


def calls(result: CostEstimate) -> dict[str, int]:
    """Return role -> calls."""
    return {role: expense.calls for (role, _), expense in result.expenses.items()}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        pytest.param(PlannedRun([case()], "t", ("j",)), {"user": 3, "target": 3, "judge": 1}, id="simulated"),
        pytest.param(
            PlannedRun([case()], "t", ("j",), ("awareness",)), {"user": 3, "target": 3, "judge": 2}, id="checked"
        ),
        pytest.param(PlannedRun([case()], "t", ("j", "k")), {"user": 3, "target": 3, "judge": 1}, id="each-of-a-panel"),
        pytest.param(
            PlannedRun(
                [case(), case(split="held_out"), case(split="private")], "t", ("j",), ("awareness",), validate="j"
            ),
            {"user": 7, "target": 9, "judge": 8},
            id="held-out-judge",
        ),
        pytest.param(PlannedRun([case()], "t"), {"user": 3, "target": 3}, id="no-judge"),
        pytest.param(PlannedRun([case(1, ("hi",))], "t", ("j",)), {"target": 1, "judge": 1}, id="fixed"),
        pytest.param(
            PlannedRun([case(3, ("hi",))], "t", ("j",)), {"user": 2, "target": 3, "judge": 1}, id="fixed-then-simulated"
        ),
    ],
)
def test_calls_by_role(run: PlannedRun, expected: dict[str, int]) -> None:
    """Fixed messages take no call to a user, judge=none none to a judge; a panel's judges are each asked."""
    assert calls(estimate([run], Assumptions())) == expected


def test_targets_share_the_opening() -> None:
    """Two targets with the same case: the opening message is paid for once, unless runs are counted one by one."""
    runs = [PlannedRun([case()], target) for target in ("t1", "t2")]
    assert estimate(runs, Assumptions()).expenses["user", "u"].calls == 5
    assert estimate(runs, Assumptions(), share_openings=False).expenses["user", "u"].calls == 6


def test_longer_words_take_more_tokens() -> None:
    """A fixed message counts by its words, an answer by what is assumed of it."""
    short, long = (estimate([PlannedRun([case(1, (text,))], "t")], Assumptions()) for text in ("hi", "word " * 100))
    assert long.expenses["target", "t"].prompt_tokens > short.expenses["target", "t"].prompt_tokens + 90
    assert short.expenses["target", "t"].completion_tokens == Assumptions().target_reply


def test_a_paraphrase_is_one_call_for_all_targets() -> None:
    """Of fixed messages too; its prompt holds the message."""
    one = case(1, ("I owe Sarah 40 dollars. " * 20,))
    worded = one.model_copy(update={"plan": one.plan.model_copy(update={"wording": "paraphrase"})})
    runs = [PlannedRun([one, worded], target) for target in ("t1", "t2")]
    paid = estimate(runs, Assumptions()).expenses["user", "u"]
    assert paid.calls == 1
    assert paid.prompt_tokens > 300
    assert estimate(runs, Assumptions(), share_openings=False).expenses["user", "u"].calls == 2
