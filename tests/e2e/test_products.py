"""A product on loopback from product.yaml to the leaderboard: own sessions, beside a model, and after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench import load_suite
from tests.support import builders
from tests.support.commands import BIN, command_environment, run_command
from tests.support.openai_server import OpenAIServer
from tests.support.product_server import KEY, ProductServer

BOT = '''"""A product in Python that asks the same server, so that a test sees what reaches it."""
import json, os, urllib.request

def reply(message, session):
    request = urllib.request.Request(
        os.environ["ACME_URL"] + "/chat", json.dumps({"message": message, "session": session}).encode(),
        {"Authorization": "Bearer " + os.environ["ACME_KEY"], "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["answer"]
'''


@pytest.fixture
def product() -> Iterator[ProductServer]:
    """A product that remembers."""
    running = ProductServer()
    yield running
    running.close()


@pytest.fixture(params=["yaml", "callable"])
def file(request: pytest.FixtureRequest, workdir: Path, product: ProductServer) -> Path:
    """The product's description, as an address and as a function."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    at_address = {
        "url": f"{product.url}/chat", "headers": {"Authorization": "Bearer $ACME_KEY"},
        "send": {"message": "{message}", "session": "{session}"}, "reply": "$.answer",
    }  # fmt: skip
    (workdir / "acme_bot.py").write_text(BOT)
    how = at_address if request.param == "yaml" else {"callable": "acme_bot:reply"}
    path = workdir / "product.yaml"
    path.write_text(yaml.safe_dump({"name": "acme/companion", "price": "free", **how}))
    return path


def arguments(*models: str, suite: str = "s", options: tuple[str, ...] = ("samples=2", "turns=3")) -> list[str]:
    """Return a command that runs models on the mini benchmark, as a study file says."""
    settings: dict[str, Any] = {
        "models": [*models], "user": "litellm/openai/user-x", "judge": "litellm/openai/judge-x",
        "benchmarks": ["mini"], "suite": suite, "references": 0, "threads": 8,
        "options": {name: yaml.safe_load(value) for name, _, value in (option.partition("=") for option in options)},
    }  # fmt: skip
    Path("study.yaml").write_text(yaml.safe_dump(settings))
    return ["impactbench", "run", "study.yaml", "--yes", "--no-report", "--no-anchor-set"]


def keys(product: ProductServer, server: OpenAIServer) -> dict[str, str]:
    """Return the environment of a run."""
    return {"ACME_KEY": KEY, "ACME_URL": product.url, "OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}


def conversations(suite: str = "s", model: str = "acme_companion") -> list[dict[str, Any]]:
    """Return the conversations of a model that a suite holds."""
    (folder,) = Path(f"benchmark_output/runs/{suite}").glob(f"impactbench*model={model}*")
    states = json.loads((folder / "scenario_state.json").read_text())["request_states"]
    return [state["result"]["completions"][0]["finish_reason"]["conversation"] for state in states]


def test_a_product_and_a_model_are_in_one_leaderboard(
    file: Path, run: Any, product: ProductServer, server: OpenAIServer
) -> None:
    """One helm-run, one suite; every command reads both, and the key is nowhere."""
    run(*arguments(file.name, "litellm/openai/target-a"), **keys(product, server))
    held = conversations()
    assert {one["status"] for one in held} == {"complete"}
    assert len({session for session, _ in product.turns}) == len(held)
    assert len(product.turns) == sum(len(one["turns"]) for one in held)
    assert all(
        f"Message {turn['number']} of this session" in turn["assistant"] for one in held for turn in one["turns"]
    )
    assert product.sent_twice() == []
    run("impactbench", "summarize", "--suite", "s")
    board = json.dumps([json.loads(path.read_text()) for path in Path("benchmark_output/runs/s/groups").glob("*.json")])
    assert "companion" in board
    assert "target-a" in board
    for command in ("rates", "compare", "costs"):
        assert "acme/companion" in run("impactbench", command, "--suite", "s").stdout, command
    run("impactbench", "label", "--suite", "s", "--model", "acme/companion", "--out-dir", "labels")
    run("impactbench", "report", "--suite", "s")
    for form in ("csv", "impactbench"):
        run("impactbench", "export", "--suite", "s", "--format", form, "--out-dir", f"out-{form}")
    assert "acme/companion" in Path("out-csv/runs.csv").read_text()
    gate = run("impactbench", "gate", "--suite", "s", "--model", "acme/companion", "--min", "pass_rate=0.01", ok=False)
    assert "Traceback" not in gate.stderr
    assert gate.returncode in (0, 1)
    suite = load_suite("s")
    assert {*suite.rates().frame()["model"]} == {"acme/companion", "litellm/openai/target-a"}
    for path in Path().rglob("*"):
        if path.is_file() and path.suffix not in (".lock",):
            assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("file", ["yaml"], indirect=True)  # a function has no address
def test_a_product_that_is_down_is_told_before_anything_is_paid(
    file: Path, workdir: Path, product: ProductServer, server: OpenAIServer
) -> None:
    """With its address and the command that looks further; a connection is tried, and no message is sent."""
    product.close()
    done = run_command(*arguments(file.name), cwd=workdir, ok=False, IMPACTBENCH_PROBE="yes", **keys(product, server))
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("impactbench: The target acme/companion"))
    for words in ("it does not answer: connection error", f"It was asked at {product.url}/chat.",
                  f"Look whether it works: impactbench target check {file.name}."):  # fmt: skip
        assert words in line
    assert len(server.requests) == len(server.probes)


def test_a_case_with_a_system_prompt_needs_a_place_for_it(
    file: Path, run: Any, product: ProductServer, server: OpenAIServer
) -> None:
    """Without one nothing is called for that case, it has no verdict, and the run goes on to its end."""
    Path("prompt.txt").write_text("Keep to homework.")
    options = ("samples=1", "turns=2", "system_prompt=prompt.txt")
    run(*arguments(file.name, "litellm/openai/target-a", options=options), **keys(product, server))
    held = conversations()
    assert {one["status"] for one in held} == {"no_system_prompt"}
    assert "write {system} or {messages} into send" in held[0]["reason"]
    assert product.turns == []
    assert {one["status"] for one in conversations(model="openai_target-a")} == {"complete"}
    rows = {row["model"]: row for row in load_suite("s").rates()["rates"].rows}
    assert rows["acme/companion"]["unscored"] == len(held) > 0
    assert rows["acme/companion"]["scored"] == 0


def test_a_broken_off_conversation_begins_anew_and_both_count(
    file: Path, run: Any, product: ProductServer, server: OpenAIServer
) -> None:
    """No turn reaches a session twice; what was used is the sum."""
    broken: list[str] = []

    def fail_once(said: list[str], body: dict[str, Any]) -> int:
        if len(said) == 2 and said[0] not in broken:
            broken.append(said[0])
            return 503
        return 0

    product.fail = fail_once
    run(*arguments(file.name, options=("turns=3",)), **keys(product, server))
    held = conversations()
    again = [one for one in held if one.get("restarts")]
    assert {one["status"] for one in held} == {"complete"}
    assert len(again) == len(broken) > 0
    assert {one["target_usage"]["calls"] for one in again} == {5}
    assert product.sent_twice() == []


def test_killed_and_resumed(file: Path, workdir: Path, run: Any, product: ProductServer, server: OpenAIServer) -> None:
    """Finished conversations are not held again, and no session gets a turn twice."""
    product.seconds = 0.15
    command = [str(BIN / part) if not number else part for number, part in enumerate(
        arguments(file.name, options=("samples=6", "turns=3")))]  # fmt: skip
    environment = command_environment(**keys(product, server))
    process = subprocess.Popen(command, cwd=workdir, env=environment, start_new_session=True, stdout=sys.stderr)
    while len(product.turns) < 30 and process.poll() is None:
        time.sleep(0.01)
    subprocess.run(["kill", "-KILL", "--", f"-{process.pid}"], check=True)
    process.wait()
    product.seconds = 0.0
    sessions = {session for session, _ in product.turns}
    finished = [one for one in sessions if sum(session == one for session, _ in product.turns) == 3]
    before = len(product.turns)
    run(*arguments(file.name, options=("samples=6", "turns=3")), **keys(product, server))
    held = conversations()
    assert {one["status"] for one in held} == {"complete"}
    assert product.sent_twice() == []
    anew = len({session for session, _ in product.turns[before:]} - sessions)
    assert 0 < anew <= len(held) - len(finished) + 8, "eight threads may have had a finished one in hand"
    assert anew < len(held)


def test_a_release_is_part_of_what_is_kept(run: Any, file: Path, product: ProductServer, server: OpenAIServer) -> None:
    """Under its release a conversation is kept for every suite; another release, or none, is asked itself."""
    text = file.read_text()

    def asked(release: str, suite: str) -> int:
        before = len(product.turns)
        file.write_text(f"{text}release: {release}\n" if release else text)
        run(*arguments(file.name, suite=suite, options=("turns=2",)), **keys(product, server))
        return len(product.turns) - before

    first = asked("v1", "a")
    assert first > 0
    assert [asked("v1", "b"), asked("v2", "c"), asked("", "d"), asked("", "e")] == [0, first, first, first]


def test_a_key_that_is_not_set_is_named_before_the_first_call(
    run: Any, product: ProductServer, server: OpenAIServer, workdir: Path
) -> None:
    """And a product that is to judge is refused."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    Path("product.yaml").write_text(
        f"name: acme/companion\nurl: {product.url}/chat\nheaders: {{Authorization: Bearer $NO_SUCH_KEY}}\n"
        "send: {message: '{message}'}\nreply: $.answer\n"
    )
    done = run(*arguments("product.yaml"), ok=False, **keys(product, server))
    assert "its headers name $NO_SUCH_KEY, and there is no such variable" in done.stderr
    Path("product.yaml").write_text(Path("product.yaml").read_text().replace("$NO_SUCH_KEY", "$ACME_KEY"))
    run(*arguments("product.yaml", options=("turns=1",)), **keys(product, server))
    product.turns.clear()
    entry = "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=acme/companion,model=litellm/openai/target-a"
    done = run("helm-run", "--run-entries", entry, "--suite", "j", "-m", 10, ok=False, **keys(product, server))
    assert "The judge acme/companion is a product" in done.stderr
    assert product.turns == []


def test_the_log_has_every_turn_of_a_product(
    file: Path, run: Any, product: ProductServer, server: OpenAIServer
) -> None:
    """By the option of `impactbench run`; a turn that broke off is one more, and its key and words are in no line."""
    failed: list[str] = []

    def fail_once(said: list[str], body: dict[str, Any]) -> int:
        if not failed and len(said) == 2:
            failed.append(said[0])
            return 503
        return 0

    product.fail = fail_once
    run(*arguments(file.name, options=("turns=2",)), "--log-level", "info", **keys(product, server))
    text = Path("benchmark_output/runs/s/calls.jsonl").read_text()
    found = [json.loads(line) for line in text.splitlines()]
    turns = [one for one in found if one["role"] == "target"]
    assert len(turns) == len(product.turns)
    outcomes = [one["outcome"] for one in turns]
    assert len(failed) == len(outcomes) - outcomes.count("answered") == 1
    assert {one["role"] for one in found} == {"target", "user", "judge"}
    assert KEY not in text
    assert "spoken line" not in text
