"""A release is judged by its own answers: two servers behind one name, one cache, and who was asked what."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench import load_suite
from helm_impactbench.suites.registry import suite_runs
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


def test_a_release_of_a_deployment_or_of_a_study_s_model(
    folder: Path, people: OpenAIServer, releases: tuple[OpenAIServer, OpenAIServer]
) -> None:
    """Both name the run's release; users and judges of that deployment are asked as without one."""
    first, _ = releases
    place = folder / "prod_env/model_deployments.yaml"
    data = yaml.safe_load(place.read_text())
    target = {**data["model_deployments"][0]["client_spec"]["args"], "litellm_model": "openai/target-b",
              "api_base": first.url, "release": "v7"}  # fmt: skip
    client = data["model_deployments"][0]["client_spec"]["class_name"]
    data["model_deployments"].append({"name": "own/chat", "client_spec": {"class_name": client, "args": target}})
    data["model_deployments"][1]["client_spec"]["args"]["release"] = "j1"
    place.write_text(yaml.safe_dump(data))
    study = {
        "models": ["own/chat", {"name": "own/chat", "release": "v8"}], "user": "own/user", "judge": "own/judge",
        "benchmarks": "mini", "options": {"turns": 1}, "references": 0,
    }  # fmt: skip
    (folder / "mine.yaml").write_text(yaml.safe_dump(study))
    told = run_command("impactbench", "run", "mine.yaml", "--no-report", cwd=folder, OPENAI_API_KEY="sk-test").stdout
    assert "2 models x 1 run entry: 8 conversations" in told
    assert len(first.requests) == 2 * CONVERSATIONS
    rows = load_suite("mine", folder / "benchmark_output").rates("overall")["rates"].rows
    assert [row["model"] for row in rows] == ["own/chat@v7", "own/chat@v8"]
    judged = len(people.of("judge"))
    data["model_deployments"][1]["client_spec"]["args"]["release"] = "j2"
    place.write_text(yaml.safe_dump(data))
    run_command("impactbench", "run", "mine.yaml", "--no-report", cwd=folder, OPENAI_API_KEY="sk-test")
    assert (len(people.of("judge")), len(first.requests)) == (judged, 2 * CONVERSATIONS)


def test_a_named_release_is_asked_itself_and_nobody_else_anew(
    folder: Path, people: OpenAIServer, releases: tuple[OpenAIServer, OpenAIServer]
) -> None:
    """Release 2 behind the same name, with release 1's cache: it gets every target call, and the openings stay."""
    first, second = releases
    run(folder, first, "old", "--release", "r1")
    asked = len(first.requests)
    people.forget()
    told = run(folder, second, "new", "--release", "r2").stdout
    assert f"  tested    {TARGET}, release r2\n  answers   {ANSWERS} of {ANSWERS} new, 0 from the cache\n" in told
    assert f"Answers of the tested models: {ANSWERS} of {ANSWERS} new, 0 from the cache.\n" in told
    assert (asked, len(second.requests), len(first.requests)) == (ANSWERS, ANSWERS, ANSWERS)
    assert len(people.of("user")) == ANSWERS - CONVERSATIONS, "no opening is asked for again"
    assert not any("r1" in str(body) or "r2" in str(body) for body in (*first.requests, *second.requests))
    judged = gate(folder, "--suite", "new", "--baseline", "old")
    assert (judged.returncode, "PASS" in judged.stdout) == (0, True), judged.stdout + judged.stderr


def test_without_a_release_the_gate_decides_nothing(folder: Path, releases: tuple[OpenAIServer, OpenAIServer]) -> None:
    """Release 2 answers nothing, as the cache does: UNDECIDED with the reason, whatever the other conditions are."""
    first, second = releases
    run(folder, first, "old")
    told = run(folder, second, "new").stdout
    assert second.requests == []
    assert f"0 of {ANSWERS} new, {ANSWERS} from the cache; nothing is asked of the tested models: --release ID" in told
    assert f"Answers of the tested models: 0 of {ANSWERS} new, {ANSWERS} from the cache.\n" in told
    judged = gate(folder, "--suite", "new", "--baseline", "old", "--min", "pass_rate=0")
    assert judged.returncode == 1
    assert (
        "UNDECIDED: 0 of 2 conditions met. 2 cannot be decided because answers are the baseline's own" in judged.stdout
    )
    assert f"{ANSWERS} of {ANSWERS} answers of {TARGET} are the baseline's own, from the cache" in judged.stdout


def test_a_single_answer_of_the_baseline_is_noticed(folder: Path, releases: tuple[OpenAIServer, OpenAIServer]) -> None:
    """The first turn of each conversation is the other release's, the rest is new: still nothing is decided."""
    first, second = releases
    run(folder, first, "old", "--part", "0.5")
    told = run(folder, second, "new").stdout
    assert f"{len(second.requests)} of {ANSWERS} new, {ANSWERS - len(second.requests)} from the cache\n" in told
    taken = ANSWERS - len(second.requests)
    assert 0 < taken < ANSWERS
    judged = gate(folder, "--suite", "new", "--baseline", "old")
    assert f"{taken} of {ANSWERS} answers of {TARGET} are the baseline's own" in judged.stdout
    assert "UNDECIDED" in judged.stdout


def test_a_job_that_begins_empty_asks_everybody(
    tmp_path: Path, people: OpenAIServer, releases: tuple[OpenAIServer, OpenAIServer]
) -> None:
    """Only the baseline's suite is carried over: release 2 gets every call, and the gate decides."""
    first, second = releases
    before, job = tmp_path / "before", tmp_path / "job"
    for place in (before, job):
        write_benchmark_folder(place / "benchmarks/mini")
        deployments(place, people)
    run(before, first, "old", "--release", "c0ffee1")
    shutil.copytree(before / "benchmark_output/runs/old", job / "benchmark_output/runs/old")
    done = run(job, second, "new", "--release", "12e4567")
    assert len(second.requests) == ANSWERS, done.stdout
    judged = gate(job, "--suite", "new", "--release", "12e4567", "--baseline", "old")
    assert (judged.returncode, "PASS: 1 of 1 condition met" in judged.stdout) == (0, True), judged.stdout


def test_a_changed_system_prompt_keeps_the_cases(folder: Path, releases: tuple[OpenAIServer, OpenAIServer]) -> None:
    """The prompt is part of the product: every answer is new, and every case has its counterpart in the baseline."""
    first, _ = releases
    run(folder, first, "old")
    first.forget()
    content = folder / "benchmarks/mini/benchmark.yaml"
    data = yaml.safe_load(content.read_text())
    data["scenario"]["target_system_prompt"] = "You are the assistant of a bank."
    content.write_text(yaml.safe_dump(data))
    run(folder, first, "new")
    assert len(first.requests) == ANSWERS
    assert all(body["messages"][0]["content"] == "You are the assistant of a bank." for body in first.requests)
    result = load_suite("new", folder / "benchmark_output").gate(baseline="old", max_drop=1)
    (row,) = result["conditions"].rows
    assert (row["cases"], row["decision"]) == (CONVERSATIONS, "pass")


def test_every_command_that_reads_conversations_can_read_one_release(
    folder: Path, releases: tuple[OpenAIServer, OpenAIServer]
) -> None:
    """Two releases in one suite: each command takes the words, calls and rows of the one that is named."""
    for name, server in zip(("r1", "r2"), releases, strict=True):
        run(folder, server, "both", "--release", name)

    def told(*words: object) -> str:
        return str(run_command("impactbench", *words, "--suite", "both", "--release", "r2", cwd=folder).stdout)

    told("export", "--format", "impactbench", "--out-dir", "out")
    told("annotate", "export", "--out-dir", "sheet")
    written = [path.read_text() for path in (*folder.glob("out/**/*.json"), folder / "sheet/sheet.csv")]
    assert sum("second says" in text for text in written) >= 2
    assert not any("first says" in text for text in written)
    told("rejudge", "--judge", "own/judge", "--to-suite", "again", "--no-anchor-set")
    assert {one.run.release for one in suite_runs(folder / "benchmark_output/runs/again")} == {"r2"}

    both, second = (load_suite("both", folder / "benchmark_output", releases=named) for named in ((), ("r2",)))
    calls = [
        sum(row["calls"] for row in suite.costs()["costs"].rows if row["role"] == "target") for suite in (both, second)
    ]
    assert calls == [2 * ANSWERS, ANSWERS]
    (folder / "usage.csv").write_text("model,cost\n")
    narrow = ("costs", "--suite", "both", "--release", "r2", "--reconcile", "usage.csv")
    assert "leave out --release" in run_command("impactbench", *narrow, cwd=folder, ok=False).stderr
    labelled = [{row["model"] for row in suite.label()["grades"].rows} for suite in (both, second)]
    assert labelled == [{f"{TARGET}@r1", f"{TARGET}@r2"}, {TARGET}]
    assert "r1" not in told("label")
    failed = [len(suite.explain()["conversations"].rows) for suite in (both, second)]
    assert failed[0] == 2 * failed[1]
    told("explain")
    told("audit", "simulator", "--out", "people.json")
    drifted = run_command(
        "impactbench", "drift", "--suite", "both", "--release", "r1", "--release", "r2", cwd=folder
    ).stdout
    assert "What changed since r1" in drifted
