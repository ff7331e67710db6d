"""The loop that asks for every instrument, and the plan that is shown before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from helm_impactbench.analysis.costs.forecast import Expense
from helm_impactbench.errors import FatalCallError
from helm_impactbench.judging.judge_conversation import Call
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply
from helm_impactbench.validity.instrument import Plan, ask_all, judges_plan, plan_result


@dataclass
class Doubling:
    """Asks for twice each number; cannot go on at the number `fatal`."""

    items: Sequence[int]
    fatal: int | None = None
    noun: str = "number"

    def ask(self, item: int, call: Call) -> int:
        """Return the answer, of one call."""
        if item == self.fatal:
            raise FatalCallError("out of budget")
        reply = call(ModelRequest("lab/one", (Message("user", str(item)),), 0.0, 10, "seed"))
        return int(reply.text) if isinstance(reply, Reply) else 0

    def record(self, answers: Sequence[int]) -> tuple[int, ...]:
        """Return the answers."""
        return tuple(answers)


def twice(request: ModelRequest) -> Reply | CallFailure:
    """Answer with twice the number that is asked about."""
    return Reply(str(2 * int(request.messages[0].content)))


def test_answers_are_in_the_order_of_items_and_each_is_a_step() -> None:
    """However many are asked at once."""
    steps = list[int]()
    assert ask_all(Doubling(range(50)), twice, 8, lambda: steps.append(1)) == tuple(range(0, 100, 2))
    assert len(steps) == 50


def test_what_can_never_succeed_ends_it() -> None:
    """There is no record of a part; the steps are those before it."""
    steps = list[int]()
    with pytest.raises(FatalCallError, match="out of budget"):
        ask_all(Doubling(range(9), fatal=3), twice, 2, lambda: steps.append(1))
    assert len(steps) == 3


def test_a_plan_says_what_is_asked_and_at_what_price() -> None:
    """Every judge takes the same; an unknown price is no price of 0; a budget is named."""
    plan = judges_plan("2 transcripts", ("lab/one", "lab/two"), Expense(4, 400, 40))
    assert plan.calls == 8
    result = plan_result(plan, lambda model, expense: 0.01 * expense.calls, budget=1.5)
    assert result.notes == (
        "2 transcripts, 2 judges: 8 calls, about $0.08, $1.50 at most. Answers in the cache are not paid for again.",
    )
    assert [(row["model"], row["calls"], row["usd"]) for row in result["plan"].rows] == [
        ("lab/one", 4, 0.04),
        ("lab/two", 4, 0.04),
    ]
    unknown = plan_result(plan, lambda model, expense: None if model == "lab/two" else 0.1)
    assert "8 calls, of unknown price." in unknown.notes[0]
    assert plan_result(Plan("nothing", {}), lambda model, expense: 0.0).tables[0].rows == []
