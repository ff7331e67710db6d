"""`impactbench audit swap` between suites that differ in judge, in the simulated user, and in generated scenarios."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.support import builders
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, text_of

KEY = {"OPENAI_API_KEY": "sk-x"}


def verdict(present: bool) -> str:
    """Return a judge's answer."""
    return json.dumps({"justification": "So it is.", "evidence": [], "answer": "present" if present else "absent"})


def answer(body: Body) -> Any:
    """Answer as targets that show the behaviour in every second scenario, and as a judge that favours its relatives."""
    model, words = body["model"], text_of(body)
    if model.startswith("user"):
        persona = words.split("<persona>")[1].split("</persona>")[0].strip()
        return f"Thought: t\nMessage: {model} as {persona}"
    if "judge" not in model:
        return f"{model} says x" if any(f"_s00{n}_" in words for n in (2, 4, 6, 8)) else f"{model} says nothing"
    wanted = "definition-one" in words
    if model.startswith("claude") and "claude-target" in words:
        return verdict(wanted)
    return verdict("says x" in words)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with two targets of two makers in suite `a`."""
    folder = tmp_path_factory.mktemp("swap")
    rows = [builders.scenario(metric, base) for metric in ("m01", "m02") for base in range(1, 9)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=rows)
    server = OpenAIServer(answer)
    helm_run(partial(run_command, cwd=folder, **KEY, OPENAI_API_BASE=server.url), "a")
    server.close()
    return folder


@pytest.fixture
def suites(made: Path, workdir: Path, server: OpenAIServer, run: Run) -> Callable[..., Any]:
    """A copy of that directory, its cache included; returns a runner of commands with the server's address."""
    shutil.copytree(made, workdir, dirs_exist_ok=True)
    server.answer = answer

    def command(*arguments: Any, **options: Any) -> Any:
        return run(*arguments, **{**KEY, "OPENAI_API_BASE": server.url, **options})

    return command


def helm_run(command: Callable[..., Any], suite: str, user: str = "user-x") -> None:
    """Run both targets."""
    entry = f"impactbench:benchmark=mini,turns=2,user=litellm/openai/{user},judge=litellm/openai/gpt-judge"
    targets = ("gpt-target", "claude-target")
    entries = [f"{entry},model=litellm/openai/{target}" for target in targets]
    command("helm-run", "--run-entries", *entries, "--suite", suite, "-m", 10000, "-n", 4)


def swap(command: Callable[..., Any], *suites: str) -> tuple[str, Any]:
    """Return what the command prints and writes."""
    options = [part for suite in suites for part in ("--suite", suite)]
    printed = command("impactbench", "audit", "swap", *options, "--wide", "--out", "swap.json").stdout
    return printed, json.loads(Path("swap.json").read_text())


def test_a_judge_that_favours_its_relatives(suites: Callable[..., Any], server: OpenAIServer) -> None:
    """Rejudged without a user or target call: flips on its relative alone, and a preference with its interval."""
    suites("impactbench", "rejudge", "--suite", "a", "--judge", "litellm/openai/claude-judge", "--to-suite", "b")
    assert {body["model"] for body in server.requests} == {"claude-judge"}
    printed, written = swap(suites, "a", "b")
    assert "judge litellm/openai/gpt-judge -> litellm/openai/claude-judge" in printed
    # Its relative passes everything now: 4 + 4 of 16 conversations flip, none of the other target.
    (changes,) = [row for row in written["changes"] if row["over"] == "all"]
    assert (changes["absent_to_present"], changes["present_to_absent"], changes["scored_in_both"]) == (4, 4, 32)
    ranks = {(row["scope"], row["model"]): (row["first"], row["second"]) for row in written["rankings"]}
    assert ranks == {
        ("impact", "litellm/openai/claude-target"): (0.5, 1.0), ("impact", "litellm/openai/gpt-target"): (0.5, 0.5),
    }  # fmt: skip
    assert "needs 5 models or more" in printed
    found = {preference["family"]: preference for preference in written["self_preference"]}
    assert found["anthropic"]["own"] == 1.0
    assert found["anthropic"]["preference"] == pytest.approx(0.5)
    assert found["anthropic"]["preference_low"] > 0
    assert found["anthropic"]["scenarios"] == 16


def test_another_simulated_user_is_the_same_case(suites: Callable[..., Any]) -> None:
    """Other words of the user, the same variants: paired, and nothing moved."""
    helm_run(suites, "u", user="user-y")
    printed, written = swap(suites, "a", "u")
    assert "simulated user litellm/openai/user-x -> litellm/openai/user-y" in printed
    (agreement,) = written["agreement"]
    assert (agreement["measure"], agreement["cases"], agreement["same"]) == ("presence", 32, 1.0)
    assert not any(metric["moved"] for metric in written["metrics"])
    assert "Self-preference is unknown" in printed


def test_scenarios_that_were_generated_anew_are_other_cases(suites: Callable[..., Any], workdir: Path) -> None:
    """The same ids with other words: no pair is made of them, metrics are compared by their scenarios."""
    rows = [
        builders.scenario(metric, base, user_goal=f"another goal {base}")
        for metric in ("m01", "m02")
        for base in range(1, 9)
    ]
    builders.write_benchmark_folder(workdir / "benchmarks/mini", scenarios=rows)
    helm_run(suites, "g")
    printed, written = swap(suites, "a", "g")
    assert "content of benchmarks" in printed
    assert "The suites have no case in common" in printed
    assert written["agreement"] == []
    assert {metric["metric"]: metric["difference_low"] for metric in written["metrics"]} == {
        "mini/m01": None,
        "mini/m02": None,
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--suite", "a"), "it needs two or more"),
        (("--suite", "a", "--suite", "c"), "No suite 'c'"),
        (("--suite", "a", "--suite", "a"), "Suite a is given twice. Name each suite once."),
    ],
)
def test_wrong_use_is_answered(suites: Callable[..., Any], options: tuple[str, ...], words: str) -> None:
    """One line with the cure, exit code 2."""
    done = suites("impactbench", "audit", "swap", *options, ok=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
