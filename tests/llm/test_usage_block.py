"""The usage of an answer is sound or unknown, and never in the way of the answer."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.llm.chat_body import sound_chat
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.failures import may_be_billed
from helm_impactbench.llm.litellm_answer import usage_of
from helm_impactbench.llm.prices import Price
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.llm.usage_block import sound_usage, tokens_in
from tests.support.fault_server import FaultServer
from tests.support.looped import looped
from tests.support.openai_server import OpenAIServer

# pydantic's word on litellm's types when they are first used; commands do not show it.
pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")
DIGITS = "9" * 5000


def read(usage: str) -> Any:
    """Return a usage block as it is read from an answer, sound or None."""
    body = f'{{"choices": [{{"message": {{"content": "fine"}}}}], "usage": {usage}}}'.encode()
    answer = json.loads(sound_chat(body))
    assert answer["choices"][0]["message"]["content"] == "fine", "its words are never in danger"
    return answer["usage"]


@looped(
    "usage",
    [
        pytest.param('{"prompt_tokens": -1000000000, "completion_tokens": 5, "total_tokens": 5}', id="negative"),
        pytest.param('{"prompt_tokens": NaN, "completion_tokens": 5, "total_tokens": NaN}', id="nan"),
        pytest.param('{"prompt_tokens": 1e999, "completion_tokens": 5}', id="infinite"),
        pytest.param(f'{{"prompt_tokens": {DIGITS}, "completion_tokens": 5}}', id="thousands of digits"),
        pytest.param('{"prompt_tokens": 100000001, "completion_tokens": 5}', id="huge"),
        pytest.param('{"prompt_tokens": true, "completion_tokens": false}', id="truth values"),
        pytest.param('{"prompt_tokens": 5.5, "completion_tokens": 5}', id="half a token"),
        pytest.param('{"prompt_tokens": "many", "completion_tokens": 5}', id="words"),
        pytest.param('{"prompt_tokens": {"a": 1}, "completion_tokens": [1]}', id="nested"),
        pytest.param('{"total_tokens": 5}', id="missing"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param('"none"', id="a text"),
    ],
)
def test_a_usage_that_cannot_be_true_is_left_out(usage: str) -> None:
    """It is then unknown; the answer stays."""
    assert read(usage) is None


def test_a_sound_usage_passes_unchanged() -> None:
    """With everything else that the provider says in it."""
    usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14, "prompt_tokens_details": {"x_tokens": 3}}
    assert sound_usage(usage) == usage


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ('{"usage": {"prompt_tokens": 9, "completion_tokens": 5}, "choices": 7}', (9, 5)),
        ('{"usage": {"input_tokens": 9, "output_tokens": 5}}', (9, 5)),
        ('{"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5}}', (9, 5)),
        ('{"usage": {"inputTokens": 9, "outputTokens": 5}}', (9, 5)),
        ('{"usage": {"prompt_tokens": 9}}', None),
        ('{"usage": 3}', None),
        ("[1]", None),
        ("<html>", None),
        ("", None),
    ],
)
def test_tokens_are_read_from_any_providers_body(body: str, tokens: tuple[int, int] | None) -> None:
    """Also where nothing else of the answer can be used."""
    assert tokens_in(body.encode()) == tokens


def test_numbers_as_text_are_read_and_impossible_details_dropped() -> None:
    """The sum is filled in where it cannot be true."""
    usage = """{"prompt_tokens": "10", "completion_tokens": 5.0, "total_tokens": -1, "cost": -3, "service_tier": "flex",
                "prompt_tokens_details": {"cached_tokens": -7, "audio_tokens": 0}}"""
    assert read(usage) == {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "service_tier": "flex",
        "prompt_tokens_details": {"audio_tokens": 0},
    }


UNSOUND = [
    {"prompt_tokens": -1_000_000_000, "completion_tokens": 5, "total_tokens": 5},
    {"prompt_tokens": 1.5, "completion_tokens": 5, "total_tokens": 6.5},
    {"prompt_tokens": 10**400, "completion_tokens": 5, "total_tokens": 5},
]


@pytest.mark.parametrize("own", [None, Price(1e-6, 2e-6)], ids=["list price", "own price"])
def test_no_usage_loses_an_answer_or_earns_money(tmp_path: Path, server: OpenAIServer, own: Price | None) -> None:
    """Each answer comes with the first call, its tokens and cost unknown; a sound one has its price."""
    usages = iter([*UNSOUND, {"prompt_tokens": "100", "completion_tokens": "5", "total_tokens": "105"}])
    server.answer = lambda body: {"role": "assistant", "content": "fine", "usage": next(usages)}
    endpoint = Endpoint("openai/gpt-4o", tmp_path, api_base=server.url, price=own)
    wire = {"model": "openai/gpt-4o", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 10}
    with ThreadPoolExecutor(1) as thread:  # its connections end with it
        got = [thread.submit(endpoint.call, "d", wire).result() for _ in range(4)]
    assert [each["choices"][0]["message"]["content"] for each in got] == ["fine"] * 4
    assert [usage_of(each) for each in got[:3]] == [UNKNOWN_USAGE] * 3
    cost = (own or Price(2.5e-6, 10e-6)).of(100, 5)
    sound = usage_of(got[3])
    assert sound == Usage(calls=1, prompt_tokens=100, completion_tokens=5, cost_usd=sound.cost_usd)
    assert sound.cost_usd == pytest.approx(cost)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("fault", "billed"),
    [
        ("429", False),
        ("500", False),
        ("400", False),
        ("401", False),
        ("hang", True),
        ("drip-on", True),
        ("truncated", True),
        ("reset", True),
        ("invalid-json", True),
        ("not-json", True),
    ],
)
def test_a_call_that_was_sent_and_not_answered_may_be_billed(tmp_path: Path, fault: str, billed: bool) -> None:
    """A refusal costs nothing; of an answer that was lost on its way nobody knows."""
    server = FaultServer(lambda call: fault, hang=2.0)
    endpoint = Endpoint("openai/own", tmp_path, api_base=server.url, price=Price(1e-6, 2e-6))
    endpoint.transport["timeout"] = 0.5
    wire = {"model": "openai/own", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 10}
    try:
        with ThreadPoolExecutor(1) as thread:
            failure = thread.submit(endpoint.call, "d", wire).exception()
    finally:
        server.close()
    assert failure is not None
    assert may_be_billed(failure) is billed


def test_a_call_that_nobody_took_is_not_billed(tmp_path: Path) -> None:
    """No connection, no charge."""
    endpoint = Endpoint("openai/own", tmp_path, api_base="http://127.0.0.1:9/v1", price=Price(1e-6, 2e-6))
    wire = {"model": "openai/own", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 10}
    with ThreadPoolExecutor(1) as thread:
        failure = thread.submit(endpoint.call, "d", wire).exception()
    assert failure is not None
    assert not may_be_billed(failure)
