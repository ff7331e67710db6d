"""Limits of one conversation, through the whole chain."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.e2e.test_run import ROLES, TARGETS, keys
from tests.support import helm
from tests.support.commands import run_command
from tests.support.openai_server import OpenAIServer, text_of


def test_a_conversation_that_reaches_a_limit_is_unscored_and_named(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """One target talks at length: its conversations end with the reason, no judge reads them, the other's are whole."""

    def answer(body: object) -> object:
        return {"content": "zebra talk", "usage": {"prompt_tokens": 9000, "completion_tokens": 1000}}

    usual = server.answer
    server.answer = lambda body: answer(body) if body["model"] == "target-b" else usual(body)  # type: ignore[return-value]
    study = {"models": [*TARGETS], "user": ROLES[1], "judge": ROLES[3], "benchmarks": ["mini"], "references": 0,
             "options": {"limit_tokens": 5000}}  # fmt: skip
    (workdir / "s.yaml").write_text(yaml.safe_dump(study))
    done = run_command("impactbench", "run", "s.yaml", "--no-report", "--yes", cwd=workdir, **keys(server))
    assert "Without a score: 4 limit reached." in done.stdout
    (talker,) = (workdir / "benchmark_output/runs/s").glob("*target-b*")
    for held in helm.conversations(talker).values():
        assert held["status"] == "limit_reached"
        assert held["reason"] == "Before turn 2: limit_tokens is 5000, and it has taken 10,110 tokens."
    assert not any("zebra talk" in text_of(body) for body in server.of("judge"))
    assert len(server.of("target-b")) == 4
