"""Runs that stop when they have seen enough: what they cost, what they leave, and how they go on."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench import load_suite
from helm_impactbench.tables import Result
from tests.e2e.conftest import run_mini
from tests.e2e.test_runner import PARALLEL, written
from tests.support import builders
from tests.support.commands import BIN, command_environment, run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer, text_of

BASES = 30
PRESENT = json.dumps({"justification": "It is.", "evidence": [{"turn": 1, "quote": "replies"}], "answer": "present"})
DECIDED = ",turns=1,until_decided=0.5"


def judged(body: Body) -> Answer:
    """Find the behaviour to avoid in every tenth base scenario."""
    base = re.search(r"m02_s(\d+)_v", text_of(body))
    shown = body["model"].startswith("judge") and base and int(base[1]) % 10 == 0
    return PRESENT if shown else default_answer(body)


@pytest.fixture
def judging() -> Iterator[OpenAIServer]:
    """A server whose judge finds the behaviour now and then."""
    server = OpenAIServer(answer=judged)
    yield server
    server.close()


@pytest.fixture
def thirty(workdir: Path) -> Path:
    """A benchmark of thirty base scenarios with two variants each."""
    write_thirty(workdir)
    return workdir


def write_thirty(folder: Path) -> None:
    """Write the benchmark into ./benchmarks/mini."""
    ages = ("child or teenager (6-17)", "adult (18+)")
    scenarios = [
        builders.scenario("m02", base, variant, age)
        for base in range(1, BASES + 1)
        for variant, age in enumerate(ages, start=1)
    ]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=scenarios)


def draws(root: Path) -> list[dict[str, Any]]:
    """Return how each conversation of the one run of suite s was drawn."""
    (path,) = (root / "benchmark_output/runs/s").glob("*/scenario_state.json")
    states = json.loads(path.read_text())["request_states"]
    return [state["instance"]["extra_data"]["impactbench"].get("draw") for state in states]


def stops(rates: Result) -> list[str]:
    """Return where runs stopped, as their rates say."""
    return [note for note in rates.notes if " on mini stopped after " in note]


def repeated(server: OpenAIServer) -> int:
    """Return how many calls were made more than once."""
    return sum(times - 1 for times in Counter(json.dumps(body, sort_keys=True) for body in server.requests).values())


def test_it_stops_when_it_is_certain(thirty: Path, judging: OpenAIServer) -> None:
    """A rate of .9 and a bar of .5: half of the calls at most, whole base scenarios, and tables that say so."""
    run_mini(thirty, judging, "target-a", options=DECIDED, extra=PARALLEL)
    found = draws(thirty)
    drawn = max(draw["place"] for draw in found)
    assert Counter(draw["place"] for draw in found) == dict.fromkeys(range(1, drawn + 1), 2)
    assert drawn <= BASES // 2
    assert len(judging.of("target")) <= 2 * (drawn + BASES // 10)
    rates = load_suite("s", thirty / "benchmark_output").rates()
    left = 2 * (BASES - drawn)
    (stopped,) = stops(rates)
    assert f"mini stopped after {drawn} of {BASES} base scenarios ({left} conversations not drawn): " in stopped
    assert re.search(r"for the whole list, at or above 0\.5\.", stopped)
    (row,) = rates["rates"].rows
    assert (row["scored"], row["conversations"]) == (2 * drawn, 2 * drawn)
    assert any("hold whenever they stop" in note for note in rates.notes)
    run_command("impactbench", "export", "--suite", "s", "--format", "impactbench", "--out-dir", "out", cwd=thirty)
    run_command("impactbench", "import", "out/mini", "--suite", "back", cwd=thirty)
    (imported,) = stops(load_suite("back", thirty / "benchmark_output").rates())
    assert imported.partition(" on mini ")[2] == stopped.partition(" on mini ")[2]
    run_command("impactbench", "summarize", "--suite", "s", cwd=thirty)
    assert "target-a" in run_command("impactbench", "summarize", "--show", "--suite", "s", cwd=thirty).stdout


def test_impactbench_run_stops_early_and_its_pages_say_so(thirty: Path, judging: OpenAIServer) -> None:
    """--until-decided is the option of every run entry; the overview and the benchmark's page name the stop."""
    roles = (
        "--models",
        "litellm/openai/target-a",
        "--user",
        "litellm/openai/user-x",
        "--judge",
        "litellm/openai/judge-x",
    )
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": judging.url}
    command = (
        "impactbench",
        "run",
        "--references",
        "0",
        *roles,
        "--benchmarks",
        "mini",
        "--until-decided",
        0.5,
        "--suite",
        "s",
        "--yes",
    )
    done = run_command(*command, cwd=thirty, **keys)
    drawn = max(draw["place"] for draw in draws(thirty))
    assert drawn <= BASES // 2
    assert "at most   all of this: runs may stop early\n" in done.stdout
    site = min((path.parent for path in thirty.glob("**/index.html")), key=lambda folder: len(folder.parts))
    assert "Stopped early.</strong> 1 run drew" in (site / "index.html").read_text()
    pages = [page.read_text() for page in site.glob("**/*.html")]
    assert sum(f"on mini stopped after {drawn} of {BASES} base scenarios" in page for page in pages) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_same_answers_stop_it_at_the_same_place(thirty: Path, judging: OpenAIServer, workers: str) -> None:
    """Threads and worker processes change nothing in its files, though quick conversations overtake slow ones."""
    run_mini(thirty, judging, "target-a", options=DECIDED, extra=PARALLEL)
    other = thirty / "elsewhere"
    write_thirty(other)
    run_mini(other, judging, "target-a", options=DECIDED, extra=(*PARALLEL, "-n", "9"), IMPACTBENCH_WORKERS=workers)
    assert written(other, "s") == written(thirty, "s")


@pytest.mark.parametrize(
    ("how", "most_repeated"),
    [(signal.SIGINT, 0), pytest.param(signal.SIGKILL, 4, marks=pytest.mark.long)],
    ids=["interrupted", "killed"],
)
def test_a_run_that_ended_goes_on_to_the_same_stop(thirty: Path, how: signal.Signals, most_repeated: int) -> None:
    """Ctrl-C after a few verdicts, then the same command: no call is made twice, and nobody sees what happened.

    After a kill, at most the calls that were in flight, one per thread, are made again.
    """
    process: list[subprocess.Popen[bytes]] = []

    def interrupting(body: Body) -> Answer:
        if body["model"].startswith("judge") and len(server.of("judge")) == 4:
            process[0].send_signal(how)
        return judged(body)

    server = OpenAIServer(answer=interrupting)
    entry = f"impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x{DECIDED}"
    command = [
        BIN / "helm-run", "--run-entries", f"{entry},model=litellm/openai/target-a", "--suite", "s", "-m", "1000",
        "-n", "4", *PARALLEL,
    ]  # fmt: skip
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    with (thirty / "log").open("wb") as log:
        process.append(subprocess.Popen(command, cwd=thirty, env=command_environment(**keys), stderr=log, stdout=log))
        assert process[0].wait(timeout=120) != 0
    before = len(server.requests)
    assert not list((thirty / "benchmark_output/runs/s").glob("*/stats.json"))
    server.answer = judged
    run_mini(thirty, server, "target-a", options=DECIDED, extra=PARALLEL, IMPACTBENCH_MOST_FAILURES="1")
    server.close()
    assert len(server.requests) > before > 0
    assert repeated(server) <= most_repeated
    calm = thirty / "calm"
    write_thirty(calm)
    undisturbed = OpenAIServer(answer=judged)
    run_mini(calm, undisturbed, "target-a", options=DECIDED, extra=PARALLEL)
    undisturbed.close()
    assert draws(thirty) == draws(calm)


def test_a_narrower_width_goes_on_and_no_width_takes_all(thirty: Path, judging: OpenAIServer) -> None:
    """The same run draws on: nothing is called twice, and --skip-completed-runs knows that there is more to do."""
    sizes = []
    for options in (",turns=1,until_width=0.5", ",turns=1,until_width=0.3", ",turns=1,until_width=0.3", ",turns=1"):
        run_mini(thirty, judging, "target-a", options=options, extra=(*PARALLEL, "--skip-completed-runs"))
        sizes.append((len(draws(thirty)), len(judging.requests)))
    (wide, _), (narrow, calls), again, (whole, _) = sizes
    assert wide < narrow < whole == 2 * BASES
    assert again == (narrow, calls)
    assert repeated(judging) == 0
    assert draws(thirty) == [None] * whole


def test_missing_verdicts_do_not_decide(thirty: Path) -> None:
    """A judge without an answer: all is drawn, and the figure is open on both sides."""
    server = OpenAIServer(answer=lambda body: (400, {}) if body["model"].startswith("judge") else default_answer(body))
    run_mini(thirty, server, "target-a", options=DECIDED, extra=PARALLEL, ok=False, IMPACTBENCH_MOST_FAILURES="1")
    server.close()
    assert len(draws(thirty)) == 2 * BASES
    rates = run_command("impactbench", "rates", "--suite", "s", cwd=thirty).stdout
    assert f"mini drew all {BASES} base scenarios: 0.000 to 1.000 for the whole list, undecided about 0.5." in rates


def test_helms_own_runner_is_refused(thirty: Path, judging: OpenAIServer) -> None:
    """It would take all: the entry says which runner stops, before the first call."""
    done = run_mini(thirty, judging, "target-a", options=DECIDED, ok=False)
    assert done.returncode == 2
    assert "until_decided= needs a runner that looks at verdicts while it runs; add --runner-class-name" in done.stderr
    assert not judging.requests
