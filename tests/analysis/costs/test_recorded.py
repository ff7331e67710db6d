"""Costs of shared and unshared calls."""

from __future__ import annotations

import random
from typing import Any

from helm_impactbench.analysis.commands.costs import cost_file, costs
from helm_impactbench.analysis.costs.recorded import Purchase, Spent, SuiteCosts, amounts_of
from helm_impactbench.llm.usage import Usage


def bought(key: str, role: str = "user", target: str = "t1", benchmark: str = "mini", **changes: Any) -> Purchase:
    """Return a purchase of one call for a dollar."""
    model = target if role == "target" else role
    usage = changes.pop("usage", Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=1.0))
    return Purchase(role, model, benchmark, target, amounts_of(usage), key.encode(), **changes)


TWO_TARGETS = [
    bought("opening"), bought("rest 1"), bought("t1", "target"),
    bought("opening", target="t2"), bought("rest 2", target="t2"), bought("t2", "target", "t2"),
]  # fmt: skip


def test_a_shared_call_is_paid_once_and_stands_in_every_record() -> None:
    """Two targets with one opening message: five calls paid, six in the records."""
    costs = SuiteCosts(TWO_TARGETS)
    assert (costs.total.paid.calls, costs.total.paid.cost_usd) == (5, 5.0)
    assert (costs.total.alone.calls, costs.total.alone.cost_usd) == (6, 6.0)
    assert {cost.scope["target"]: cost.alone.cost_usd for cost in costs.by("target")} == {"t1": 3.0, "t2": 3.0}


def test_every_view_adds_up_to_the_total() -> None:
    """By role, model, benchmark: nothing lost, nothing twice."""
    report = cost_file(SuiteCosts([*TWO_TARGETS, bought("j", "judge", benchmark="other")]))
    for view in ("by_role", "by_model", "by_benchmark", "costs"):
        assert sum(row["cost_usd"] for row in report[view]) == report["total"][0]["cost_usd"] == 6.0
        assert sum(row["calls_each_run_alone"] for row in report[view]) == 7


def test_the_order_of_runs_does_not_matter() -> None:
    """What was paid per role, model and benchmark is the same whichever target came first."""
    shuffled = random.Random(3).sample(TWO_TARGETS, len(TWO_TARGETS))
    assert cost_file(SuiteCosts(shuffled))["costs"] == cost_file(SuiteCosts(TWO_TARGETS))["costs"]


def test_unknown_prices_and_failed_answers_are_counted_and_said() -> None:
    """They are in no dollar figure, and the notes tell how many there are."""
    unknown = Usage(calls=2, uncounted_calls=2, unpriced_calls=2)
    result = costs(SuiteCosts([bought("a"), bought("b", usage=unknown, failed=1)]))
    (total,) = result["total"].records()
    assert total["cost_usd"] == 1.0
    assert total["unpriced_calls"] == total["uncounted_calls"] == 2
    notes = " ".join(result.notes)
    assert "2 calls without a known price" in notes
    assert "1 answer never came" in notes


def test_records_that_do_not_tell_their_opening_make_an_upper_bound() -> None:
    """The notes say that what was paid is at most the figure."""
    assert "at most" in " ".join(costs(SuiteCosts([bought("a", opening_is_inside=True)])).notes)
    assert "at most" not in " ".join(costs(SuiteCosts([bought("a")])).notes)


def test_nothing_costs_nothing() -> None:
    """Costs of nothing have a total of no calls."""
    assert cost_file(SuiteCosts())["total"][0]["calls"] == 0


def test_what_is_counted_in_full_is_said_apart() -> None:
    """The log's sum, and the part of it that nobody knows; without such calls not a word about them."""
    result = costs(SuiteCosts([bought("a")]), Spent(2.0, 0.5))
    assert result["spending_log"].records() == [{"usd": 2.0, "counted_in_full_usd": 0.5}]
    assert "0.50 US$ in that log are for calls whose cost nobody knows" in " ".join(result.notes)
    assert "nobody knows" not in " ".join(costs(SuiteCosts([bought("a")]), Spent(2.0)).notes)
