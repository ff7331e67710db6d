"""What a suite took: `impactbench costs` against a server that counts, costs.json, the leaderboard, the estimate."""

from __future__ import annotations

import json
import re
import shutil
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.support import helm
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer, text_of
from tests.support.suites import write_suite

USER, JUDGE, TARGETS = "gpt-4.1-mini", "gpt-4.1", ("gpt-4o", "gpt-4o-mini")


def answer(body: Body) -> Answer:
    """Answer in the role that a priced model has here, with usage that differs from call to call."""
    text = text_of(body)
    usage = {"prompt_tokens": len(text), "completion_tokens": 10 + len(text) % 7}
    said = default_answer({**body, "model": {USER: "user", JUDGE: "judge"}.get(body["model"], body["model"])})
    return {"role": "assistant", "content": said, "usage": usage}


def price(server: OpenAIServer) -> float:
    """Return what the server's calls cost by litellm's price list, reckoned here."""
    import litellm

    total = 0.0
    for body in server.requests:
        usage, per = answer(body)["usage"], litellm.model_cost[body["model"]]  # type: ignore[call-overload,index]
        total += usage["prompt_tokens"] * per["input_cost_per_token"]
        total += usage["completion_tokens"] * per["output_cost_per_token"]
    return total


def held(
    run: Run, server: OpenAIServer, targets: tuple[str, ...] = TARGETS, judge: str = JUDGE, *, ok: bool = True
) -> None:
    """Run the mini benchmark in suite s."""
    entry = f"impactbench:benchmark=mini,turns=2,user=litellm/openai/{USER},judge=litellm/openai/{judge}"
    entries = [f"{entry},model=litellm/openai/{target}" for target in targets]
    run("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 100, "-n", 4, ok=ok,
        OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip


def costs(run: Run, workdir: Path, suite: str = "s") -> Any:
    """Return what `impactbench costs --out` writes."""
    run("impactbench", "costs", "--suite", suite, "--out", "costs-out.json")
    return json.loads((workdir / "costs-out.json").read_text())


def test_costs_are_what_the_server_was_asked(mini: Path, run: Run, server: OpenAIServer, workdir: Path) -> None:
    """Calls and dollars are the server's; the records count shared calls for every run; a resume changes nothing.

    Two targets share four openings.
    `impactbench summarize` writes the same into costs.json, beside HELM's own figures.
    """
    server.answer = answer
    held(run, server)
    found = costs(run, workdir)
    assert found["total"][0]["calls"] == len(server.requests) == 36
    assert found["total"][0]["calls_each_run_alone"] == 40
    assert found["total"][0]["cost_usd"] == pytest.approx(price(server), rel=1e-9)
    assert found["spending_log"][0]["usd"] == pytest.approx(price(server), rel=1e-9)
    assert {row["role"]: row["calls"] for row in found["by_role"]} == {"judge": 8, "target": 16, "user": 12}

    asked = len(server.requests)
    gone = helm.run_folder(workdir, "s", TARGETS[1])
    shutil.rmtree(gone)
    held(run, server)
    assert len(server.requests) == asked
    assert costs(run, workdir) == found

    run("impactbench", "summarize", "--suite", "s")
    written = json.loads((workdir / "benchmark_output/runs/s/costs.json").read_text())
    assert written.pop("impactbench") == found
    assert set(written) == {f"litellm/openai/{target}" for target in TARGETS}


def test_costs_in_the_leaderboard(mini: Path, run: Run, server: OpenAIServer, workdir: Path) -> None:
    """The details group shows what each run cost by role, and in all; the roles add up."""
    server.answer = answer
    held(run, server)
    run("impactbench", "summarize", "--suite", "s")
    tables = json.loads((workdir / "benchmark_output/runs/s/groups/impactbench_details.json").read_text())
    header = [cell["value"] for cell in tables[0]["header"]]
    for row in tables[0]["rows"]:
        shown = {name: cell.get("value") for name, cell in zip(header, row, strict=True)}
        roles = [shown[f"{role}: US$ of the run"] for role in ("target", "user", "judge")]
        assert all(cost > 0 for cost in roles)
        assert shown["US$ of the run"] == pytest.approx(sum(roles))
    alone = sum(dict(zip(header, row, strict=True))["US$ of the run"]["value"] for row in tables[0]["rows"])
    assert costs(run, workdir)["total"][0]["cost_usd_each_run_alone"] == pytest.approx(alone)


def test_another_judge_in_the_same_suite_pays_for_its_judging_alone(
    mini: Path, run: Run, server: OpenAIServer, workdir: Path
) -> None:
    """The conversations of both runs are the same calls; an unpriced judge is said to be one, and is not free."""
    server.answer = answer
    held(run, server, TARGETS[:1])
    held(run, server, TARGETS[:1], "judge-without-price")
    found = costs(run, workdir)
    assert found["total"][0]["calls"] == len(server.requests)
    assert found["total"][0]["calls_each_run_alone"] == 40
    assert found["total"][0]["unpriced_calls"] == 4
    shown = run("impactbench", "costs", "--suite", "s").stdout
    assert "4 calls without a known price" in shown
    (line,) = [line for line in shown.splitlines() if "judge-without-price" in line]
    assert line.split()[-1] == "unknown"


def test_answers_that_never_came_are_counted(mini: Path, run: Run, server: OpenAIServer, workdir: Path) -> None:
    """A judge whose provider fails has no usage; the failures stand beside the costs."""
    server.answer = lambda body: (400, {"error": {"message": "no"}}) if body["model"] == JUDGE else answer(body)
    held(run, server, TARGETS[:1], ok=False)
    found = costs(run, workdir)
    judge = next((row for row in found["by_role"] if row["role"] == "judge"), {})
    assert (judge["calls"], judge["failed_answers"]) == (0, 4)
    assert "4 answers never came" in run("impactbench", "costs", "--suite", "s").stdout


def test_fixed_messages_are_estimated_and_counted(run: Run, server: OpenAIServer, workdir: Path) -> None:
    """Nobody is simulated: the estimate's calls are those that the server got, and so are those of `costs`."""

    def stance(body: Body) -> Answer:
        if body["model"] != JUDGE:
            return f"No two versions get this reply: {zlib.crc32(text_of(body).encode())}."
        words = "party_1" if "teller" in json.dumps(body.get("response_format")) else "balanced"
        return json.dumps({"justification": "So.", "evidence": [], "answer": words})

    server.answer = stance
    benchmark = "impactbench:benchmark=moral-sycophancy,metric=rent"
    entry = f"{benchmark},judge=litellm/openai/{JUDGE},checks=teller,model=litellm/openai/{TARGETS[0]}"
    run("helm-run", "--run-entries", entry, "--suite", "m", "-m", 1000, "-n", 4,
        OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    estimated = run("impactbench", "estimate", entry, "--against", "m").stdout
    assert f"1 run, 36 conversations, {len(server.requests)} calls" in estimated
    found = costs(run, workdir, "m")
    assert found["total"][0]["calls"] == len(server.requests) == 96
    assert {row["benchmark"] for row in found["costs"]} == {"moral-sycophancy"}
    assert {row["role"] for row in found["costs"]} == {"target", "judge"}
    each = re.search(r"US\$ per conversation: ([0-9.]+)", estimated)
    total = re.search(r"calls: ([0-9.]+) US", estimated)
    assert each is not None
    assert total is not None
    assert float(each[1]) * 36 == pytest.approx(float(total[1]), abs=0.011)
    run("impactbench", "components", "--suite", "m", "--out", "parts.json")
    options = {row["twice"]: row for row in json.loads((workdir / "parts.json").read_text())["options"]}
    assert options["base scenarios per metric"]["more_conversations"] == 36
    assert options["base scenarios per metric"]["more_usd"] == pytest.approx(found["total"][0]["cost_usd"])
    later = f"{benchmark},judge=none,model=litellm/openai/{TARGETS[0]}"
    assert "1 run, 36 conversations, 36 calls" in run("impactbench", "estimate", later).stdout


def test_panels_are_counted_and_helms_own_runs_are_said_to_be_left_out(
    run: Run, server: OpenAIServer, workdir: Path
) -> None:
    """A judged suite costs what the server was asked; HELM keeps no prices of its own runs, and a line says so."""

    def score(body: Body) -> Answer:
        said = "<reasoning>So.</reasoning><score>1</score>" if body["model"] == JUDGE else "No."
        return {"role": "assistant", "content": said, "usage": {"prompt_tokens": 50, "completion_tokens": 5}}

    server.answer = score
    write_suite(workdir, "harm_bench", rows=6)
    write_suite(workdir, "gsm", rows=6)
    entries = [f"panel_harm_bench:judge=litellm/openai/{JUDGE},model=litellm/openai/{TARGETS[0]}",
               f"gsm:model=litellm/openai/{TARGETS[0]}"]  # fmt: skip
    run("helm-run", "--run-entries", *entries, "--suite", "p", "-m", 100, "-n", 4,
        OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    found = costs(run, workdir, "p")
    assert found["total"][0]["calls"] == 12
    assert {(row["role"], row["calls"]) for row in found["by_role"]} == {("target", 6), ("judge", 6)}
    shown = run("impactbench", "costs", "--suite", "p")
    assert "1 run left out: HELM's own runs have scores, but no conversations" in shown.stdout


def test_a_suite_without_runs_of_ours_has_no_costs(run: Run, workdir: Path) -> None:
    """The command ends with 2 and says what is missing."""
    (workdir / "benchmark_output/runs/empty").mkdir(parents=True)
    done = run("impactbench", "costs", "--suite", "empty", ok=False)
    assert done.returncode == 2
    assert "no finished run" in done.stderr


def test_latency_is_that_of_the_call_that_gave_the_reply(
    mini: Path, run: Run, server: OpenAIServer, workdir: Path
) -> None:
    """No refused attempt and no wait is in it; a stored answer keeps its time, so that a resumed run shows the same."""
    seen: set[str] = set()

    def slow(body: Body) -> Answer:
        if body["model"] != TARGETS[0]:
            return answer(body)
        if text_of(body) not in seen:
            seen.add(text_of(body))
            return 429, {"error": {"message": "slow down"}}
        time.sleep(0.5)
        return answer(body)

    server.answer, server.retry_after = slow, 2.0
    held(run, server)
    found = {row["model"]: row for row in costs(run, workdir)["latency"]}
    assert {model: row["replies"] for model, row in found.items()} == {f"litellm/openai/{one}": 8 for one in TARGETS}
    first, second = (found[f"litellm/openai/{one}"] for one in TARGETS)
    assert 0.5 <= first["median"] <= first["p90"] < 2.0
    assert 0 < second["median"] < 0.5
    shutil.rmtree(helm.run_folder(workdir, "s", TARGETS[1]))
    held(run, server)
    assert {row["model"]: row for row in costs(run, workdir)["latency"]} == found
