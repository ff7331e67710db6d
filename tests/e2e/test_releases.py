"""A release is judged by its own answers: two servers behind one name, one cache, and who was asked what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench import load_suite
from tests.support.builders import write_benchmark_folder
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, default_answer

TARGET = "litellm/openai/target-a"
CONVERSATIONS, ANSWERS = 4, 24
"""In a run, and of the target in it: six turns each."""


@pytest.fixture
def people() -> Iterator[OpenAIServer]:
    """The simulated user and the judge, on a server of their own."""
    server = OpenAIServer()
    yield server
    server.close()


def release_server(name: str) -> OpenAIServer:
    """Return a server behind which one release of the target answers."""

    def answer(body: Body) -> str:
        return f"{name} says: {default_answer(body)}"

    return OpenAIServer(answer)


@pytest.fixture
def releases() -> Iterator[tuple[OpenAIServer, OpenAIServer]]:
    """Two releases, each on a server of its own."""
    first, second = release_server("first"), release_server("second")
    yield first, second
    first.close()
    second.close()


Run = Callable[..., Any]


def deployments(folder: Path, people: OpenAIServer) -> None:
    """Write the user and the judge as deployments with an address of their own; the target goes by its name alone."""
    (folder / "prod_env").mkdir(exist_ok=True)
    client = "helm_impactbench.helm.litellm_client.LiteLLMClient"
    written = [
        {"name": f"own/{role}", "client_spec": {"class_name": client, "args": {
            "litellm_model": f"openai/{role}-x", "api_base": people.url, "input_cost_per_token": 1e-5,
            "output_cost_per_token": 1e-5}}}
        for role in ("user", "judge")
    ]  # fmt: skip
    (folder / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": written}))


def run(folder: Path, server: OpenAIServer, suite: str, *more: object, ok: bool = True) -> Any:
    """Run the mini benchmark against the release behind a server."""
    return run_command(
        *("impactbench", "run", "--models", TARGET, "--user", "own/user", "--judge", "own/judge"),
        *("--benchmarks", "mini", "--references", "0", "--no-report", "--suite", suite, "--yes", *more),
        cwd=folder, ok=ok, OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url,
    )  # fmt: skip


def gate(folder: Path, *words: object) -> Any:
    """Ask the gate, whatever it says."""
    return run_command("impactbench", "gate", *words, "--max-drop", "1", cwd=folder, ok=False)


@pytest.fixture
def folder(workdir: Path, people: OpenAIServer) -> Path:
    """A working directory with the mini benchmark and the deployments."""
    write_benchmark_folder(workdir / "benchmarks/mini")
    deployments(workdir, people)
    return workdir


def test_a_named_release_is_asked_itself_and_nobody_else_anew(
    folder: Path, people: OpenAIServer, releases: tuple[OpenAIServer, OpenAIServer]
) -> None:
    """Release 2 behind the same name, with release 1's cache: it gets every target call, and the openings stay."""
    first, second = releases
    run(folder, first, "old", "--release", "r1")
    asked = len(first.requests)
    people.forget()
    run(folder, second, "new", "--release", "r2")
    assert (asked, len(second.requests), len(first.requests)) == (ANSWERS, ANSWERS, ANSWERS)
    assert len(people.of("user")) == ANSWERS - CONVERSATIONS, "no opening is asked for again"
    assert not any("r1" in str(body) or "r2" in str(body) for body in (*first.requests, *second.requests))
    judged = gate(folder, "--suite", "new", "--baseline", "old")
    assert (judged.returncode, "PASS" in judged.stdout) == (0, True), judged.stdout + judged.stderr
