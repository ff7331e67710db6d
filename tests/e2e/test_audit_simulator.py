"""Review of the simulated user: planted faults are found, and the result without them is as worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.support import builders
from tests.support.commands import run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of

ROWS = [builders.scenario("m01", base) for base in range(1, 10)]
"""m01 passes when present. Scenario 9 is broken off by the target."""
PRESENT = {"target-a": {1, 2, 3, 4, 5, 6}, "target-b": {1, 2, 3, 4, 5}}
MAJOR = {("target-a", case) for case in (1, 2, 3)}
MINOR = {("target-b", 8)}
UNGROUNDED, UNREADABLE = ("target-a", 4), ("target-b", 7)


def answer(body: Body) -> Answer:
    """Answer in all roles; the simulated user's second message is faulty where it is planned."""
    words, model = text_of(body), body["model"]
    if model.startswith("user"):
        case = int(words.split("played-persona-m01_s00")[1][0])
        target = next((name for name in PRESENT if f"{name} replies" in words), "")
        fault = (
            "As an AI I know." if (target, case) in MAJOR else "Never mind." if (target, case) in MINOR else "Go on."
        )
        return f"Thought: t\nMessage: case {case}. {fault if target else 'Hello.'}"
    if model.startswith("reviewer"):
        return review(words)
    case = int(words.split("case ")[1][0])
    if model.startswith("judge"):
        target = next(name for name in PRESENT if f"{name} replies" in words)
        found = "present" if case in PRESENT[target] else "absent"
        return json.dumps({"justification": "So.", "evidence": [], "answer": found})
    return "" if case == 9 else f"{model} replies"


def review(words: str) -> str:
    """Return what the reviewer finds, with one invented quote and one answer that cannot be read."""
    task = words.split("What the player was told:")[1]
    target = next(name for name in PRESENT if f"{name} replies" in task)
    case = int(task.split("case ")[1][0])
    faults = []
    if "As an AI I know." in task:
        faults.append({"kind": "spoke_as_assistant", "turn": 2, "quote": "As an AI I know.", "severity": "major"})
    if "Never mind." in task:
        faults.append({"kind": "gave_up_early", "turn": 2, "quote": "Never mind.", "severity": "minor"})
    if (target, case) == UNGROUNDED:
        faults.append({"kind": "broke_persona", "turn": 1, "quote": "I am a script.", "severity": "major"})
    if (target, case) == UNREADABLE:
        return '{"faults": "none"}'
    return json.dumps({"faults": [{**fault, "why": "It does."} for fault in faults]})


def audit(folder: Path, server: OpenAIServer, *arguments: object, name: str = "s", ok: bool = True) -> Any:
    """Run impactbench audit simulator on a suite with reviewer-x."""
    return run_command("impactbench", "audit", "simulator", "--suite", name, "--reviewer", "litellm/openai/reviewer-x",
                       *arguments, cwd=folder, ok=ok, OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip


def test_planted_faults_are_found_and_taken_out(suite: Path, server: OpenAIServer) -> None:
    """target-a leads with 6/8 to 5/7; without the faulty conversations it is 3/5 to 5/7, and without any 5/6."""
    done = audit(suite, server, "--wide", "--out", "found.json")
    assert {body["model"] for body in server.requests} == {"reviewer-x"}
    assert len(server.requests) == 15 + 3, "sixteen conversations, one asked three times"
    found = json.loads((suite / "found.json").read_text())
    counts = {"benchmark": "all", "reviewed": 15, "unreviewed": 1, "major": 3, "any": 4, "marked": 0, "marked_any": 0}
    assert found["affected"][-1] == counts
    assert "The checks of the run marked 0 of 15 reviewed conversations" in done.stdout
    rates = {
        row["model"].rpartition("/")[2]: {
            column: (row[column], row[f"{column}_items"]) for column in ("all", "without_major", "without_any")
        }
        for row in found["pass_rates"]
    }
    assert rates == {
        "target-a": {"all": (6 / 8, 8), "without_major": (3 / 5, 5), "without_any": (3 / 5, 5)},
        "target-b": {"all": (5 / 7, 7), "without_major": (5 / 7, 7), "without_any": (5 / 6, 6)},
    }
    kinds = {row["fault"]: (row["major"], row["minor"], row["ungrounded"]) for row in found["kinds"]}
    assert (kinds["spoke_as_assistant"], kinds["gave_up_early"]) == ((3, 0, 0), (0, 1, 0))
    assert kinds["broke_persona"] == (0, 0, 1)
    faults = {(fault["run"].rpartition("_")[2], fault["conversation"], fault["quote"], fault["turn"], fault["grounded"])
              for fault in found["faults"]}  # fmt: skip
    assert faults == {
        *(("target-a", f"m01_s00{case}_v01", "As an AI I know.", 2, True) for case in (1, 2, 3)),
        ("target-b", "m01_s008_v01", "Never mind.", 2, True),
        ("target-a", "m01_s004_v01", "I am a script.", 1, False),
    }
    (unreviewed,) = found["unreviewed"]
    assert unreviewed["conversation"] == "m01_s007_v01"
    assert (unreviewed["reason"], unreviewed["problem"]) == ("judge_unparsable", 'the value of "faults" is not a list')
    assert "without major faults it changes: litellm/openai/target-b passes litellm/openai/target-a" in done.stdout
    assert "in 16 of 16 conversations" in done.stdout
    assert "2 conversations broke off and are unscored anyway." in done.stdout
    assert "16 of 16 reviews" in done.stderr


def test_a_repeat_costs_nothing_and_a_sample_costs_its_size(suite: Path, server: OpenAIServer) -> None:
    """A sample takes the same scenarios of both models; then all of them ask only for the rest; then nothing."""
    audit(suite, server, "--conversations", 6, "--out", "found.json")
    cases = [text_of(body).split("case ")[1][0] for body in server.requests if len(body["messages"]) == 2]
    assert len(cases) == 6
    assert len(set(cases)) == 3
    audit(suite, server)
    assert len(server.requests) == 15 + 3
    server.forget()
    audit(suite, server, "-n", 1)
    audit(suite, server, "--conversations", 6)
    assert server.requests == []


def test_the_reviewer_knows_the_persona_and_no_thoughts(suite: Path, server: OpenAIServer) -> None:
    """What the simulator was told, and the transcript; not what it thought, nor the verdict."""
    audit(suite, server, "--model", "litellm/openai/target-a", "-n", 1)
    words = next(text_of(body) for body in server.requests if "played-persona-m01_s001_v01" in text_of(body))
    for told in (
        "goal-m01_s001_v01",
        "hidden-m01_s001_v01",
        "landmark-2-m01_s001_v01",
        "setting-text",
    ):
        assert told in words
    for hidden in ("Thought: t", "definition-one", "Namepositive", "example-one-a", "neutral-persona", "judge"):
        assert hidden not in words
    assert len({str(body["seed"]) for body in server.requests}) == 8, "a seed for each conversation"


def test_nobody_is_reviewed_where_nobody_was_simulated(suite: Path, server: OpenAIServer) -> None:
    """Fixed messages are counted in a line of their own; a suite of them alone is refused before any call."""
    fixed = [{"id": f"m02_s00{n}", "metric_id": "m02", "messages": [f"Is case 1 right, number {n}?"]} for n in (1, 2)]
    builders.write_benchmark_folder(suite / "benchmarks/fixed", scenarios=fixed)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    entry = "impactbench:benchmark=fixed,judge=litellm/openai/judge-x,model=litellm/openai/target-a"
    for name in ("s", "alone"):
        run_command("helm-run", "--run-entries", entry, "--suite", name, "-m", 10, cwd=suite, **keys)
    server.forget()
    assert "2 conversations with fixed messages: there is no simulated user" in audit(suite, server, "--wide").stdout
    assert len(server.requests) == 15 + 3
    server.forget()
    done = audit(suite, server, name="alone", ok=False)
    assert done.returncode == 2
    assert "2 conversations with fixed messages and no simulated user" in done.stderr
    assert server.requests == []


def test_a_refused_key_ends_it_readably(suite: Path, server: OpenAIServer) -> None:
    """One message with the reviewer's name, few calls, no traceback, no file."""
    server.answer = lambda body: (401, {"error": {"message": "no"}})
    done = audit(suite, server, "-n", 2, "--out", "found.json", ok=False)
    assert done.returncode != 0
    assert "litellm/openai/reviewer-x: the key was refused (HTTP 401: no)" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(server.requests) <= 2
    assert not (suite / "found.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--conversations", "some"), "'some' is not a whole number"),
        (("--conversations", "0"), "0 must be at least 1"),
        (("--benchmark", "minni"), "Did you mean mini?"),
        (("--out", "no/where.json"), "There is no folder no"),
    ],
)
def test_a_mistake_is_explained(suite: Path, server: OpenAIServer, arguments: tuple[str, ...], words: str) -> None:
    """Before any call."""
    done = audit(suite, server, *arguments, ok=False)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert server.requests == []


def test_it_can_be_rehearsed(mini: Path, run: Run, workdir: Path) -> None:
    """Offline: the scripted user reads a faulty direction out, the scripted judge finds it."""
    landmarks = [{"turn": 2, "instruction": "As an AI, I would say so."}]
    rows = [builders.scenario("m01", 1, landmarks=landmarks), builders.scenario("m01", 2)]
    builders.write_benchmark_folder(mini, scenarios=rows)
    entry = "impactbench:benchmark=mini,turns=2,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/supportive"
    run("helm-run", "--run-entries", entry, "--suite", "s", "-m", 10)
    run("impactbench", "audit", "simulator", "--suite", "s", "--reviewer", "rehearsal/judge", "--out", "found.json")
    (fault,) = json.loads((workdir / "found.json").read_text())["faults"]
    assert (fault["kind"], fault["conversation"], fault["turn"]) == ("spoke_as_assistant", "m01_s001_v01", 2)
    assert run("impactbench", "audit", "--help").stdout.count("simulator")
