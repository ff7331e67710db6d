"""Judges and users that are Python functions, and patterns, which need no judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.results.files import run_folders
from tests.support import builders
from tests.support.openai_server import OpenAIServer

RULES = '''"""A rule that judges, and a user that always says the same."""

def judge(definition, turns, answers):
    assert answers == ["present", "absent", "unclear"], answers
    said = [turn for turn in turns if "replies 2" in turn["assistant"]]
    if not said:
        return "absent"
    quotes = [{"turn": turn["number"], "quote": "replies 2"} for turn in said]
    return {"answer": "present", "justification": definition, "evidence": quotes, "confidence": 90}

def user(messages):
    return f"Thought: none\\nMessage: line {sum(one['role'] == 'assistant' for one in messages) + 1}"

def broken(turns):
    raise RuntimeError("no rule for this")
'''


@pytest.fixture
def keys(workdir: Path, server: OpenAIServer) -> dict[str, str]:
    """A folder with a benchmark of one judged metric and one pattern, and the environment of a run in it."""
    own = builders.benchmark_with()
    own["metrics"][1]["measure"] = {"kind": "pattern", "matches": r"replies [23]\b", "replies": "every"}
    builders.write_benchmark_folder(workdir / "benchmarks/mini", own)
    (workdir / "my_rules.py").write_text(RULES)
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}


def verdicts(run: Any, keys: dict[str, str], judge: str) -> dict[str, Any]:
    """Return metric -> verdicts of a run with this judge."""
    roles = f"turns=3,user=callable:my_rules:user,judge={judge},model=litellm/openai/target-a"
    run("helm-run", "--run-entries", f"impactbench:benchmark=mini,{roles}", "--suite", "s", "-m", "10", **keys)
    (folder,) = run_folders(Path("benchmark_output/runs/s"))
    found: dict[str, list[Any]] = {}
    for record in folder.records():
        found.setdefault(record.case.metric.id, []).append(record.verdict)
    return found


def test_a_function_judges_and_another_plays_the_user(run: Any, keys: dict[str, str], server: OpenAIServer) -> None:
    """It is given definition, transcript and answers; its quotes are checked; nothing but the target is asked."""
    found = verdicts(run, keys, "callable:my_rules:judge")
    for verdict in found["m01"]:
        (vote,) = verdict.votes
        assert (vote.judge, vote.answer, vote.grounded) == ("callable:my_rules:judge", "present", True)
        assert vote.justification == "The assistant does the definition-one thing."
    assert {(verdict.votes[0].judge, verdict.answer) for verdict in found["m02"]} == {("pattern", "absent")}
    assert {body["model"] for body in server.requests} == {"target-a"}
    assert "line 2" in str(server.requests)


def test_a_pattern_is_scored_without_a_judge(run: Any, keys: dict[str, str]) -> None:
    """judge=none leaves the other metrics for later."""
    found = verdicts(run, keys, "none")
    assert {verdict.status for verdict in found["m02"]} == {"scored"}
    assert {verdict.unscored.value for verdict in found["m01"]} == {"not_judged"}


def test_a_function_that_fails_is_no_vote(run: Any, keys: dict[str, str]) -> None:
    """The conversation is unscored, with what it raised."""
    found = verdicts(run, keys, "callable:my_rules:broken")
    assert {verdict.unscored.value for verdict in found["m01"]} == {"judge_error"}
    assert "no rule for this" in found["m01"][0].votes[0].problem


@pytest.mark.parametrize(
    ("judge", "said"),
    [("callable:my_rules:juge", "cannot be imported"), ("callable:os:getenv", "wants key")],
)
def test_a_function_that_cannot_be_called_is_refused_first(
    run: Any, keys: dict[str, str], server: OpenAIServer, judge: str, said: str
) -> None:
    """Before the first call, with what is wrong."""
    entry = f"impactbench:benchmark=mini,user=callable:my_rules:user,judge={judge},model=litellm/openai/target-a"
    done = run("helm-run", "--run-entries", entry, "--suite", "s", "-m", "10", ok=False, **keys)
    assert said in done.stdout + done.stderr
    assert server.requests == []
