"""A provider changes a model under its old name: `drift` says whether it was the judge, the user or the target."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any

import pytest
import yaml

from tests.support import builders
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, text_of

JUDGE = "litellm/openai/judge-x"
RUN = ("impactbench", "run", "--models", "litellm/openai/target-a", "--user", "litellm/openai/user-x", "--judge", JUDGE,
       "--benchmarks", "mini", "--suite", "june", "--yes", "--no-report", "--references", 0)  # fmt: skip
BASES = range(1, 13)


class Provider:
    """Answers in three roles; each may be changed under its name. No two calls get quite the same words."""

    changed = ""

    def __call__(self, body: Body) -> Any:
        """Answer one call."""
        model, words = body["model"], text_of(body)
        noise = int(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest(), 16)
        if model.startswith("user"):
            said = " and ".join(["I think about it"] * (1 + noise % 4))
            return f"Message: {said}. {'Could you help me, please? What should I do?' * (self.changed == 'user')}"
        if model.startswith("target"):
            said = f"Well, {'yes ' * (1 + noise % 5)}that is so."
            return f"# Plan\n- {said}\n- **Then** see." if self.changed == "target" else said
        present = "clear case" in words or (self.changed == "judge" and "close call" in words)
        return json.dumps({"justification": "So.", "evidence": [], "answer": "present" if present else "absent",
                           "confidence": 90})  # fmt: skip


@pytest.fixture(scope="module")
def provider() -> Provider:
    """The models behind the server."""
    return Provider()


@pytest.fixture(scope="module")
def server(provider: Provider) -> Iterator[OpenAIServer]:
    """A server for all tests of this file."""
    running = OpenAIServer(provider)
    yield running
    running.close()


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Any:
    """Runs commands where a suite `june` has been run."""
    folder = tmp_path_factory.mktemp("drift")
    rows = [builders.scenario(metric, base, landmarks=[]) for metric in ("m01", "m02") for base in BASES]
    mini = builders.write_benchmark_folder(
        folder / "benchmarks/mini", {**builders.BENCHMARK, "scenario": {"turns": 1}}, scenarios=rows
    )
    golden = [
        {
            "metric": metric,
            "verdict": "present" if number % 2 else "absent",
            "transcript": [{"user": f"Case {number}?", "assistant": f"A {case} of {number}."}],
            "why": "It is.",
            **({"quote": f"A {case} of {number}."} if number % 2 else {}),
        }
        for metric in ("m01", "m02")
        for number in BASES
        for case in ("clear case" if number % 2 else "close call",)
    ]
    (mini / "golden.yaml").write_text(yaml.safe_dump(golden))
    runner = partial(run_command, cwd=folder, OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)
    runner.folder = folder  # type: ignore[attr-defined]
    runner.first = runner(*RUN)  # type: ignore[attr-defined]
    return runner


def anchors(command: Any, suite: str) -> Any:
    """Return the readings of a suite's anchors."""
    return json.loads((command.folder / f"benchmark_output/runs/{suite}/anchors.json").read_text())["records"]


def drift(command: Any, suite: str) -> tuple[str, dict[str, Any]]:
    """Return what is said of the suites `june` and another: what is printed, and part -> its row."""
    done = command("impactbench", "drift", "--suite", "june", "--suite", suite, "--wide", "--out", "drift.json")
    rows = json.loads((command.folder / "drift.json").read_text())["parts"]
    return done.stdout, {row["part"]: row for row in rows}


def changed(parts: dict[str, Any]) -> list[str]:
    """Return the parts that changed."""
    return [name for name, row in parts.items() if row["result"] == "changed"]


def of_anchors(server: OpenAIServer) -> list[Body]:
    """Return the calls about golden transcripts."""
    return [body for body in server.of("judge") if re.search(r"(clear case|close call) of", text_of(body))]


def test_a_run_reads_its_anchor_set(command: Any, server: OpenAIServer) -> None:
    """It is in the plan, in the costs and in the suite's folder."""
    assert "anchors   24 transcripts with known verdicts, 72 calls to judges, of unknown price" in command.first.stdout
    assert "Anchors: litellm/openai/judge-x answered 24 of 24" in command.first.stderr
    (reading,) = anchors(command, "june")
    assert reading["judges"] == [JUDGE]
    assert reading["served"] == {JUDGE: ["judge-x"]}
    assert [len(item["answers"]["plain"]) for item in reading["items"]] == [3] * 24
    assert {vote["confidence"] for item in reading["items"] for vote in item["votes"][JUDGE]} == {0.9}
    assert len(of_anchors(server)) == len({json.dumps(body, sort_keys=True) for body in of_anchors(server)}) == 72
    command("impactbench", "costs", "--suite", "june", "--out", "costs.json")
    total = json.loads((command.folder / "costs.json").read_text())["total"][0]
    assert total["calls"] == 24 * 3 + 72 == len(server.requests)


def test_a_judge_that_changed_is_named(command: Any, server: OpenAIServer, provider: Provider) -> None:
    """Judging the same words again costs the anchor set alone, and shows it; the direction is that of its errors."""
    server.forget()
    provider.changed = "judge"
    command("impactbench", "rejudge", "--suite", "june", "--judge", JUDGE, "--to-suite", "judged-again")
    provider.changed = ""
    assert len(server.requests) == len(of_anchors(server)) == 72
    printed, found = drift(command, "judged-again")
    assert changed(found) == ["judge"]
    assert (found["judge"]["accuracy_before"], found["judge"]["accuracy_after"]) == (1.0, 0.5)
    assert "Judge: changed. Its answers to 24 anchors differ by 50.0% between the suites, and by 0.0% within" in printed
    assert "What changed is the judge. A difference between the suites is not the model's alone." in printed


def test_a_target_that_changed_is_named(command: Any, provider: Provider) -> None:
    """In a fresh replicate: the same cases, every model asked again, and the words of its replies show it."""
    provider.changed = "target"
    command(*RUN, "--fresh")
    provider.changed = ""
    printed, found = drift(command, "june-fresh2")
    assert changed(found) == ["target"]
    assert found["target"]["models"] == ["litellm/openai/target-a"]
    assert found["simulated user"]["identical"] < 1
    assert "What changed is the target" in printed
    assert "a difference between the suites is the model's." in printed
    assert "The suites have no case in common" not in printed


def test_a_simulated_user_that_changed_is_named(command: Any, provider: Provider) -> None:
    """What the target then says answers other words, so nothing is said about it."""
    provider.changed = "user"
    command(*RUN, "--fresh")
    provider.changed = ""
    printed, found = drift(command, "june-fresh3")
    assert changed(found) == ["simulated user"]
    assert (found["target"]["result"], found["target"]["reason"]) == (
        "too few cases",
        "its replies answer other opening messages",
    )
    assert "What changed is the simulated user." in printed
    assert "Whether the target changed could not be tested." in printed


def test_a_suite_that_grows_later_is_read_again(command: Any, server: OpenAIServer) -> None:
    """A reading speaks for a week; after that, what was judged since needs one of its own. No call is made twice."""
    path = command.folder / "benchmark_output/runs/june/anchors.json"
    kept = path.read_text()
    today = json.loads(kept)["records"][0]["began"]
    path.write_text(kept.replace(today, "2026-01-05"))
    server.forget()
    command(*RUN)
    assert len(server.requests) == len(of_anchors(server)) == 0  # the seeds of today's reading are in the cache
    assert [reading["began"] for reading in anchors(command, "june")] == ["2026-01-05", today]
    assert date.fromisoformat(today) > date(2026, 1, 12)


def test_a_budget_that_is_used_up_costs_the_anchors_and_nothing_else(command: Any, server: OpenAIServer) -> None:
    """The finished run is shown all the same; `anchors --suite S` makes up for it, and for a plain helm-run."""
    path = command.folder / "benchmarks/mini/golden.yaml"
    path.write_text(path.read_text().replace("Case 3?", "Case three?"))
    server.forget()
    free = [part for name in ("target-a", "user-x") for part in ("--free", f"litellm/openai/{name}")]
    done = command(*RUN, "--budget", "1", *free, "--price", f"{JUDGE}=9000,9000")
    assert "The anchors were not all read, so a change of the judge is not noticed" in done.stderr
    assert "the budget of $1.00" in done.stderr
    assert re.search(r"Models on .*, best first.*\n(.*\n)+.* [01]\.\d{3} ", done.stdout)
    assert server.requests == []
    refused = command("impactbench", "anchors", "--judge", "litellm/openai/judge-y", "--suite", "june", ok=False)
    assert (refused.returncode, "judged nothing in suite june; its judges: " + JUDGE in refused.stderr) == (2, True)
    done = command("impactbench", "anchors", "--judge", JUDGE, "--suite", "june")
    assert len(server.requests) == 2 * 3
    assert re.search(rf"{JUDGE} +{date.today().year}.* +26 +\d+ of \d+ +0%", done.stdout)
