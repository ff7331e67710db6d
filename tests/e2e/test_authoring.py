"""The authoring commands as processes: offline, against a faulty server, killed at any moment, after an edit."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.author import author
from tests.conftest import Run
from tests.support import helm
from tests.support.commands import BIN, command_environment, run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of

ABOUT = "How an assistant treats people in matters of money."
MODEL = "litellm/openai/author-x"
FILES = ("benchmark.yaml", "scenarios.json", "generation.json", "rejected.json")


def scripted(body: Body) -> str:
    """Answer as the scripted author does."""
    return author([Message(message["role"], message["content"]) for message in body["messages"]])


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a benchmark."""
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}


@pytest.fixture
def authored(run: Run, server: OpenAIServer) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs an authoring command against the loopback server."""
    server.answer = scripted

    def runner(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return run("impactbench", *arguments, "--author", MODEL, OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url,
                   **options)  # fmt: skip

    return runner


def test_from_a_name_to_a_leaderboard_offline(run: Run, workdir: Path) -> None:
    """new, gen-metrics, gen-scenarios, helm-run: in an empty directory, with the scripted models."""
    run("impactbench", "new", "demo", "--description", ABOUT)
    planned = run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", "--dry-run").stdout
    assert "12 metrics to write (6 positive, 6 negative), 2 to 24 calls" in planned
    assert "metrics" not in (yaml.safe_load((workdir / "benchmarks/demo/benchmark.yaml").read_text()))
    written = run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author")
    assert "\n2 calls, " in written.stdout
    assert written.stdout.endswith("\nNext: impactbench gen-scenarios demo --author rehearsal/author\n")
    assert "rehearsal/author is a script: what it writes comes from a stock of sentences" in written.stderr
    made = run("impactbench", "gen-scenarios", "demo", "--author", "rehearsal/author", "--held-out", "0.34").stdout
    assert "72 variants written" in made
    assert "Similarity (TF-IDF cosine): mean 0." in made
    assert made.endswith("\nNext: impactbench check demo\n")
    checked = "demo: ok\nNext: impactbench run --benchmarks demo --models ...\n"
    assert run("impactbench", "check", "demo").stdout == checked
    entry = "impactbench:benchmark=demo,turns=1,user=rehearsal/user,judge=rehearsal/judge"
    entries = (f"{entry},model=rehearsal/supportive", f"{entry},split=held_out,model=rehearsal/harmful")
    run("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 1000)
    assert helm.total(helm.run_folder(workdir, "s", "supportive"), "pass_rate") == (72, 72)
    assert helm.total(helm.run_folder(workdir, "s", "harmful"), "pass_rate") == (0, 24)


def test_provenance_canary_and_refused_drafts_are_kept(run: Run, workdir: Path) -> None:
    """Every scenario says how it was made; every refused draft says why."""
    run("impactbench", "new", "demo", "--description", ABOUT)
    for phase in ("gen-metrics", "gen-scenarios"):
        run("impactbench", phase, "demo", "--author", "rehearsal/author", "--seed", 7)
    folder = workdir / "benchmarks/demo"
    rows = json.loads((folder / "scenarios.json").read_text())
    canary = yaml.safe_load((folder / "benchmark.yaml").read_text())["canary"]
    for row in rows:
        assert row["canary"] == canary
        assert row["provenance"]["model"] == "rehearsal/author"
        assert row["provenance"]["seed"] == 7
        assert len(row["provenance"]["metric_digest"]) == len(row["provenance"]["prompt_digest"]) == 64
    rejected = json.loads((folder / "rejected.json").read_text())["gen_scenarios"]
    assert any("states an age ('30-year-old')" in entry["problem"] for entry in rejected)
    record = json.loads((folder / "generation.json").read_text())
    assert record["diversity"]["texts"] == 36
    assert record["cost"]["gen_scenarios"]["total"]["cost"] == 0.0


def test_hand_written_metrics_survive_and_ids_go_on(run: Run, workdir: Path) -> None:
    """Three commented metrics stay as they are; --replace takes them, keeps a backup, and does not reuse their ids."""
    run("impactbench", "new", "demo", "--name", "Mine: a name", "--description", "About money and people.")
    path = workdir / "benchmarks/demo/benchmark.yaml"
    mine = path.read_text().split("# One observable behaviour each.")[0] + (
        "metrics:\n"
        + "".join(
            f"  # my note {i}\n  - id: m0{i}\n    name: Ask about thing {i}   # kept\n    type: positive\n"
            f"    definition: In at least one turn the assistant asks about thing number {i} by its colour.\n"
            for i in (1, 2, 3)
        )
        + "# the end\n"
    )
    path.write_text(mine)
    run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", "--count", 8)
    edited = path.read_text()
    remaining = iter(edited.splitlines())
    assert all(line in remaining for line in mine.splitlines())
    metrics = yaml.safe_load(edited)["metrics"]
    assert [metric["id"] for metric in metrics] == [f"m{i:02d}" for i in range(1, 9)]
    assert sum(metric["type"] == "positive" for metric in metrics) == 4
    again = run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", "--count", 8).stdout
    assert "0 metrics to write" in again
    assert path.read_text() == edited
    run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", "--count", 2, "--replace")
    assert (path.parent / "benchmark.yaml.bak1").read_text() == edited
    assert [metric["id"] for metric in yaml.safe_load(path.read_text())["metrics"]] == ["m09", "m10"]


def test_an_edited_definition_makes_its_scenarios_stale(authored: Any, server: OpenAIServer, workdir: Path) -> None:
    """check names them, --stale renews only those, and nothing else changes or is called."""
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=workdir)
    authored("gen-metrics", "demo", "--count", 4)
    authored("gen-scenarios", "demo", "--per-metric", 2)
    folder = workdir / "benchmarks/demo"
    before = {row["id"]: row for row in json.loads((folder / "scenarios.json").read_text())}
    content = yaml.safe_load((folder / "benchmark.yaml").read_text())
    content["metrics"][1]["definition"] = content["metrics"][1]["definition"].replace("In at least one", "In one")
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    checked = run_command("impactbench", "check", "demo", cwd=workdir).stdout
    assert checked.count("stale: scenario m02_") == 4
    assert "demo: 0 errors, 4 warnings" in checked
    server.forget()
    authored("gen-scenarios", "demo", "--stale")
    assert server.requests
    assert all(content["metrics"][1]["definition"].strip() in text_of(body) for body in server.requests
               if "<behaviour>" in text_of(body))  # fmt: skip
    after = {row["id"]: row for row in json.loads((folder / "scenarios.json").read_text())}
    assert list(after) == list(before)
    assert {name for name in after if after[name] != before[name]} == {name for name in after if name.startswith("m02")}


def test_experts_seeds_axes_and_system_prompts_arrive(authored: Any, server: OpenAIServer, workdir: Path) -> None:
    """A seed stands in the prompt and in the provenance; axes multiply; a system prompt is asked for and kept."""
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=workdir)
    (workdir / "seeds.csv").write_text("situation,notes,author\nA quarrel at a well,keep it dry,Dr Ode\n")
    authored("gen-metrics", "demo", "--count", 2)
    server.forget()
    authored("gen-scenarios", "demo", "--per-metric", 1, "--situations", "seeds.csv", "--system-prompts", "--quota", 3,
             "--axis", "age=child (6-12)|adult (18+)", "--axis", "place=rural|urban")  # fmt: skip
    assert any("A quarrel at a well" in text_of(body) and "keep it dry" in text_of(body) for body in server.requests)
    rows = json.loads((workdir / "benchmarks/demo/scenarios.json").read_text())
    assert len(rows) == 2 * 3
    assert {row["provenance"].get("seed_author") for row in rows} == {"Dr Ode", None}
    assert all(row["target_system_prompt"] and set(row["axes"]) == {"age", "place"} for row in rows)


def test_a_faulty_provider_costs_no_valid_item(authored: Any, server: OpenAIServer, workdir: Path) -> None:
    """429 with Retry-After, 500, broken, wrapped and repeated answers: what is valid is kept, the rest is listed."""
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=workdir)
    rng, seen, lock = random.Random(3), {}, threading.Lock()

    def faulty(body: Body) -> Answer:
        with lock:
            count = seen[text_of(body)] = seen.get(text_of(body), 0) + 1
            kind = rng.choice(["ok", "429", "500", "slow", "prose", "fence", "cut", "empty", "ids"])
        if "This cannot be used" in text_of(body):
            return scripted(body)
        if "Write one scenario" in text_of(body) and "Name a person who knows more" in text_of(body):
            return 500, {"error": {"message": "always broken"}}
        good = scripted(body)
        if count == 1 and kind == "slow":
            time.sleep(3)  # longer than the client waits
        if kind == "ids" and good.startswith("["):
            good = json.dumps([{"id": "m01", **item} for item in json.loads(good)])
        if count == 1 and kind in ("429", "500"):
            return int(kind), {"error": {"message": "later"}}
        return {"prose": f"Here you are:\n{good}\nEnjoy!", "fence": f"```json\n{good}\n```",
                "cut": good[: int(len(good) * 0.8)] if count == 1 else good,
                "empty": "" if count == 1 else good}.get(kind, good)  # fmt: skip

    server.answer = faulty
    authored("gen-metrics", "demo", "--count", 6, IMPACTBENCH_TIMEOUT="1")
    done = authored("gen-scenarios", "demo", "--per-metric", 2, ok=False, IMPACTBENCH_TIMEOUT="1")
    assert done.returncode == 1
    assert "run the same command again" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    folder = workdir / "benchmarks/demo"
    rows = json.loads((folder / "scenarios.json").read_text())
    names = {m["id"]: m["name"] for m in yaml.safe_load((folder / "benchmark.yaml").read_text())["metrics"]}
    broken = next(name for name, shown in names.items() if shown == "Name a person who knows more")
    assert {row["metric_id"] for row in rows} == set(names) - {broken}
    rejected = json.loads((folder / "rejected.json").read_text())["gen_scenarios"]
    assert any(f"base scenario {broken}_s001" in entry["what"] and "HTTP 500" in entry["problem"] for entry in rejected)
    assert any("JSON" in entry["problem"] or "empty" in entry["problem"] for entry in rejected)
    server.answer = scripted
    authored("gen-scenarios", "demo", "--per-metric", 2)
    rows = json.loads((folder / "scenarios.json").read_text())
    assert len(rows) == 6 * 2 * 2
    assert len({row["id"] for row in rows}) == len(rows)


def test_the_reviewers_reason_goes_back_to_the_author(authored: Any, server: OpenAIServer, workdir: Path) -> None:
    """A refused draft is written again with the reason; after three times it is listed and the rest goes on."""
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=workdir)
    authored("gen-metrics", "demo", "--count", 2)
    refused: list[str] = []

    def strict(body: Body) -> Answer:
        words = text_of(body)
        if "Review one scenario" not in words or "Avoid" in words.split("</behaviour>")[0]:
            return scripted(body)
        refused.append(words)
        flags = dict.fromkeys(("plausible", "pressure", "no_leak", "matches_demographic"), True)
        return json.dumps({"isolates": False, **flags, "reason": "It also tests patience."})

    server.answer = strict
    server.forget()
    done = authored("gen-scenarios", "demo", "--per-metric", 1, ok=False)
    assert done.returncode == 1
    assert len(refused) == 1, "the scripted author writes the same again, and the same draft is not reviewed twice"
    feedback = [text_of(body) for body in server.requests if "It also tests patience." in text_of(body)]
    assert len(feedback) == 2
    assert all("This cannot be used: reviewer: isolates: It also tests patience." in words for words in feedback)
    folder = workdir / "benchmarks/demo"
    assert {row["metric_id"] for row in json.loads((folder / "scenarios.json").read_text())} == {"m02"}
    listed = json.loads((folder / "rejected.json").read_text())["gen_scenarios"]
    assert [entry["what"] for entry in listed] == ["base scenario m01_s001"] * 3


def test_retry_after_is_honoured(run: Run, server: OpenAIServer, workdir: Path) -> None:
    """The provider's wish decides when it is longer than our own waiting."""
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=workdir)
    times: list[float] = []

    def busy(body: Body) -> Answer:
        times.append(time.monotonic())
        return (429, {"error": {"message": "slow down"}}) if len(times) == 1 else scripted(body)

    server.answer, server.retry_after = busy, 4
    run("impactbench", "gen-metrics", "demo", "--count", 2, "--author", MODEL, OPENAI_API_KEY="sk-test",
        OPENAI_API_BASE=server.url, IMPACTBENCH_MAX_WAIT="30")  # fmt: skip
    assert 4 <= times[1] - times[0] < 10


def test_an_interruption_ends_at_once_and_says_how_to_go_on(tmp_path: Path, server: OpenAIServer) -> None:
    """Ctrl-C: the other threads stop at their next call instead of finishing their chains."""

    def slow(body: Body) -> str:
        time.sleep(0.5)
        return scripted(body)

    server.answer = slow
    folder = _prepared(tmp_path / "interrupted", "gen-scenarios")
    command = [
        str(BIN / "impactbench"),
        "gen-scenarios",
        "demo",
        "--author",
        MODEL,
        "--per-metric",
        "6",
        "--num-threads",
        "4",
    ]
    environment = command_environment(OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)  # fmt: skip
    deadline = time.monotonic() + 60
    while len(server.requests) < 6 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    sent = len(server.requests)
    output, _ = process.communicate(timeout=60)
    assert len(server.requests) <= sent + 4  # one call of each thread; whole chains would be some thirty calls more
    assert process.returncode == 130
    assert output.count("impactbench: stopping. Waiting up to 600 s for ") == 1
    assert "Traceback" not in output
    assert "Error" not in output
    assert not (folder / "benchmarks/demo/scenarios.json").exists()


KILLS = int(os.environ.get("IMPACTBENCH_KILLS", "2"))
GRACE = 1.0
"""Seconds that an answer has to be stored before a kill: an answer that was still on its way was not finished."""


@pytest.mark.parametrize("phase", ["gen-metrics", "gen-scenarios"])
def test_killed_at_random_moments_it_ends_with_the_same_bytes(phase: str, tmp_path: Path, server: OpenAIServer) -> None:
    """SIGKILL, and again: the files are those of an undisturbed run, and no finished call was made twice."""
    finished: dict[str, list[tuple[float, float]]] = {}
    lock = threading.Lock()

    def slow(body: Body) -> str:
        began = time.monotonic()
        time.sleep(0.05)
        with lock:
            finished.setdefault(f"{body['seed']} {text_of(body)}", []).append((began, time.monotonic()))
        return scripted(body)

    server.answer = slow
    command = ["impactbench", phase, "demo", "--author", MODEL, "--seed", "3"]
    command += ["--count", "12"] if phase == "gen-metrics" else ["--per-metric", "2", "--num-threads", "4"]
    given = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    folders = [_prepared(tmp_path / name, phase) for name in ("calm", "killed")]
    run_command(*command, cwd=folders[0], **given)
    calls = len(finished)
    finished.clear()
    rng, kills = random.Random(11), []
    for _ in range(KILLS):
        wanted = len(finished) + rng.randint(0, max(1, calls // KILLS))
        process = subprocess.Popen([str(BIN / command[0]), *command[1:]], cwd=folders[1],
                                   env=command_environment(**given), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        deadline = time.monotonic() + rng.uniform(2, 6)
        while len(finished) <= wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        kills.append(time.monotonic())
        process.wait()
    run_command(*command, cwd=folders[1], **given)
    assert contents(folders[1] / "benchmarks/demo") == contents(folders[0] / "benchmarks/demo")
    asked_again = [span for spans in finished.values() for span in spans[:-1]]
    # A call that was asked for again had not been answered when the process was killed, or only just.
    assert [s for s in asked_again if not any(s[0] <= kill <= s[1] + GRACE for kill in kills)] == []
    assert len(finished) == calls


def _prepared(folder: Path, phase: str) -> Path:
    """Return a working directory with a fixed benchmark that has metrics if the phase needs them."""
    folder.mkdir()
    run_command("impactbench", "new", "demo", "--description", ABOUT, cwd=folder)
    path = folder / "benchmarks/demo/benchmark.yaml"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "canary:" not in line))
    if phase == "gen-scenarios":
        run_command("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", "--count", 4, cwd=folder)
    return folder


def test_an_estimate_is_near_what_a_run_takes(run: Run, server: OpenAIServer, workdir: Path) -> None:
    """With replies of realistic and varying lengths, counted by the server: within 20% for tokens and dollars."""
    import litellm

    rng = random.Random(5)

    def words(low: int, high: int) -> str:
        vocabulary = [
            "the",
            "a",
            "we",
            "people",
            "morning",
            "could",
            "letter",
            "because",
            "window",
            "quite",
            "remember",
            "never",
            "bring",
            "small",
            "after",
        ]
        return " ".join(rng.choice(vocabulary) for _ in range(rng.randint(low, high)))

    def answer(body: Body) -> Answer:
        if "judge" in text_of(body)[:200] or "JSON object" in text_of(body)[-200:]:
            said = json.dumps({"justification": words(60, 120), "evidence": [], "answer": "absent", "severity": None})
        elif "You play one person" in text_of(body):
            said = f"Thought: {words(15, 35)}\nMessage: {words(20, 60)}"
        else:
            said = words(120, 300)
        sent = litellm.token_counter(model="gpt-4o", messages=body["messages"])
        written = litellm.token_counter(model="gpt-4o", text=said)
        return {"content": said, "usage": {"prompt_tokens": sent, "completion_tokens": written}}

    server.answer = answer
    entry = ("impactbench:benchmark=emotional-dependence,metric=m01,pilot=3,user=litellm/openai/gpt-4o-mini,"
             "judge=litellm/openai/gpt-4.1,model=litellm/openai/gpt-4o")  # fmt: skip
    run("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, OPENAI_API_KEY="sk-test",
        OPENAI_API_BASE=server.url)  # fmt: skip
    shown = run("impactbench", "estimate", entry, "--against", "s").stdout
    calls = re.search(r"1 run, 6 conversations, (\d+) calls", shown)
    assert calls
    assert len(server.requests) == int(calls[1])
    ratios = [line.split() for line in shown.splitlines() if line.split()[:1] in (["user"], ["target"], ["judge"])]
    compared = {(row[0], row[1]): float(row[-1]) for row in ratios if len(row) == 5}
    assert len(compared) == 9
    sums: dict[str, list[float]] = {}
    for row in ratios:
        if len(row) == 5:
            for i in (2, 3):
                sums.setdefault(row[1], [0.0, 0.0])[i - 2] += float(row[i].replace(",", ""))
    assert {what: pytest.approx(1, abs=0.2) for what in sums} == {what: a / b for what, (a, b) in sums.items()}
