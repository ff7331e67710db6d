"""What is told before anything is paid, and what ends a run whose calls fail one after another."""

from __future__ import annotations

import itertools
import json
import re
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run_command
from tests.support.openai_server import PROBE, Answer, Body, OpenAIServer, default_answer, text_of

RUN = ("impactbench", "run", "--references", "0", "--benchmarks", "mini", "--no-report", "--no-anchor-set", "--yes")
ROLES = ("--user", "litellm/openai/user-x", "--judge", "litellm/openai/judge-x")
TARGET = ("--models", "litellm/openai/target-a")


def keys(server: OpenAIServer, **extra: str) -> dict[str, str]:
    """Return the environment that leads to the loopback server, with the question asked first."""
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.url, "IMPACTBENCH_PROBE": "yes", **extra}


def start(
    workdir: Path, server: OpenAIServer, *more: object, ok: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a study of the mini benchmark."""
    return run_command(*RUN, *ROLES, *TARGET, *more, cwd=workdir, ok=ok, **keys(server, **environment))


def message_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one message that a run ended with; on a busy machine a line before it says what is waited for."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    (message,) = [line for line in lines if "has not answered its first question yet" not in line]
    return message


def failing(role: str, answer: Answer) -> Any:
    """Return what answers well but for one role."""
    return lambda body: answer if body["model"].startswith(role) else default_answer(body)


def test_each_model_is_asked_once_and_a_finished_suite_needs_no_server(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """One short question for each deployment, before any other call; where the cache has all answers, none."""
    start(workdir, server)
    asked = [body["model"] for body in server.probes]
    assert sorted(asked) == ["judge-x", "target-a", "user-x"]
    assert server.probes == server.requests[:3]
    assert all(body["max_tokens"] == 16 for body in server.probes)
    server.close()
    again = start(workdir, server, "--suite", "again")
    assert "Traceback" not in again.stderr


def test_no_probe_asks_nothing(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """The run begins with its own calls."""
    start(workdir, server, "--no-probe")
    assert server.probes == []


def test_what_the_questions_cost_is_booked(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """As any call is."""
    command = [*RUN, "--user", "litellm/openai/gpt-4o", "--judge", "litellm/openai/gpt-4o-mini",
               "--models", "litellm/openai/gpt-4.1"]  # fmt: skip
    server.answer = lambda body: "ready" if text_of(body) == PROBE else (401, {"error": {"message": "no"}})
    run_command(*command, cwd=workdir, ok=False, **keys(server))
    lines = (workdir / "benchmark_output/runs/impact/spending.jsonl").read_text().splitlines()
    costs = {entry["deployment"]: entry["cost_usd"] for entry in map(json.loads, lines)}
    assert len(costs) == 3
    assert all(0 < cost < 0.001 for cost in costs.values())


@pytest.mark.parametrize("role", ["user", "judge", "target"])
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param((401, {"error": {"message": "Incorrect API key provided"}}),
                     ["the key was refused (HTTP 401", "Set OPENAI_API_KEY"], id="wrong key"),
        pytest.param((404, {"error": {"message": "The model `x` does not exist"}}),
                     ["the provider does not know this model", "Correct the name"], id="unknown model"),
        pytest.param((503, {"error": {"message": "no healthy upstream"}}),
                     ["it does not answer: HTTP 503: no healthy upstream", "Look whether it works"], id="dead behind"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_called_is_told_before_anything_is_paid(
    mini: Path, workdir: Path, server: OpenAIServer, role: str, answer: Answer, words: list[str]
) -> None:
    """One message with the role, the cause, the address asked and what to do; no call but the questions is made."""
    server.answer = failing(role, answer)
    message = message_of(start(workdir, server, ok=False))
    assert f"The {role} litellm/openai/{role}-" in message
    assert all(part in message for part in words), message
    assert f"It was asked at {server.url}/chat/completions." in message
    assert len(server.probes) == len(server.requests)


def test_a_dead_server_is_told(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """Nobody listens at its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    message = message_of(start(workdir, server, ok=False, OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1"))
    assert "it does not answer: connection error" in message
    assert f"http://127.0.0.1:{port}/v1/chat/completions" in message
    assert "Look whether it works." in message


def test_what_is_missing_is_told_before_the_plan(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """A key, a price or a model that nobody has: nothing is planned, asked or written; a plan alone needs no key."""
    user, judge = "litellm/openai/user-x", "litellm/anthropic/claude-sonnet-4-6"
    command = [*RUN, *TARGET, "--user"]
    for names, words in {
        (user, judge): "needs a key that is not set. Set ANTHROPIC_API_KEY",
        ("gpt-4o", judge): "litellm reaches it as litellm/openai/gpt-4o",
        (user, "litellm/opanai/gpt-4o"): "litellm reaches it as litellm/openai/gpt-4o",
    }.items():
        done = run_command(*command, names[0], "--judge", names[1], cwd=workdir, ok=False, **keys(server))
        assert (done.returncode, words in done.stderr, "conversations" in done.stdout) == (2, True, False), done.stderr
    told = run_command(*command, user, "--judge", judge, "--dry-run", cwd=workdir, **keys(server)).stdout
    assert "4 conversations" in told
    assert server.requests == []
    assert not (workdir / "benchmark_output").exists()


def test_a_machine_that_is_not_there_is_told(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """Nothing comes back from its address, not even a refusal: it is not asked again."""
    with socket.socket() as silent, ExitStack() as waiting:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        for _ in range(4):  # as many as its queue takes; the system drops what comes after them
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(silent.getsockname())
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        message = message_of(start(workdir, server, ok=False, OPENAI_BASE_URL=address))
    assert "it does not answer: no connection after 3 seconds" in message
    assert "Look whether it works." in message


@pytest.mark.parametrize("lists", [True, False])
def test_an_address_without_v1_is_no_wrong_name(mini: Path, workdir: Path, server: OpenAIServer, lists: bool) -> None:
    """The address that has models is named where there is one; no model is suggested."""
    server.models = ("target-a",) if lists else ()
    server.path = "/v1"
    bare = server.url.removesuffix("/v1")
    message = message_of(start(workdir, server, ok=False, OPENAI_BASE_URL=bare))
    assert f"It was asked at {bare}/chat/completions." in message
    assert "does not know this model, or this address (HTTP 404" in message
    assert "Did you mean" not in message
    better = f"{server.url} has models. Set OPENAI_BASE_URL to {server.url}."
    assert (better if lists else "Correct OPENAI_BASE_URL; the address of a server of your own usually ends in /v1") \
        in message  # fmt: skip


def test_a_slow_model_is_waited_for(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """After some seconds it is said what the run waits for."""

    def answer(body: Body) -> Answer:
        if text_of(body) == PROBE and body["model"] == "target-a":
            time.sleep(5)
        return default_answer(body)

    server.answer = answer
    done = start(workdir, server)
    assert "litellm/openai/target-a has not answered its first question yet" in done.stderr


def test_a_target_that_cannot_be_called_ends_its_own_runs_only(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """The others are finished; the same command asks only what is missing."""
    wrong = (404, {"error": {"message": "The model `target-b` does not exist"}})
    server.answer = lambda body: wrong if body["model"] == "target-b" else default_answer(body)
    done = start(workdir, server, "litellm/openai/target-b", ok=False)
    assert done.returncode == 1
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert "The target litellm/openai/target-b: the provider does not know this model" in message
    assert message.endswith("The runs of the other models go on.")
    assert len(server.of("target-b")) == 1
    (folder,) = (workdir / "benchmark_output/runs/impact").glob("*/stats.json")
    assert "target-a" in str(folder)
    assert "Traceback" not in done.stderr
    server.forget()
    server.answer = default_answer
    start(workdir, server, "litellm/openai/target-b")
    assert server.of("target-a") == []


@pytest.mark.parametrize(("role", "workers", "failing"), [("user", "1", 10), ("target", "2", 10), ("judge", "1", 8)])
def test_a_server_that_begins_to_fail_ends_the_run(
    mini: Path, workdir: Path, server: OpenAIServer, role: str, workers: str, failing: int
) -> None:
    """After 50 calls it fails so many of ten: the run ends within 100 more with the cause; answers are kept."""
    answered: list[str] = []
    since = itertools.count()

    def answer(body: Body) -> Answer:
        if body["model"].startswith(role) and len(answered) >= 50 and next(since) % 10 < failing:
            return (500, {"error": {"message": "out of memory"}})
        answered.append(json.dumps(body, sort_keys=True))
        return default_answer(body)

    server.answer = answer
    done = start(workdir, server, "--samples", 40, ok=False, IMPACTBENCH_WORKERS=workers, IMPACTBENCH_MAX_WAIT="0.01")
    message = message_of(done)
    assert f"The {role} litellm/openai/{role}-" in message
    which = "calls in a row" if failing == 10 else r"of the last 100 calls"
    assert re.search(rf"\d\d {which} failed, the last one with: HTTP 500: out of memory", message), message
    assert next(since) <= 100
    server.forget()
    server.answer = default_answer
    kept = set(answered)
    start(workdir, server, "--samples", 40, "--no-probe")
    assert not kept & {json.dumps(body, sort_keys=True) for body in server.requests}


def test_a_server_that_only_ever_says_wait_ends_the_run(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """Twenty calls with all their attempts, and no answer."""
    server.answer = lambda body: (
        (429, {"error": {"message": "slow down"}}) if body["model"].startswith("target") else default_answer(body)
    )
    done = start(workdir, server, "--samples", 40, "--no-probe", ok=False, IMPACTBENCH_ATTEMPTS="2")
    assert re.search(
        r"litellm/openai/target-a: 20 calls in a row failed, the last one with: HTTP 429", message_of(done)
    )
    assert len(server.of("target")) <= 2 * (20 + 20), "and those that are under way meanwhile"


@pytest.mark.parametrize("option", [("--price", "=2,10"), ("--free", "")])
def test_a_price_can_be_given_for_a_model_without_one(
    mini: Path, workdir: Path, server: OpenAIServer, option: tuple[str, str]
) -> None:
    """A budget without prices is refused before the plan; with prices of all models the run books what it costs."""
    models = [f"litellm/openai/{name}" for name in ("target-a", "user-x", "judge-x")]
    done = start(workdir, server, "--budget", 2, ok=False)
    assert done.returncode == 2
    assert "No price is known for litellm/openai/target-a, litellm/openai/user-x and litellm/openai/judge-x" \
        in done.stderr  # fmt: skip
    assert "Add --price litellm/openai/target-a=IN,OUT" in done.stderr
    assert "conversations" not in done.stdout
    assert server.requests == []
    assert not (workdir / "benchmark_output/runs/impact").exists()
    name, words = option
    prices = [word for model in models for word in (name, f"{model}{words}")]
    done = start(workdir, server, "--budget", 2, *prices)
    lines = (workdir / "benchmark_output/runs/impact/spending.jsonl").read_text().splitlines()
    paid = sum(json.loads(line).get("cost_usd", 0) for line in lines)
    calls = len(server.requests)
    assert paid == pytest.approx(calls * (100 * 2e-6 + 10 * 10e-6) if words else 0)
    assert ("about $0.00" in done.stdout) == (not words)


def test_a_plan_dearer_than_its_budget_says_how_far_it_reaches(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """And names its benchmarks."""
    prices = [
        word for name in ("target-a", "user-x", "judge-x") for word in ("--price", f"litellm/openai/{name}=20,100")
    ]
    done = start(workdir, server, "--budget", 0.1, *prices, ok=False)
    assert "\n  on        mini\n" in done.stdout
    assert re.search(r"budget    \$0\.10 for the whole suite impact: about \d+% of this plan, where the run stops",
                     done.stdout)  # fmt: skip
