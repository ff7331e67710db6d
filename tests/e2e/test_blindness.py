"""What each role receives: the laws of blindness and roles, read off the requests that the server recorded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from helm_impactbench.rehearsal.reading import without_keys
from tests.conftest import HelmRun
from tests.e2e.conftest import run_mini
from tests.support import builders, helm
from tests.support.openai_server import JUDGE_ABSENT, Body, OpenAIServer, text_of

TURNS = 6
ROWS = [*builders.SCENARIOS, builders.scenario("m01", 2, 1, target_system_prompt="You are a shop's helper.")]


def answer(body: Body) -> str:
    """Answer so that the judge's prompt would show any leak: the speakers say nothing of the scenario."""
    own = sum(message["role"] == "assistant" for message in body["messages"]) + 1
    if body["model"].startswith("user"):
        return f"Thought: secret thought {own}\nMessage: spoken line {own}"
    return JUDGE_ABSENT if body["model"].startswith("judge") else f"reply line {own}"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAIServer]:
    """A server that has seen one run of the mini benchmark."""
    folder = tmp_path_factory.mktemp("recorded")
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=ROWS)
    server = OpenAIServer(answer)
    run_mini(folder, server, "target-a")
    yield server
    server.close()


def test_the_target_sees_its_system_prompt_and_the_dialogue_alone(recorded: OpenAIServer) -> None:
    """Law 2 for the target: every request is the system prompt, if there is one, and the dialogue. Nothing else."""
    for body in recorded.of("target"):
        chat = [message for message in body["messages"] if message["role"] != "system"]
        system = [message["content"] for message in body["messages"] if message["role"] == "system"]
        said = {"user": itertools.count(1), "assistant": itertools.count(1)}
        words = {"user": "spoken line", "assistant": "reply line"}
        assert chat == [
            {"role": role, "content": f"{words[role]} {next(said[role])}"}
            for role in (["user", "assistant"] * TURNS)[: len(chat)]
        ]
        assert system in ([], ["You are a shop's helper."])
    assert sum(body["messages"][0]["role"] == "system" for body in recorded.of("target")) == TURNS


def test_the_judge_sees_transcript_definition_and_lines_alone(recorded: OpenAIServer) -> None:
    """Law 2 for the judge: no name, type, goal, persona, level, thought, landmark or model."""
    hidden = [
        "Name", "positive", "negative", "persona", "goal", "hidden", "landmark", "adult", "child", "6-17", "m01",
        "secret thought", "target-a", "user-x", "judge-x", "setting-text", "Mini benchmark", "shop's helper",
    ]  # fmt: skip
    for body in recorded.of("judge"):
        assert [word for word in hidden if word in text_of(body)] == []
    first = without_keys(text_of(next(body for body in recorded.of("judge") if "definition-one" in text_of(body))))
    for shown in ("example-one-a", "example-one-b", "nearmiss-one"):
        assert shown in first
    for turn in range(1, TURNS + 1):
        assert f'<turn number="{turn}" speaker="user">\nspoken line {turn}\n</turn>' in first
        assert f'<turn number="{turn}" speaker="assistant">\nreply line {turn}\n</turn>' in first


def test_the_simulator_plays_the_variant_with_flipped_roles(recorded: OpenAIServer) -> None:
    """Law 3: the rewritten persona, own lines as assistant, the target's as user, landmark k first at turn k."""
    assert len(recorded.of("user")) == len(ROWS) * TURNS
    for body in recorded.of("user"):
        system, *chat = body["messages"]
        name = system["content"].split("played-persona-")[1].split()[0]
        assert "neutral-persona" not in text_of(body)
        for expected in (f"goal-{name}", f"hidden-{name}", "setting-text"):
            assert expected in system["content"]
        assert "definition-" not in text_of(body)  # told only where pressure=definition asks for it
        turn = (len(chat) + 1) // 2
        assert [message["role"] for message in chat] == ["user", "assistant"] * (turn - 1) + ["user"]
        for k in range(1, turn):
            assert f"spoken line {k}" in chat[2 * k - 1]["content"]
            assert chat[2 * k]["content"].startswith(f"reply line {k}")
        for k in (2, 4, 6):
            first = next((i for i, message in enumerate(chat) if f"landmark-{k}-{name}" in message["content"]), None)
            assert first == (2 * (k - 1) if k <= turn else None)
            assert f"landmark-{k}-" not in system["content"]


def test_type_and_examples_stay_from_the_simulator(recorded: OpenAIServer) -> None:
    """The conversation cannot depend on what only the judge or the score needs."""
    for body in recorded.of("user"):
        assert [
            word for word in ("positive", "negative", "Name", "example-", "nearmiss") if word in text_of(body)
        ] == []


@pytest.mark.parametrize("role", ["user", "target"])
def test_requests_only_ever_grow(recorded: OpenAIServer, role: str) -> None:
    """A provider's prompt cache holds: each request begins with the whole of the one before it."""
    by_case: dict[str, list[list[dict[str, str]]]] = {}
    for body in recorded.of(role):
        by_case.setdefault(str(body["seed"]), []).append(body["messages"])
    assert len(by_case) == len(ROWS)
    for requests in by_case.values():
        ordered = sorted(requests, key=len)
        assert len(ordered) == TURNS
        for shorter, longer in itertools.pairwise(ordered):
            assert longer[: len(shorter)] == shorter


def test_landmarks_false_gives_all_up_front(mini: Path, helm_run: HelmRun, server: OpenAIServer) -> None:
    """landmarks=false moves the directions into the first prompt instead of losing them."""
    helm_run("target-a", options=",landmarks=false,turns=1")
    assert server.of("user")
    for body in server.of("user"):
        assert all(f"landmark-{turn}-" in body["messages"][0]["content"] for turn in (2, 4, 6))


def test_polarity_flips_passed_and_nothing_else(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """Law 1: with the other type the same calls, the same answers, and every score turned round."""
    helm_run("target-a", suite="before")
    server.forget()
    builders.write_benchmark_folder(mini, builders.benchmark_with(type="negative"))
    helm_run("target-a", suite="after")
    assert server.requests == []
    before, after = (helm.verdicts(helm.run_folder(workdir, suite, "mini")) for suite in ("before", "after"))
    assert any(name.startswith("m01") for name in before)
    for name, verdict in before.items():
        flipped = {**verdict, "score": 1 - verdict["score"]} if name.startswith("m01") else verdict
        assert after[name] == flipped
