"""Calling models: reasoning taken out, failures sorted, keys found and kept from outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from helm.common.request import ErrorFlags, GeneratedOutput, RequestResult, Thinking
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm.caller import read_reply
from helm_impactbench.llm.credentials import Credentials
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.reasoning import split_reasoning
from helm_impactbench.llm.request import Reply
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage, total


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        pytest.param("hi", "hi", "", id="none"),
        pytest.param("<think>a</think>hi", "hi", "a", id="block"),
        pytest.param("<THINK>\na\n</THINK>\n\nhi", "hi", "a", id="upper case"),
        pytest.param("<thinking>a</thinking>hi<thinking>b</thinking>", "hi", "a\n\nb", id="two blocks"),
        pytest.param("<think>a", "", "a", id="cut off while thinking"),
        pytest.param("hi\n<think>a", "hi", "a", id="cut off in a later block"),
        pytest.param("a</think>hi", "hi", "a", id="opened by the chat template"),
        pytest.param("<reasoning effort='low'>a</reasoning>hi", "hi", "a", id="with attributes"),
        pytest.param("<think></think>hi", "hi", "", id="empty block"),
        pytest.param("I think <b>so</b>", "I think <b>so</b>", "", id="other tags stay"),
        pytest.param("[THINK]a[/THINK]hi", "hi", "a", id="square brackets"),
        pytest.param("\u25c1think\u25b7a\u25c1/think\u25b7hi", "hi", "a", id="triangles"),
        pytest.param("Use <think> in prompts. Then ask.", "Use <think> in prompts. Then ask.", "", id="tag in a line"),
        pytest.param("Write `</think>` last.", "Write `</think>` last.", "", id="tag in code marks"),
        pytest.param("<think>a<think>b</think>c</think>hi", "hi", "a<think>b\n\nc", id="nested"),
    ],
)
def test_reasoning_is_split_off(text: str, answer: str, reasoning: str) -> None:
    """What a model thought does not reach the other side."""
    assert split_reasoning(text) == (answer, reasoning)


tags = st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", "x ", "y\n"])


@given(st.lists(tags, max_size=12))
def test_no_think_tag_is_left(parts: list[str]) -> None:
    """However the tags are mixed up."""
    answer, _ = split_reasoning("".join(parts))
    assert "</think" not in answer
    assert not any(line.lstrip().startswith("<think") for line in answer.splitlines())


class StatusError(Exception):
    """An error as the SDKs raise it."""

    def __init__(self, status_code: int, text: str = "text") -> None:
        super().__init__(text)
        self.status_code = status_code


class APIConnectionError(Exception):
    """As in the SDKs: no status."""


def failed(flags: ErrorFlags | None) -> RequestResult:
    """Return a failed result of one of HELM's clients."""
    return RequestResult(success=False, completions=[], cached=False, embedding=[], error="no", error_flags=flags)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        pytest.param(StatusError(401), FatalCallError, id="key refused"),
        pytest.param(StatusError(402), FatalCallError, id="payment required"),
        pytest.param(StatusError(403), FatalCallError, id="no permission"),
        pytest.param(StatusError(404), FatalCallError, id="unknown model"),
        pytest.param(StatusError(429, "You exceeded your current quota"), FatalCallError, id="quota in a 429"),
        pytest.param(StatusError(429), TransientCallError, id="rate limit"),
        pytest.param(StatusError(408), TransientCallError, id="request timeout"),
        pytest.param(StatusError(500), TransientCallError, id="server error"),
        pytest.param(StatusError(503), TransientCallError, id="overloaded"),
        pytest.param(StatusError(400), PermanentCallError, id="bad request"),
        pytest.param(StatusError(413), PermanentCallError, id="too large"),
        pytest.param(APIConnectionError("reset"), TransientCallError, id="connection"),
        pytest.param(TimeoutError("slow"), TransientCallError, id="timeout"),
        pytest.param(ConnectionResetError("reset"), TransientCallError, id="socket"),
        pytest.param(ValueError("odd"), PermanentCallError, id="anything else"),
        pytest.param(failed(None), TransientCallError, id="HELM result"),
        pytest.param(failed(ErrorFlags(is_retriable=False)), PermanentCallError, id="HELM result, lasting"),
    ],
)
def test_failures_are_sorted(failure: Exception | RequestResult, kind: type[Exception]) -> None:
    """Passing, lasting for this request, lasting for all."""
    error = classified(failure, "p/m")
    assert type(error) is kind
    assert str(error).startswith("p/m: ")


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnop",
        "Bearer abcdef123456",
        "A" * 40,
        "gsk_abcdefghijkl",
        "xai-abc123def456",
        "hf_abcdefgh1234",
    ],
)
def test_messages_hold_no_key(key: str) -> None:
    """Providers quote the key that they refuse; we do not."""
    assert key not in str(classified(StatusError(401, f"Incorrect API key provided: {key}."), "p/m"))


def test_a_reply_is_read_from_helms_result() -> None:
    """Reasoning from either place, usage where the client kept it, unknown where it did not."""
    completion = GeneratedOutput(
        "<think>b</think>hi", 0, [], {"reason": "stop", "usage": {"calls": 1, "prompt_tokens": 5}}, None, Thinking("a")
    )
    result = RequestResult(True, [], [completion], True, request_time=2.5, request_datetime=7)
    assert read_reply(result) == Reply("hi", "a\n\nb", "stop", Usage(calls=1, prompt_tokens=5), True, 2.5, 7)
    bare = RequestResult(True, [], [GeneratedOutput("hi", 0, [])], False)
    assert read_reply(bare).usage == UNKNOWN_USAGE


def test_half_a_character_does_not_spoil_the_next_request() -> None:
    """An emoji that was cut in two is replaced; whole ones stay."""
    result = RequestResult(True, [], [GeneratedOutput("a \ud83d b \U0001f600", 0, [])], False)
    assert read_reply(result).text == "a \ufffd b \U0001f600"
    assert read_reply(result).text.encode()


def test_usage_adds_up() -> None:
    """Known and unknown are summed apart."""
    assert total([Usage(calls=1, cost_usd=0.5), UNKNOWN_USAGE]) == Usage(
        calls=2, cost_usd=0.5, uncounted_calls=1, unpriced_calls=1
    )


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """openaiApiKey is found as OPENAI_API_KEY, in the file, and per deployment; never in repr."""
    monkeypatch.delenv("HELM_CREDENTIALS", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "credentials.conf").write_text(
        'openaiApiKey: "from-file"\nmistralaiApiKey: ""\ndeployments: {"x/y": "of-deployment"}\n'
    )
    credentials = Credentials(tmp_path)
    assert credentials.key_for("openai", "openai/gpt") == "from-file"
    assert credentials.key_for("x", "x/y") == "of-deployment"
    assert credentials.key_for("mistralai", "m") is None
    assert credentials.key_for("nobody", "n") is None
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    assert credentials["openaiApiKey"] == "from-environment"
    assert "openaiApiKey" in credentials
    assert "from" not in repr(credentials)


def test_no_credentials_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file is an empty one."""
    monkeypatch.delenv("HELM_CREDENTIALS", raising=False)
    assert Credentials(tmp_path).get("somethingElse") is None
