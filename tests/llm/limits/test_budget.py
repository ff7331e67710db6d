"""The budget stops calls before they could pass it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.llm.limits.budget import Budget, BudgetError, budget_from_environment
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.process.shared_state import STOPPED


def test_a_budget_stops_before_the_call_that_could_pass_it(tmp_path: Path) -> None:
    """Paid and the next call's most together decide; what was paid before this process counts."""
    spend_log = SpendLog(tmp_path / "spending.jsonl")
    spend_log.add("a", 0.9)
    budget = Budget(spend_log, 1.0)
    with budget.reserved("m", 0.1, STOPPED):
        pass
    said = r"\$1\.00 \(IMPACTBENCH_MAX_COST_USD\) is used up.*raise the budget"
    with pytest.raises(BudgetError, match=said), budget.reserved("m", 0.11, STOPPED):
        pytest.fail("the call was begun")


def test_calls_in_flight_hold_their_part_and_others_wait_for_them() -> None:
    """Two calls that fit one after the other but not together: the second waits, and is let through."""
    spend_log = SpendLog(None)
    budget, order = Budget(spend_log, 1.0), []
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with budget.reserved("m", 0.8, STOPPED):
            inside.set()
            leave.wait(5)
            order.append("first leaves")
            spend_log.add("m", 0.1)

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(5)
    threading.Timer(0.3, leave.set).start()
    with budget.reserved("m", 0.8, STOPPED):
        order.append("second enters")
    thread.join()
    assert order == ["first leaves", "second enters"]


def test_a_call_of_unknown_price_is_refused_under_a_budget_only() -> None:
    """Unknown is not free: with a budget the cure is named, without one the call is made."""
    limited = Budget(SpendLog(None), 5.0)
    with pytest.raises(BudgetError, match="input_cost_per_token"), limited.reserved("m", None, STOPPED):
        pytest.fail("the call was begun")
    with Budget(SpendLog(None), None).reserved("m", None, STOPPED):
        pass


@pytest.mark.parametrize("text", ["-1", "much", "nan", "inf", "1e999"])
def test_a_budget_that_is_no_sum_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """The variable is named with what is allowed."""
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", text)
    with pytest.raises(SettingError, match=r"IMPACTBENCH_MAX_COST_USD is .*; allowed: US dollars"):
        budget_from_environment()
