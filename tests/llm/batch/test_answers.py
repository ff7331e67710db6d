"""Lines of a batch's files, and files made of calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_impactbench.llm.batch.answers import BatchOrigin, cached_answer, read_answers
from helm_impactbench.llm.prices import Price
from tests.support.looped import looped

# pydantic's word on litellm's types when they are first used; commands do not show it.
pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")
GOOD = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}


def answer(status: int, body: Any, **more: Any) -> Any:
    """Return a line of a batch's file."""
    return {"custom_id": "a", "response": {"status_code": status, "body": body}, "error": None, **more}


NASTY: dict[str, tuple[Any, str]] = {
    # name: (line, why the request has no answer)
    "error": ({"custom_id": "a", "response": None, "error": {"message": "too late"}}, "too late"),
    "error-code": ({"custom_id": "a", "error": {"code": "batch_expired", "message": ""}}, "batch_expired"),
    "status": (answer(429, {"error": {"message": "slow"}}), "HTTP 429: slow"),
    "status-alone": (answer(500, None), "HTTP 500: no reason given"),
    "error-beside-answer": (answer(200, GOOD, error={"message": "no"}), "no"),
    "no-choice": (answer(200, {"choices": []}), "an answer without a choice"),
    "other-id": (answer(200, GOOD, custom_id="b"), "no answer; the batch is completed"),
    "no-id": ({"response": {"status_code": 200, "body": GOOD}}, "no answer; the batch is completed"),
    "list": ([1, 2], "no answer; the batch is completed"),
    "response-is-text": ({"custom_id": "a", "response": "ok"}, "no answer; the batch is completed"),
    "key": ({"custom_id": "a", "error": {"message": "bad: sk-abcdef123456"}}, "bad: [removed]"),
}


@looped("name", list(NASTY))
def test_what_is_no_answer_is_none(name: str) -> None:
    """Every such line leaves its request failed, with one line of reason and no key."""
    line, why = NASTY[name]
    found = read_answers(["a"], [json.dumps(line).encode()], "completed")
    assert (found.good, found.failed) == ({}, {"a": why})


def test_lines_are_sorted_whatever_their_order_and_file() -> None:
    """An answer in the second file, a torn line and an empty file do not keep the others from being read."""
    good = json.dumps({"custom_id": "b", "response": {"status_code": 200, "body": GOOD}, "error": None}).encode()
    found = read_answers("abc", [b"", good + b'\n{"custom_id": "a", "resp'], "expired", problem="")
    assert (list(found.good), found.failed) == (
        ["b"],
        {"a": "no answer; the batch is expired", "c": "no answer; the batch is expired"},
    )


def test_an_answer_of_odd_types_is_taken_without_a_warning() -> None:
    """As in the answer to a single call, what is odd is left out; pydantic would warn of it, many times."""
    value = cached_answer({**GOOD, "id": {"id": "x"}, "unused": [1]}, None, BatchOrigin("batch_1", 7, 3600.0))
    assert isinstance(value["id"], str)
    assert "unused" not in value


def test_an_answer_without_counts_has_no_price() -> None:
    """A cost is known from a price and counts alone; never 0 for want of them."""
    origin, price = BatchOrigin("batch_1", 7, 3600.0), Price(1e-6, 2e-6)
    counted = {**GOOD, "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
    costs = [cached_answer(b, p, origin)["impactbench"]["cost_usd"] for b, p in
             [(counted, price), (counted, None), (GOOD, price)]]  # fmt: skip
    assert costs == [pytest.approx(2e-5), None, None]
    value = cached_answer(counted, price, origin)
    assert (value["request_time"], value["request_datetime"], value["impactbench"]["batch"]) == (3600.0, 7, "batch_1")
