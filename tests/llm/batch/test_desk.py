"""Sending, following and fetching against files and batches on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.llm.batch.errors import BatchError
from helm_impactbench.llm.batch.log import alone, read_book, write_book
from helm_impactbench.llm.batch.queue import Waiting
from helm_impactbench.llm.limits.spend_log import BudgetError
from tests.llm.batch.conftest import Office, answered
from tests.support.batch_server import BatchServer

# pydantic's word on litellm's types when they are first used; commands do not show it.
pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")
FOLDER = Path("benchmark_output/runs/s/judge-batch")


def paid() -> list[float]:
    """Return the amounts in the suite's spending file."""
    file = FOLDER.parent / "spending.jsonl"
    return [json.loads(line)["cost_usd"] for line in file.read_text().splitlines()] if file.exists() else []


def test_an_answer_is_found_by_the_usual_call(office: Office, provider: BatchServer) -> None:
    """What a batch answered is what a judge's call now gets from the cache, at the price of batches."""
    desk = office("one", "two")
    desk.submit()
    desk.fetch()
    reply = answered(desk, "two")
    assert (reply.text, reply.cached, provider.requests) == ("answer to two", True, [])
    assert reply.usage.cost_usd == pytest.approx((100 * 0.075 + 10 * 0.3) / 1e6)
    assert paid() == pytest.approx([reply.usage.cost_usd] * 2)


def test_an_expired_batch_gives_what_it_has(office: Office, provider: BatchServer) -> None:
    """Answers in time are kept, late ones are named and are what the next batch holds."""
    provider.status = "in_progress"
    desk = office("one", "two", "three")
    desk.submit()
    assert desk.fetch() == ([], 1)
    provider.status = "expired"
    (fetched,) = desk.wait(0.01, lambda _: None)
    assert (fetched.good, list(fetched.batch.failed.values())) == (2, ["This request could not be executed in time."])
    assert desk.waiting() == Waiting(noted=3, answered=2, under_way=0, to_send=1)
    assert [len(batch.requests) for batch in desk.submit()] == [1]


def test_a_failed_batch_says_why(office: Office, provider: BatchServer) -> None:
    """A batch that the provider refused as a whole leaves every call to be sent, with the provider's words."""
    provider.status = "failed"
    desk = office("one", "two")
    desk.submit()
    ((fetched,), running) = desk.fetch()
    assert (fetched.good, running, set(fetched.batch.failed.values())) == (0, 0, {"The file has no valid line."})
    assert desk.waiting().to_send == 2


def test_a_lost_reply_makes_no_second_batch(office: Office, provider: BatchServer) -> None:
    """When the connection breaks after the provider made the batch, a repeat finds it there and pays once."""
    desk = office("one")
    provider.lose_reply = True
    with pytest.raises(BatchError, match="the same command goes on from here"):
        desk.submit()
    assert [batch.id for batch in desk.submit()] == ["batch_1"]
    assert (provider.made(), len(provider.files), desk.submit()) == (1, 1, [])


def test_a_kill_before_the_batch_was_made_uploads_nothing_again(office: Office, provider: BatchServer) -> None:
    """A file without a batch, at the provider too, becomes one batch."""
    desk = office("one")
    desk.submit()
    book = read_book(FOLDER)
    book.batches[0].id = ""
    write_book(FOLDER, book)
    provider.batches.clear()
    assert desk.fetch() == ([], 0)  # nothing that could be waited for
    assert len(desk.submit()) == 1
    assert (len(provider.files), len(provider.batches)) == (1, 1)


def test_a_kill_while_fetching_counts_no_money_twice(office: Office, provider: BatchServer) -> None:
    """Fetched again, answers that are in the cache stay, and their cost is in spending.jsonl once."""
    desk = office("one", "two")
    desk.submit()
    before = read_book(FOLDER)
    desk.fetch()
    write_book(FOLDER, before)  # as a kill before the last line of fetch leaves it
    ((fetched,), _) = desk.fetch()
    assert (fetched.good, len(paid())) == (2, 2)


def test_an_answer_measured_with_stays(office: Office, provider: BatchServer) -> None:
    """A call that was made meanwhile keeps its answer; the batch is paid for all the same."""
    desk = office("one")
    desk.submit()
    provider.answer = lambda body: "said at once"
    assert answered(desk, "one").text == "said at once"
    provider.answer = lambda body: "said in the batch"
    desk.fetch()
    assert answered(desk, "one").text == "said at once"
    assert len(paid()) == 1  # the call belongs to no suite here; the batch does


def test_limits_of_the_provider_split_what_is_sent(office: Office, provider: BatchServer) -> None:
    """Five calls at two a batch are three batches, which all come back."""
    desk = office(*"abcde")
    assert [len(batch.requests) for batch in desk.submit(most_requests=2)] == [2, 2, 1]
    assert [fetched.good for fetched in desk.fetch()[0]] == [2, 2, 1]


def test_the_budget_holds_before_anything_is_sent(
    office: Office, provider: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What calls may cost at most, and batches under way, must fit; a price that is unknown cannot."""
    desk = office("one", "two")  # 64 tokens of answer each at $0.30 a million, and a little for the prompt
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "0.00004")
    with pytest.raises(BudgetError, match=r"Nothing was sent\. Raise the budget"):
        desk.submit()
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "0.00006")
    desk.submit()
    with pytest.raises(BudgetError, match="batches under way may cost"):
        office("three").submit()
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "100")
    with pytest.raises(BudgetError, match="its price in a batch is unknown"):
        office("four", deployment="litellm/openai/nobody-knows").submit()
    assert len(provider.files) == 1


def test_an_answer_whose_note_is_gone_is_named(office: Office, provider: BatchServer) -> None:
    """Somebody took lines out of requests.jsonl: the answer cannot be kept, and the others are."""
    office("one", "two").submit()
    notes = FOLDER / "requests.jsonl"
    notes.write_bytes(notes.read_bytes().split(b"\n")[1] + b"\n")
    ((fetched,), _) = office().fetch()
    assert (fetched.good, list(fetched.batch.failed.values())) == (1, ["it stands no longer in requests.jsonl"])


def test_only_one_works_in_a_folder(office: Office) -> None:
    """A second command at the same time is turned away with a reason."""
    desk = office("one")
    with alone(FOLDER), pytest.raises(BatchError, match="Another impactbench batch is at work"):
        desk.submit()
    desk.submit()


def test_a_refused_key_is_said_without_it(office: Office, provider: BatchServer) -> None:
    """Nothing is sent when the provider cannot be reached, and the text says what to do."""
    desk = office("one")
    provider.close()
    with pytest.raises(BatchError, match=r"gpt-4o-mini: .*the same command goes on from here"):
        desk.submit()
    assert desk.waiting().to_send == 1
