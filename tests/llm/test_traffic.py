"""Rate limits, the budget, prices, and what is sent for the prompt cache."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import SettingError, StoppedError
from helm_impactbench.llm.limits.rate_limiter import Traffic
from helm_impactbench.llm.limits.settings import Bucket, Lane, Lanes, Limit, read_limits
from helm_impactbench.llm.limits.spend_log import Budget, BudgetError, Ledger, budget_from_environment
from helm_impactbench.llm.litellm_wire import marked
from helm_impactbench.llm.prices import Price, known_price, most, prompt_tokens
from helm_impactbench.process.shared_state import STOPPED, Stop, Tally

WIRE: dict[str, Any] = {"messages": [{"role": "user", "content": "abc" * 10}], "max_tokens": 100}
PRICE = Price(prompt=0.01, completion=0.02)


def write_limits(folder: Path, text: str) -> Path:
    (folder / "limits.yaml").write_text(text)
    return folder


def test_without_a_file_nothing_is_limited(tmp_path: Path) -> None:
    """No limits.yaml, no lane for any deployment."""
    assert Lanes(read_limits(tmp_path)).of("litellm/openai/gpt-4o") is None


def test_the_first_entry_that_matches_counts_and_deployments_share_it(tmp_path: Path) -> None:
    """Two models of one provider are in one lane, another provider's is in none."""
    text = "limits:\n- {deployments: ['litellm/openai/*', 'openai/*'], max_in_flight: 1}\n"
    lanes = Lanes(read_limits(write_limits(tmp_path, text)))
    assert lanes.of("litellm/openai/a") is lanes.of("openai/b")
    assert lanes.of("litellm/openai/a") is not None
    assert lanes.of("anthropic/claude") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("limits: [{deployments: [a], requests_per_minute: fast}]", "requests_per_minute", id="no number"),
        pytest.param("limits: [{deployments: [a], requests: 5}]", "requests", id="unknown name"),
        pytest.param("limits: [{deployments: []}]", "deployments", id="for nobody"),
        pytest.param("limits: [{deployments: [a], max_in_flight: 0}]", "max_in_flight", id="zero"),
        pytest.param("limits: [", "limits.yaml", id="broken YAML"),
        pytest.param("a: &x [1]\nlimits: *x", "alias", id="alias"),
    ],
)
def test_a_faulty_limits_file_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    """The message names the file, what is wrong and what is allowed."""
    with pytest.raises(SettingError, match=r"limits\.yaml: .*Allowed") as error:
        read_limits(write_limits(tmp_path, text))
    assert said in str(error.value)


def test_a_bucket_spreads_what_is_more_than_its_burst() -> None:
    """600 a minute: two seconds' worth at once, then a tenth of a second for each."""
    bucket = Bucket(600)
    waits = [bucket.reserve(1) for _ in range(25)]
    assert waits[:20] == [0.0] * 20
    assert waits[-1] == pytest.approx(0.5, abs=0.05)


def test_a_bucket_takes_back_what_was_not_used() -> None:
    """After giving everything back nobody waits."""
    bucket = Bucket(60)
    assert bucket.reserve(10) > 5
    bucket.give_back(10)
    assert bucket.reserve(1) == 0


def test_a_lane_lets_so_many_through_at_once() -> None:
    """With two slots, eight threads are never more than two at a time."""
    lane, lock, now, highest = Lane(Limit(deployments=("a",), max_in_flight=2)), threading.Lock(), [0], [0]

    def work() -> None:
        with lane.entered(1, Stop()):
            with lock:
                now[0] += 1
                highest[0] = max(highest[0], now[0])
            time.sleep(0.02)
            with lock:
                now[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert highest == [2]


def test_a_ledger_sums_over_processes_and_passes_over_a_line_that_was_cut_off(tmp_path: Path) -> None:
    """Two processes add, one is killed in the middle of a line: the whole lines count."""
    path = tmp_path / "suite/spending.jsonl"
    ledger = Ledger(path)
    ledger.add("a", 0.25)
    code = """
import pathlib, sys
from helm_impactbench.llm.limits.spend_log import Ledger
Ledger(pathlib.Path(sys.argv[1])).add("b", 0.5)
"""
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    with path.open("a") as file:
        file.write('{"deployment": "c", "cost')
    assert ledger.total() == 0.75
    assert Ledger(path).total() == 0.75
    with path.open("a") as file:
        file.write('\n{"deployment": "c", "cost_usd": 1.0}\n')
    assert ledger.total() == 1.75


def test_a_budget_stops_before_the_call_that_could_pass_it(tmp_path: Path) -> None:
    """Paid and the next call's most together decide; what was paid before this process counts."""
    ledger = Ledger(tmp_path / "spending.jsonl")
    ledger.add("a", 0.9)
    budget = Budget(ledger, 1.0)
    with budget.reserved("m", 0.1, STOPPED):
        pass
    said = r"\$1\.00 \(IMPACTBENCH_MAX_COST_USD\) is used up.*raise the budget"
    with pytest.raises(BudgetError, match=said), budget.reserved("m", 0.11, STOPPED):
        pytest.fail("the call was begun")


def test_calls_in_flight_hold_their_part_and_others_wait_for_them() -> None:
    """Two calls that fit one after the other but not together: the second waits, and is let through."""
    ledger = Ledger(None)
    budget, order = Budget(ledger, 1.0), []
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with budget.reserved("m", 0.8, STOPPED):
            inside.set()
            leave.wait(5)
            order.append("first leaves")
            ledger.add("m", 0.1)

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
    limited = Budget(Ledger(None), 5.0)
    with pytest.raises(BudgetError, match="input_cost_per_token"), limited.reserved("m", None, STOPPED):
        pytest.fail("the call was begun")
    with Budget(Ledger(None), None).reserved("m", None, STOPPED):
        pass


@pytest.mark.parametrize("text", ["-1", "much", "nan", "inf", "1e999"])
def test_a_budget_that_is_no_sum_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """The variable is named with what is allowed."""
    monkeypatch.setenv("IMPACTBENCH_MAX_COST_USD", text)
    with pytest.raises(SettingError, match=r"IMPACTBENCH_MAX_COST_USD is .*; allowed: US dollars"):
        budget_from_environment()


def test_what_a_call_may_cost_is_never_below_what_it_costs() -> None:
    """The estimate of a prompt is above its tokens in English, Chinese and code, counted by a real tokenizer."""
    import litellm

    for text in (
        "How are you today, my dear friend?",
        "\u4f60\u597d\u4eca\u5929\u8fc7\u5f97\u600e\u4e48\u6837",
        "for i in range(10): print(x[i]['a'])",
        "a" * 50,
    ):
        counted = litellm.token_counter(model="gpt-4o", text=text)
        assert prompt_tokens({"messages": [{"role": "user", "content": text}]}) >= counted
    assert most(PRICE, WIRE) >= PRICE.of(prompt_tokens(WIRE), 100)


def test_list_prices_are_known_by_name_and_unknown_is_not_zero() -> None:
    """gpt-4o has a list price; an invented model has none."""
    assert known_price("openai/gpt-4o") is not None
    assert known_price("openai/no-such-model-1") is None


def test_a_stopped_run_begins_no_call() -> None:
    """Whoever waits for a rate is woken and refused."""
    lanes = Lanes((Limit(deployments=("*",), requests_per_minute=1),))
    traffic = Traffic(lanes, Ledger(None), Budget(Ledger(None), None))
    for _ in range(1):
        with traffic.call("m", WIRE, PRICE):
            pass
    threading.Timer(0.1, STOPPED.set).start()
    began = time.monotonic()
    with pytest.raises(StoppedError), traffic.call("m", WIRE, PRICE):
        pytest.fail("the call was begun")
    assert time.monotonic() - began < 5


def test_tallies_add_up_over_threads() -> None:
    """Ten threads adding and taking leave nothing behind."""
    tally = Tally()

    def work() -> None:
        for _ in range(1000):
            tally.add(1)
            tally.add(-1)

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.total() == 0


def test_marks_for_the_prompt_cache_stand_after_what_is_sent_again() -> None:
    """A dialogue keeps system prompt and newest message, a question that is asked once the system prompt alone."""
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]

    def where(marks: list[dict[str, Any]]) -> list[int]:
        return [i for i, message in enumerate(marks) if isinstance(message["content"], list)]

    assert where(marked(messages, goes_on=True)) == [0, 3]
    assert where(marked(messages, goes_on=False)) == [0]
    assert marked(messages, goes_on=True)[3]["content"] == [
        {"type": "text", "text": "user", "cache_control": {"type": "ephemeral"}}
    ]
