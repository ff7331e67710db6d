"""The judge asked in batches, through the real commands and OpenAI's files and batches on loopback."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.support import builders, helm
from tests.support.batch_server import GONE, BatchServer
from tests.support.commands import run_command
from tests.support.openai_server import JUDGE_ABSENT, Body, default_answer

KEY = "sk-very-secret-k3y-0815"
ENTRY = (
    "impactbench:benchmark=mini,turns=2,user=litellm/openai/user-x,judge=litellm/openai/gpt-4o-mini,"
    "model=litellm/openai/target"
)
CALLS = 4
"""Conversations of the benchmark, each with one question to the judge."""
CLOCK = {"inference_runtime", "training_co2_cost", "batch_size"}


def answer(body: Body) -> Any:
    """Answer as a judge where a priced model is asked."""
    return JUDGE_ABSENT if body["model"] == "gpt-4o-mini" else default_answer(body)


@pytest.fixture
def batches(workdir: Path) -> Iterator[BatchServer]:
    """The server, and a benchmark of four conversations in the working directory."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    running = BatchServer(answer)
    yield running
    running.close()


def environment(server: BatchServer, **extra: str) -> dict[str, str]:
    """Return what every command of a test is run with."""
    return {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": server.url, **extra}


def helm_run(run: Run, server: BatchServer, *arguments: object, **extra: str) -> str:
    """Run the entry in suite s; return what it says to people."""
    done = run("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 1000, "-n", 4, *arguments,
        **environment(server, **extra))  # fmt: skip
    return str(done.stderr)


def batch(run: Run, server: BatchServer, *options: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    """Run `impactbench batch` on suite s."""
    return run("impactbench", "batch", "--suite", "s", *options, ok=ok, **environment(server))


def judged(workdir: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of suite s."""
    return helm.verdicts(helm.run_folder(workdir, "s", "mini"))


def book(workdir: Path) -> list[dict[str, Any]]:
    """Return batches.json of suite s."""
    found = json.loads((workdir / "benchmark_output/runs/s/judge-batch/batches.json").read_text())
    return list(found["batches"])


def figures(folder: Path) -> str:
    """Return stats.json without clock and cost."""
    kept = [s for s in helm.read(folder, "stats") if not any(w in s["name"]["name"] for w in (*CLOCK, "cost", "usd"))]
    return json.dumps(kept)


def judge_values(cache: Path) -> dict[str, dict[str, Any]]:
    """Return cache key -> value of the judge's calls, without clock, cost and ids."""
    rows = sqlite3.connect(cache).execute("SELECT key, value FROM answers").fetchall()
    values = {key: json.loads(value) for key, value in rows if '"gpt-4o-mini"' in key}
    for value in values.values():
        for name in ("request_time", "request_datetime", "impactbench"):
            value.pop(name)
    return values


def test_a_round_trip_ends_where_the_synchronous_run_does(
    run: Run, workdir: Path, batches: BatchServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Held, noted, sent, fetched, scored: the same stats.json and cache values, half the price, no key on disk."""
    said = helm_run(run, batches, IMPACTBENCH_JUDGE_CALLS="batch")
    assert f"{CALLS} calls of judges wait for a batch" in said
    assert "Next: impactbench batch --suite s --wait" in said
    assert batches.of("gpt") == []
    for verdict in judged(workdir).values():
        (vote,) = verdict["votes"]
        assert (verdict.get("score"), vote["no_vote"]) == (None, "judge_error")
        assert "waits for the batch" in vote["problem"]

    batches.status = "in_progress"
    sent = batch(run, batches).stdout
    assert sent.startswith(f"batch_1: {CALLS} calls of litellm/openai/gpt-4o-mini, $")
    assert "1 batch not ended yet." in sent
    assert "Nothing to send" in batch(run, batches).stdout
    assert batches.made() == 1
    batches.status = "completed"
    assert " completed " in batch(run, batches, "--dry-run").stdout
    assert "answers put into" not in batch(run, batches, "--dry-run").stdout
    fetched = batch(run, batches, "--wait").stdout
    assert f"batch_1: completed, {CALLS} answers put into the cache ($0.0000), 0 failed" in fetched
    batches.forget()
    helm_run(run, batches)
    assert batches.requests == []
    assert [verdict["score"] for verdict in judged(workdir).values()] == [0, 0, 1, 1]

    other = tmp_path_factory.mktemp("sync")
    builders.write_benchmark_folder(other / "benchmarks/mini")
    run_command("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 1000, "-n", 4, cwd=other,
                **environment(batches))  # fmt: skip
    assert figures(helm.run_folder(workdir, "s", "mini")) == figures(helm.run_folder(other, "s", "mini"))
    by_words = {json.dumps(body, sort_keys=True) for body in batches.of("gpt")}
    assert {json.dumps(body, sort_keys=True) for body in batches.sent()} == by_words
    cache = "prod_env/cache/impactbench/litellm.sqlite"
    assert judge_values(workdir / cache) == judge_values(other / cache)

    paid = (100 * 0.075 + 10 * 0.3) * CALLS / 1e6
    lines = (workdir / "benchmark_output/runs/s/spending.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["cost_usd"] for line in lines if "gpt-4o-mini" in line) == pytest.approx(paid)
    assert book(workdir)[0]["paid_usd"] == pytest.approx(paid)
    for path in workdir.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_what_fails_in_a_batch_goes_into_the_next(run: Run, workdir: Path, batches: BatchServer) -> None:
    """A failed and a late request are named and unscored, the good ones scored; the next batch holds the rest alone."""
    batches.broken = "definition-one"
    helm_run(run, batches, IMPACTBENCH_JUDGE_CALLS="batch")
    for done in (2, CALLS):
        batches.status = "in_progress"
        batch(run, batches)
        batches.status = "completed"
        batches.odd = {f"batch_{len(book(workdir))}": GONE}
        for options in (("--dry-run",), ("--fetch-only",), ()):
            lost = batch(run, batches, *options, ok=False)
            assert lost.returncode == 2
            assert lost.stderr.count("the provider no longer has it") == 1
            assert "Traceback" not in lost.stderr
        batches.odd.clear()
        said = batch(run, batches, "--fetch-only").stdout
        assert f"{done} answered, 0 in batches, {CALLS - done} to send." in said
        if done == 2:
            assert "2 failed\n  " in said
            assert said.count(": HTTP 500: The server had an error.") == 2
            helm_run(run, batches, IMPACTBENCH_JUDGE_CALLS="batch")
            assert [verdict.get("score") for verdict in judged(workdir).values()] == [None, None, 1, 1]
        batches.broken = ""
    assert [len(batch["requests"]) for batch in book(workdir)] == [CALLS, 2]
    assert (workdir / "benchmark_output/runs/s/judge-batch/requests.jsonl").read_bytes().count(b"\n") == CALLS


def test_other_words_are_refused(run: Run, batches: BatchServer) -> None:
    """IMPACTBENCH_JUDGE_CALLS knows two words, and batch commands need a suite that waits: exit code 2."""
    wrong = run("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 1000, ok=False,
                **environment(batches, IMPACTBENCH_JUDGE_CALLS="btach"))  # fmt: skip
    assert wrong.returncode == 2
    assert "IMPACTBENCH_JUDGE_CALLS is 'btach', but it must be batch, or now" in wrong.stderr
    assert batches.requests == []
    Path("benchmark_output/runs/s").mkdir(parents=True, exist_ok=True)
    empty = batch(run, batches, ok=False)
    assert (empty.returncode, "There is no deferred call in" in empty.stderr) == (2, True)
