"""Sending, following and fetching against files and batches on loopback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import BatchError
from helm_impactbench.llm.batch.log import locked, read_batch_log, write_batch_log
from helm_impactbench.llm.batch.queue import BatchQueue, QueueStatus, Round
from helm_impactbench.llm.limits.budget import BudgetError
from helm_impactbench.llm.litellm_answer import cost_of
from tests.llm.batch.builders import asked
from tests.llm.batch.conftest import Deferred
from tests.support.batch_server import GONE, BatchServer

# pydantic's word on litellm's types when they are first used; commands do not show it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning"),
    # litellm leaves the connection of a call that fails to the garbage collector.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
]
FOLDER = Path("benchmark_output/runs/s/judge-batch")


def text_of(answer: Mapping[str, Any]) -> str:
    """Return the words of an answer."""
    return str(answer["choices"][0]["message"]["content"])


def paid() -> list[float]:
    """Return the amounts in the suite's spending file."""
    file = FOLDER.parent / "spending.jsonl"
    return [json.loads(line)["cost_usd"] for line in file.read_text().splitlines()] if file.exists() else []


def test_an_answer_is_found_by_the_usual_call(defer: Deferred, provider: BatchServer) -> None:
    """What a batch answered is what a judge's call now gets from the cache, at the price of batches."""
    queue = defer("one", "two")
    queue.submit()
    queue.fetch()
    answer, cached = asked("two")
    assert (text_of(answer), cached, provider.requests) == ("answer to two", True, [])
    assert cost_of(answer) == pytest.approx((100 * 0.075 + 10 * 0.3) / 1e6)
    assert paid() == pytest.approx([cost_of(answer)] * 2)


def test_an_expired_batch_gives_what_it_has(defer: Deferred, provider: BatchServer) -> None:
    """Answers in time are kept, late ones are named and are what the next batch holds."""
    provider.status = "in_progress"
    queue = defer("one", "two", "three")
    queue.submit()
    assert queue.fetch() == Round([], 1, [])
    provider.status = "expired"
    (fetched,) = queue.wait(0.01, lambda _: None).fetched
    assert (fetched.good, list(fetched.batch.failed.values())) == (2, ["This request could not be executed in time."])
    assert queue.status() == QueueStatus(deferred=3, answered=2, under_way=0, to_send=1)
    assert [len(batch.requests) for batch in queue.submit()] == [1]


def test_a_failed_batch_says_why(defer: Deferred, provider: BatchServer) -> None:
    """A batch that the provider refused as a whole leaves every call to be sent, with the provider's words."""
    provider.status = "failed"
    queue = defer("one", "two")
    queue.submit()
    found = queue.fetch()
    (fetched,) = found.fetched
    assert (fetched.good, found.running, set(fetched.batch.failed.values())) == (0, 0, {"The file has no valid line."})
    assert queue.status().to_send == 2


def test_a_lost_reply_makes_no_second_batch(defer: Deferred, provider: BatchServer) -> None:
    """When the connection breaks after the provider made the batch, a repeat finds it there and pays once."""
    queue = defer("one")
    provider.lose_reply = True
    with pytest.raises(BatchError, match="the same command continues from here"):
        queue.submit()
    assert [batch.id for batch in queue.submit()] == ["batch_1"]
    assert (provider.made(), len(provider.files), queue.submit()) == (1, 1, [])


def test_a_kill_before_the_batch_was_made_uploads_nothing_again(defer: Deferred, provider: BatchServer) -> None:
    """A file without a batch, at the provider too, becomes one batch."""
    queue = defer("one")
    queue.submit()
    log = read_batch_log(FOLDER)
    log.batches[0].id = ""
    write_batch_log(FOLDER, log)
    provider.batches.clear()
    assert queue.fetch() == Round([], 0, [])  # nothing that could be waited for
    assert len(queue.submit()) == 1
    assert (len(provider.files), len(provider.batches)) == (1, 1)


def test_a_kill_while_fetching_counts_no_money_twice(defer: Deferred, provider: BatchServer) -> None:
    """Fetched again, answers that are in the cache stay, and their cost is in spending.jsonl once."""
    queue = defer("one", "two")
    queue.submit()
    before = read_batch_log(FOLDER)
    queue.fetch()
    write_batch_log(FOLDER, before)  # as a kill before the last line of fetch leaves it
    (fetched,) = queue.fetch().fetched
    assert (fetched.good, len(paid())) == (2, 2)


def test_an_answer_measured_with_stays(defer: Deferred, provider: BatchServer) -> None:
    """A call that was made meanwhile keeps its answer; the batch is paid for all the same."""
    queue = defer("one")
    queue.submit()
    provider.answer = lambda body: "said at once"
    assert text_of(asked("one")[0]) == "said at once"
    provider.answer = lambda body: "said in the batch"
    queue.fetch()
    assert text_of(asked("one")[0]) == "said at once"
    assert len(paid()) == 1  # the call belongs to no suite here; the batch does


def test_limits_of_the_provider_split_what_is_sent(defer: Deferred, provider: BatchServer) -> None:
    """Five calls at two a batch are three batches, which all come back."""
    queue = defer(*"abcde")
    assert [len(batch.requests) for batch in queue.submit(most_requests=2)] == [2, 2, 1]
    assert [fetched.good for fetched in queue.fetch().fetched] == [2, 2, 1]


def test_the_budget_holds_before_anything_is_sent(
    defer: Deferred, provider: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What calls may cost at most, and batches under way, must fit; a price that is unknown cannot."""
    queue = defer("one", "two")  # 64 tokens of answer each at $0.30 a million, and a little for the prompt
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "0.00004")
    with pytest.raises(BudgetError, match=r"Nothing was sent\. Raise the budget"):
        queue.submit()
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "0.00009")
    queue.submit()
    with pytest.raises(BudgetError, match="open batches may cost"):
        defer("three").submit()
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", "100")
    with pytest.raises(BudgetError, match="its price in a batch is unknown"):
        defer("four", deployment="litellm/openai/nobody-knows").submit()
    assert len(provider.files) == 1


def test_an_answer_whose_call_is_gone_is_named(defer: Deferred, provider: BatchServer) -> None:
    """Somebody took lines out of requests.jsonl: the answer cannot be kept, and the others are."""
    defer("one", "two").submit()
    requests = FOLDER / "requests.jsonl"
    requests.write_bytes(requests.read_bytes().split(b"\n")[1] + b"\n")
    (fetched,) = defer().fetch().fetched
    assert (fetched.good, list(fetched.batch.failed.values())) == (1, ["it is no longer in requests.jsonl"])


def test_only_one_works_in_a_folder(defer: Deferred) -> None:
    """A second command at the same time is turned away with a reason."""
    queue = defer("one")
    with locked(FOLDER), pytest.raises(BatchError, match="Another impactbench batch is running"):
        queue.submit()
    queue.submit()


def test_a_refused_key_is_said_without_it(defer: Deferred, provider: BatchServer) -> None:
    """Nothing is sent when the provider cannot be reached, and the text says what to do."""
    queue = defer("one")
    provider.close()
    with pytest.raises(BatchError, match=r"gpt-4o-mini: .*the same command continues from here"):
        queue.submit()
    assert queue.status().to_send == 1


def three(defer: Deferred) -> BatchQueue:
    """Return the queue of three batches, one call each."""
    queue = defer("one", "two", "three")
    queue.submit(most_requests=1)
    return queue


def test_a_lost_batch_keeps_no_other_up(defer: Deferred, provider: BatchServer) -> None:
    """One line says so and what to do; its calls are sent again when it is given up, and not before."""
    queue = three(defer)
    provider.odd = {"batch_1": GONE}
    found = queue.fetch()
    assert ([fetched.batch.id for fetched in found.fetched], found.running) == (["batch_2", "batch_3"], 0)
    (trouble,) = found.troubles
    assert trouble.startswith("batch_1: the provider no longer has it (")
    assert trouble.endswith("send its call again: impactbench batch --again batch_1")
    assert [seen.trouble for seen in queue.progress()] == [trouble, "", ""]
    assert (queue.submit(), queue.status().under_way) == ([], 1)
    assert [len(batch.requests) for batch in queue.submit(["batch_1"])] == [1]
    assert [fetched.good for fetched in queue.fetch().fetched] == [1]
    assert (queue.status().answered, len(paid())) == (3, 3)
    with pytest.raises(BatchError, match="No batch batch_9 is under way; there are: none"):
        queue.submit(["batch_9"])


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        pytest.param({"batch_1-output": GONE}, "the provider no longer has it", id="output file gone"),
        pytest.param({"batch_1-output": b"<p>Bad gateway</p>"}, "no line of a batch's answers", id="an error page"),
        pytest.param({"batch_1-output": b"[" * 100_000}, "no line of a batch's answers", id="deep nesting"),
        pytest.param({"batch_1": b"[]"}, "batch_1: ", id="no batch"),
        pytest.param({"batch_1": b'{"id": "batch_1", "status": "completed"}'}, "batch_1: ", id="no time"),
        pytest.param({"batch_1": b'{"id": 5, "created_at": "x", "status": [], "errors": 7}'}, "batch_1: ", id="types"),
    ],
)
def test_a_batch_that_cannot_be_read_stays_and_keeps_no_other_up(
    defer: Deferred, provider: BatchServer, odd: Mapping[str, bytes], said: str
) -> None:
    """Its answers are paid for: they are fetched as soon as the provider shows them."""
    queue = three(defer)
    provider.look("batch_1")
    provider.odd = dict(odd)
    found = queue.fetch()
    assert ([fetched.batch.id for fetched in found.fetched], len(found.troubles)) == (["batch_2", "batch_3"], 1)
    assert said in found.troubles[0]
    provider.odd.clear()
    assert [fetched.good for fetched in queue.fetch().fetched] == [1]
    assert provider.made() == 3


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"batches": [{}]}', b'{"batches": [{"deployment": 5}]}', b"\xff", b"[" * 9999, None]
)
def test_a_damaged_log_is_refused_before_anything_is_sent_again(defer: Deferred, content: bytes | None) -> None:
    """One message with the file's name, and nothing is paid for twice."""
    queue = defer("one")
    queue.submit()
    path = FOLDER / "batches.json"
    path.unlink()
    path.mkdir() if content is None else path.write_bytes(content)
    for use in (queue.submit, queue.fetch, queue.status, lambda: list(queue.progress())):
        with pytest.raises(BatchError, match=r"judge-batch/batches\.json .*restore it from a copy"):
            use()


def test_a_damaged_line_is_no_call(defer: Deferred) -> None:
    """The others are sent; helm-run defers its call anew."""
    queue = defer("one")
    path = FOLDER / "requests.jsonl"
    (good,) = path.read_text().splitlines()
    call = json.loads(good)
    odd = [
        {**call, "key": 5},
        {**call, "key": "x"},
        {**call, "key": '{"\ud800": 1}'},
        {**call, "wire": []},
        {**call, "wire": {"model": "m"}},
        [],
        7,
    ]
    deep = '{"deployment": "d", "key": "{}", "wire": ' + '{"a":' * 500 + "1" + "}" * 501
    path.write_text("\n".join([*map(json.dumps, odd), deep, good, good[:40]]) + "\n")
    assert queue.status().deferred == 1
    assert defer().status() == QueueStatus(deferred=1, answered=0, under_way=0, to_send=1)
