"""What stands between a call and its provider."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.admission import Admission
from helm_impactbench.llm.limits.budget import Budget
from helm_impactbench.llm.limits.rate_limiter import RateLimiters
from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.llm.prices import most
from helm_impactbench.process.shared_state import STOPPED
from tests.llm.limits.builders import PRICE, WIRE


def test_a_stopped_run_begins_no_call() -> None:
    """Whoever waits for a rate is woken and refused."""
    limiters = RateLimiters((Limit(deployments=("*",), requests_per_minute=1),))
    gate = Admission(limiters, Budget(None, None))
    with gate.call("m", WIRE, PRICE):
        pass
    threading.Timer(0.1, STOPPED.set).start()
    began = time.monotonic()
    with pytest.raises(StoppedError), gate.call("m", WIRE, PRICE):
        pytest.fail("the call was begun")
    assert time.monotonic() - began < 60, "the rate would have allowed it"


@pytest.mark.parametrize("budget", [None, 10.0])
def test_a_call_is_paid_for_by_what_it_cost(tmp_path: Path, budget: float | None) -> None:
    """Its cost is in the log when it is over, also when its answer is of no use; a refused call costs nothing."""
    gate = Admission(RateLimiters(()), Budget(tmp_path, budget))
    with gate.call("m", WIRE, PRICE) as call:
        call.answered(50, 0.25)
    with suppress(ZeroDivisionError), gate.call("m", WIRE, PRICE) as call:
        call.answered(50, 0.5)
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), gate.call("m", WIRE, PRICE):
        raise ZeroDivisionError
    assert SpendLog(tmp_path / SPENDING_FILE).total() == 0.75


def test_under_a_budget_a_lost_answer_counts_in_full(tmp_path: Path) -> None:
    """The provider may charge for what did not come in time."""
    gate = Admission(RateLimiters(()), Budget(tmp_path, 100.0))
    with pytest.raises(httpx.ReadTimeout), gate.call("m", WIRE, PRICE):
        raise httpx.ReadTimeout("slow")
    assert SpendLog(tmp_path / SPENDING_FILE).counted_in_full() == pytest.approx(most(PRICE, WIRE))


def test_under_a_budget_a_call_of_unknown_cost_counts_in_full(tmp_path: Path, said: list[str]) -> None:
    """Nobody knows what an answer without a usage cost; it is said once for a deployment."""
    gate = Admission(RateLimiters(()), Budget(tmp_path, 100.0))
    for _ in range(2):
        with gate.call("m", WIRE, PRICE) as call:
            call.answered(0, None)
    log = SpendLog(tmp_path / SPENDING_FILE)
    assert log.total() == log.counted_in_full() == pytest.approx(2 * most(PRICE, WIRE))
    assert [line.partition(":")[0] for line in said] == ["m"]
