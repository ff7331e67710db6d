"""A run whose three roles are Anthropic's models, which keep of a prompt only what is marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conftest import Run
from tests.support import helm
from tests.support.openai_server import JUDGE_ABSENT, Body, OpenAIServer

USER, TARGET, JUDGE = "claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"
TURNS = 3
MARK = {"type": "ephemeral"}


def answer(body: Body) -> Any:
    """Answer as the role whose model it is."""
    turn = sum(message["role"] == "assistant" for message in body["messages"]) + 1
    return {USER: f"Thought: t\nMessage: line {turn}", TARGET: f"reply {turn}", JUDGE: JUDGE_ABSENT}[body["model"]]


def marked_blocks(blocks: Any) -> list[bool]:
    """Return for each block of a system prompt or a message whether it is marked."""
    return [False] if isinstance(blocks, str) else [block.get("cache_control") == MARK for block in blocks]


def test_prompts_are_marked_and_the_run_is_scored(mini: Path, run: Run, server: OpenAIServer, workdir: Path) -> None:
    """System prompt and newest message of a dialogue are marked, of the judge's question the system prompt alone."""
    server.answer = answer
    entry = ",".join(
        [
            f"impactbench:benchmark=mini,turns={TURNS},user=litellm/anthropic/{USER}",
            f"judge=litellm/anthropic/{JUDGE},model=litellm/anthropic/{TARGET}",
        ]
    )
    keys = {"ANTHROPIC_API_KEY": "sk-ant-x", "ANTHROPIC_API_BASE": server.url.removesuffix("/v1")}
    run("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, "-n", 2, **keys)
    assert helm.total(helm.run_folder(workdir, "s", "mini"), "pass_rate") == (2, 4), (
        "one of the two behaviours is wanted"
    )
    # Both variants of a base scenario read alike here: one question to the judge.
    assert len(server.requests) == 4 * 2 * TURNS + 2
    for body in server.requests:
        system = marked_blocks(body["system"]) if "system" in body else [True]
        marks = [any(marked_blocks(message["content"])) for message in body["messages"]]
        assert system[-1]
        assert marks[:-1] == [False] * (len(marks) - 1)
        assert marks[-1] is (body["model"] != JUDGE)
