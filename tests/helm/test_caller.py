"""HELM's clients called, and their answers and failures read."""

from __future__ import annotations

from pathlib import Path

import pytest
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.clients.litellm_client import LiteLLMCompletionClient
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.common.request import ErrorFlags, GeneratedOutput, RequestResult, Thinking

from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm.caller import ModelCaller, read_reply, reported
from helm_impactbench.helm.litellm_client import LiteLLMClient
from helm_impactbench.llm.request import Message, ModelRequest, Reply
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from tests.support.openai_server import OpenAIServer


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


@pytest.mark.parametrize("nothing", ["\u200b", "\u3164\n\u2800", "<think>hm</think>\ufeff", "\x00"])
def test_a_reply_that_nobody_can_see_is_empty(nothing: str) -> None:
    """Every role then fails with its own named reason, as for a reply without a character."""
    reply = read_reply(RequestResult(True, [], [GeneratedOutput(nothing, 0, [])], False))
    assert reply.text == ""
    assert reply.why_empty == "empty reply (finish reason: unknown)"


@pytest.mark.parametrize(
    ("flags", "retriable"),
    [(None, None), (ErrorFlags(is_retriable=False), False), (ErrorFlags(is_retriable=True), True)],
)
def test_what_helms_clients_say_of_a_failure_is_kept(flags: ErrorFlags | None, retriable: bool | None) -> None:
    """Their words, and whether they would try again."""
    result = RequestResult(success=False, completions=[], cached=False, embedding=[], error="no", error_flags=flags)
    error = reported(result)
    assert (str(error), error.retriable) == ("no", retriable)


# pydantic's word on litellm's types when they are first used; commands do not show it.
quiet = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")


@pytest.fixture
def caller(workdir: Path) -> ModelCaller:
    """A caller with a cache in files."""
    return ModelCaller(workdir / "prod_env/cache", SqliteCacheBackendConfig(str(workdir / "prod_env/cache")))


@quiet
def test_helms_litellm_deployments_are_called_by_our_client(
    caller: ModelCaller, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HELM's generator stays as it is; a call of ours has its usage, and a second one comes from the cache."""
    from helm.benchmark.model_deployment_registry import get_model_deployment

    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    name = "litellm/openai/gpt-4o"
    assert get_model_deployment(name).client_spec.class_name.endswith(LiteLLMCompletionClient.__name__)
    assert type(caller.client_of(name, "target")) is LiteLLMClient
    request = ModelRequest(name, (Message("user", "hello"),), 0.0, 16, seed="s")
    replies = [caller.call(request) for _ in range(2)]
    assert all(isinstance(reply, Reply) for reply in replies)
    assert [reply.usage.prompt_tokens for reply in replies] == [100, 100]
    assert [reply.cached for reply in replies if isinstance(reply, Reply)] == [False, True]


@quiet
def test_a_refused_key_is_told_with_its_remedy(
    caller: ModelCaller, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was called, what was refused, where the key stands."""
    server.answer = lambda body: (401, {"error": {"message": "Incorrect API key"}})  # type: ignore[assignment]
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    request = ModelRequest("litellm/openai/gpt-4o", (Message("user", "hello"),), 0.0, 16, seed="s", role="judge")
    with pytest.raises(FatalCallError, match=r"The judge litellm/openai/gpt-4o: the key was refused.*OPENAI_API_KEY"):
        caller.call(request)


def test_secrets_of_helms_own_deployments_are_known(caller: ModelCaller) -> None:
    """A key, a header or a password in the arguments of one of HELM's clients is removed from what it answers."""
    arguments = {"api_key": "k3y-in-args", "base_url": "http://me:pa5sword-x@host/v1"}
    register_model_deployment(
        ModelDeployment("mylab/helms", ClientSpec("helm.clients.openai_client.OpenAIClient", arguments))
    )
    caller.client_of("mylab/helms", "target")
    said = RequestResult(True, [], [GeneratedOutput("k3y-in-args pa5sword-x", 0, [])], False)
    assert read_reply(said).text == "[removed] [removed]"
