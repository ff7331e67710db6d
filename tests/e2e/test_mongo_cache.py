"""HELM's mongo cache between machines that share no folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import run_mini
from tests.support import builders, helm
from tests.support.mongo_server import MongoServer
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer


@pytest.fixture
def mongo() -> Iterator[MongoServer]:
    """A server that HELM's cache can be kept in."""
    running = MongoServer()
    yield running
    running.close()


def test_what_one_machine_finished_no_other_calls_again(
    tmp_path: Path, server: OpenAIServer, mongo: MongoServer
) -> None:
    """All roles use --mongo-uri: a second machine makes no call, has the same conversations, and no SQLite file."""
    calls = 0

    def never_the_same(body: Body) -> Answer:
        nonlocal calls
        calls += 1
        said = default_answer(body)
        return said if body["model"].startswith("judge") else f"{said} ({calls})"

    server.answer = never_the_same
    machines = [tmp_path / "one", tmp_path / "two"]
    for machine in machines:
        builders.write_benchmark_folder(machine / "benchmarks/mini")
        run_mini(machine, server, "target-a", options=",turns=2", extra=("--mongo-uri", mongo.uri))
        assert calls == len(mongo.documents) == 4 * (2 * 2 + 1)
        assert list(machine.rglob("*.sqlite")) == []
    one, two = [helm.run_folder(machine, "s", "mini") for machine in machines]
    assert helm.conversations(one) == helm.conversations(two)
    assert (one / "stats.json").read_bytes() == (two / "stats.json").read_bytes()
