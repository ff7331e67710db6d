"""A suite with deferred calls of a judge, made without helm-run, and the provider on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helm_impactbench.llm.batch.queue import BatchQueue
from tests.llm.batch.builders import JUDGE, deferred
from tests.support.batch_server import BatchServer

Deferred = Callable[..., BatchQueue]


@pytest.fixture
def provider(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """The provider that `openai/...` stands for in this test."""
    running = BatchServer(lambda body: f"answer to {body['messages'][-1]['content']}")
    for name, value in {"OPENAI_API_BASE": running.url, "OPENAI_API_KEY": "sk-x", "IMPACTBENCH_MAX_WAIT": "0"}.items():
        monkeypatch.setenv(name, value)
    yield running
    running.close()


@pytest.fixture
def defer(workdir: Path, provider: BatchServer) -> Deferred:
    """Defers questions to a judge and returns the queue of their suite."""
    return lambda *texts, deployment=JUDGE: deferred(texts, deployment)
