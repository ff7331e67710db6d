"""The budget stops calls before they could pass it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.llm.limits.budget import Budget, BudgetError, budget_from_environment
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.process.shared_state import STOPPED


def spent(suite: Path) -> SpendLog:
    """Return a suite's spend log."""
    return SpendLog(suite / SPENDING_FILE)


def test_a_budget_stops_before_the_call_that_could_pass_it(tmp_path: Path) -> None:
    """Paid and the next call's most together decide; what was paid before this process counts."""
    spent(tmp_path).add("a", 0.9)
    budget = Budget(tmp_path, 1.0)
    with budget.reserved("m", 0.1, STOPPED) as charge:
        charge.set(0.0)
    said = r"\$1\.00 \(IMPACTBENCH_MAX_COST_USD\) is used up: \$0\.9000 are paid, and the next call may cost \$0\.1100$"
    with pytest.raises(BudgetError, match=said), budget.reserved("m", 0.11, STOPPED):
        pytest.fail("the call was begun")


def test_another_budget_counts_from_the_next_call_on(tmp_path: Path) -> None:
    """A call that the first budget refuses is let through by a higher one that is asked for meanwhile."""
    asked: list[float] = []
    budget = Budget(tmp_path, 1.0, lambda: asked[-1] if asked else None)
    with pytest.raises(BudgetError), budget.reserved("m", 1.5, STOPPED):
        pytest.fail("the call was begun")
    asked.append(2.0)
    with budget.reserved("m", 1.5, STOPPED) as charge:
        charge.set(1.5)
    assert (budget.most_usd, budget.paid_usd()) == (2.0, 1.5)
    with pytest.raises(BudgetError, match=r"\$2\.00"), budget.reserved("m", 0.6, STOPPED):
        pytest.fail("the call was begun")
    assert Budget(None, None, lambda: 5.0).most_usd is None


@pytest.mark.parametrize("in_a_suite", [True, False])
def test_calls_in_flight_hold_their_part_and_others_wait_for_them(tmp_path: Path, in_a_suite: bool) -> None:
    """Two calls that fit one after the other but not together: the second waits, and is let through."""
    budget, order = Budget(tmp_path if in_a_suite else None, 1.0), []
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with budget.reserved("m", 0.8, STOPPED) as charge:
            inside.set()
            leave.wait(5)
            order.append("first leaves")
            charge.set(0.1)

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(5)
    threading.Timer(0.3, leave.set).start()
    with budget.reserved("m", 0.8, STOPPED) as charge:
        order.append("second enters")
        charge.set(0.8)
    thread.join()
    assert order == ["first leaves", "second enters"]
    with pytest.raises(BudgetError, match=r"\$0\.9000 are paid"), budget.reserved("m", 0.2, STOPPED):
        pytest.fail("the call was begun")


# --- other processes

CALLS = """
import os, signal, sys
from pathlib import Path
from helm_impactbench.llm.limits.budget import Budget
from helm_impactbench.process.shared_state import STOPPED
budget = Budget(Path(sys.argv[1]), 1.0)
with budget.reserved("m", 0.6, STOPPED) as charge:
    if sys.argv[2] == "in the lock":
        budget._spend_log.alone().__enter__()
    print("in flight", flush=True)
    sys.stdin.readline()
    charge.set(0.1)
"""


@contextmanager
def in_flight(suite: Path, where: str = "on the wire") -> Iterator[subprocess.Popen[str]]:
    """Let another process have a call in flight that may cost 0.6 dollars; a line to its input ends it."""
    command = [sys.executable, "-c", CALLS, str(suite), where]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in flight\n"
        yield process
        process.kill()


def test_processes_share_their_reservations(tmp_path: Path) -> None:
    """A call waits for one that another process has in flight, and counts what that one did cost."""
    budget = Budget(tmp_path, 1.0)
    with in_flight(tmp_path) as other:
        with budget.reserved("m", 0.4, STOPPED) as charge:
            charge.set(0.3)
        assert budget._take(spent(tmp_path).on_their_way().popitem()[1], 1.0) is None
        other.communicate("\n")
        with budget.reserved("m", 0.6, STOPPED) as charge:
            charge.set(0.0)
    assert spent(tmp_path).total() == pytest.approx(0.4)


@pytest.mark.parametrize("where", ["on the wire", "in the lock"])
def test_a_killed_process_blocks_nobody_and_its_call_counts_in_full(
    tmp_path: Path, said: list[str], where: str
) -> None:
    """Its call may have been paid for: the next one is told so once, and the budget holds with it."""
    budget = Budget(tmp_path, 1.0)
    with in_flight(tmp_path, where) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        with budget.reserved("m", 0.4, STOPPED) as charge:
            charge.set(0.1)
        with pytest.raises(BudgetError, match=r"\$0\.7000 are paid, \$0\.6000 of it for calls of unknown cost"):
            budget.reserved("m", 0.31, STOPPED).__enter__()
    (line,) = said
    assert line.startswith("1 call was in flight when another process was killed.")
    assert line.endswith("counts in full against the budget: $0.6000.")
    assert spent(tmp_path).counted_in_full() == pytest.approx(0.6)


def test_a_forked_process_reserves_in_its_own_name(tmp_path: Path) -> None:
    """The parent's lock does not speak for a child that was killed."""
    budget = Budget(tmp_path, 1.0)
    with budget.reserved("m", 0.1, STOPPED) as charge:
        charge.set(0.0)
        child = os.fork()
        if not child:
            budget.reserved("m", 0.5, STOPPED).__enter__()
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
    with budget.reserved("m", 0.5, STOPPED) as charge:
        charge.set(0.0)
    assert spent(tmp_path).counted_in_full() == pytest.approx(0.5)


# --- what is refused


def test_a_call_of_unknown_price_is_refused_under_a_budget_only() -> None:
    """Unknown is not free: with a budget the cure is named, without one the call is made."""
    limited = Budget(None, 5.0)
    with pytest.raises(BudgetError, match="input_cost_per_token"), limited.reserved("m", None, STOPPED):
        pytest.fail("the call was begun")
    with Budget(None, None).reserved("m", None, STOPPED):
        pass


@pytest.mark.parametrize("text", ["-1", "much", "nan", "inf", "1e999", "1e10", "9" * 5000])
def test_a_budget_that_is_no_sum_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """The variable is named with what is allowed."""
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", text)
    with pytest.raises(
        SettingError, match=r"IMPACTBENCH_MAX_COST_USD is .{1,60}, but it must be an amount in US dollars"
    ):
        budget_from_environment()


def test_a_budget_may_have_a_dollar_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """As people write sums; blank is no budget."""
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", " $7.50 ")
    assert budget_from_environment() == 7.5
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", " ")
    assert budget_from_environment() is None
