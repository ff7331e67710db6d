"""A suite in which judge's calls wait, made without helm-run, and the provider on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helm.common.key_value_store import request_to_key

from helm_impactbench.helm.caller import helm_request
from helm_impactbench.helm.litellm_client import LiteLLMClient
from helm_impactbench.helm.session import open_caller
from helm_impactbench.llm.batch.deferred_call import BATCH_FOLDER, REQUESTS_FILE, Noted, Notes
from helm_impactbench.llm.batch.queue import Desk
from helm_impactbench.llm.litellm_wire import wire_request
from helm_impactbench.llm.request import Message, ModelRequest, Reply
from tests.support.batch_server import BatchServer

JUDGE = "litellm/openai/gpt-4o-mini"
Office = Callable[..., Desk]


def question(text: str, deployment: str = JUDGE) -> ModelRequest:
    """Return a call to a judge."""
    return ModelRequest(deployment, (Message("user", text),), 0.0, 64, seed=text, role="judge")


@pytest.fixture
def provider(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """The provider that `openai/...` stands for in this test."""
    running = BatchServer(lambda body: f"answer to {body['messages'][-1]['content']}")
    for name, value in {"OPENAI_API_BASE": running.url, "OPENAI_API_KEY": "sk-x", "IMPACTBENCH_MAX_WAIT": "0"}.items():
        monkeypatch.setenv(name, value)
    yield running
    running.close()


@pytest.fixture
def office(workdir: Path, provider: BatchServer) -> Office:
    """Notes questions to a judge and returns the desk of their suite."""

    def opened(*texts: str, deployment: str = JUDGE) -> Desk:
        caller = open_caller(workdir / "prod_env")
        suite = workdir / "benchmark_output/runs/s"
        for text in texts:
            request = helm_request(question(text, deployment))
            client = caller.client_of(deployment, "judge")
            assert isinstance(client, LiteLLMClient)
            raw = {**client._make_raw_request(request)}
            key = request_to_key(client._cache_key(raw, request))
            Notes(suite / BATCH_FOLDER / REQUESTS_FILE).add(Noted(deployment, key, wire_request(raw, request)))
        return Desk(suite, caller)

    return opened


def answered(desk: Desk, text: str, deployment: str = JUDGE) -> Reply:
    """Return what a judge's call gives now."""
    reply = desk._caller.call(question(text, deployment))
    assert isinstance(reply, Reply)
    return reply
