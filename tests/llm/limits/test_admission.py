"""What stands between a call and its provider."""

from __future__ import annotations

import threading
import time

import pytest

from helm_impactbench.errors import StoppedError
from helm_impactbench.llm.limits.admission import Admission
from helm_impactbench.llm.limits.budget import Budget
from helm_impactbench.llm.limits.rate_limiter import RateLimiters
from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.process.shared_state import STOPPED
from tests.llm.limits.builders import PRICE, WIRE


def test_a_stopped_run_begins_no_call() -> None:
    """Whoever waits for a rate is woken and refused."""
    limiters = RateLimiters((Limit(deployments=("*",), requests_per_minute=1),))
    gate = Admission(limiters, SpendLog(None), Budget(SpendLog(None), None))
    with gate.call("m", WIRE, PRICE):
        pass
    threading.Timer(0.1, STOPPED.set).start()
    began = time.monotonic()
    with pytest.raises(StoppedError), gate.call("m", WIRE, PRICE):
        pytest.fail("the call was begun")
    assert time.monotonic() - began < 5


def test_a_call_is_paid_for_by_what_it_cost() -> None:
    """Its cost is in the log when it is over; a call that failed has cost nothing."""
    spend_log = SpendLog(None)
    gate = Admission(RateLimiters(()), spend_log, Budget(spend_log, 10.0))
    with gate.call("m", WIRE, PRICE) as call:
        call.answered(50, 0.25)
    with pytest.raises(ZeroDivisionError), gate.call("m", WIRE, PRICE):
        raise ZeroDivisionError
    assert spend_log.total() == 0.25
