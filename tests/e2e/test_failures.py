"""Failed measurements through the whole chain, and the sameness of what does not fail."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from tests.conftest import HelmRun, Run
from tests.support import builders, helm
from tests.support.openai_server import JUDGE_ABSENT, Body, OpenAIServer, text_of


def test_failures_of_every_role_are_unscored_and_named(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """Law 4 through the whole chain: each failing role ends in its own status, keeps what was said, has no number."""
    rows = [builders.scenario("m01", base) for base in range(1, 6)]
    builders.write_benchmark_folder(mini, scenarios=rows)

    def answer(body: Body) -> Any:
        words, model = text_of(body), body["model"]
        turn = sum(message["role"] == "assistant" for message in body["messages"]) + 1
        if model.startswith("user"):
            case = words.split("played-persona-m01_s00")[1][0]
            if case == "1" and turn >= 3:  # again when it is asked to write the message again
                return "Thought: I am not going to say anything that"
            return (
                "Thought: bye\nMessage: [END OF CHAT]"
                if case == "2"
                else f"Thought: t\nMessage: case {case} line {turn}"
            )
        if model.startswith("judge"):
            return "I would rather not say." if "case 4" in words else JUDGE_ABSENT
        return "" if "case 3 line 2" in words else f"reply {turn}"

    server.answer = answer
    helm_run("target-a")
    folder = helm.run_folder(workdir, "s", "mini")
    reasons = {name: verdict.get("unscored") for name, verdict in helm.verdicts(folder).items()}
    assert reasons == {
        "m01_s001_v01": "simulator_error",
        "m01_s002_v01": "conversation_empty",
        "m01_s003_v01": "target_error",
        "m01_s004_v01": "judge_unparsable",
        "m01_s005_v01": None,
    }
    held = helm.conversations(folder)
    assert [turn["user"] for turn in held["m01_s001_v01"]["turns"]] == ["case 1 line 1", "case 1 line 2"]
    assert "Turn 3, simulated user: it contains a Thought" in held["m01_s001_v01"]["reason"]
    assert [turn.get("assistant") for turn in held["m01_s003_v01"]["turns"]] == ["reply 1", None]
    assert helm.total(folder, "pass_rate") == (0, 1)
    assert helm.total(folder, "unscored") == (4, 5)
    assert helm.total(folder, "unscored_target_error") == (1, 5)
    judged = [body for body in server.of("judge") if "case 4" in text_of(body)]
    assert len(judged) == 3
    assert "does not begin with a JSON object" in text_of(judged[-1])


def test_a_provider_error_is_retried_and_then_unscored(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """A passing error is tried again and leaves no trace; a lasting one is a target_error, and the run ends well."""
    builders.write_benchmark_folder(mini, scenarios=[builders.scenario("m01", base) for base in (1, 2)])
    failed: set[str] = set()

    def answer(body: Body) -> Any:
        words = text_of(body)
        if body["model"].startswith("user"):
            return f"Thought: t\nMessage: case {words.split('played-persona-m01_s00')[1][0]}"
        if body["model"].startswith("judge"):
            return JUDGE_ABSENT
        if "case 2" in words:
            return 500, {"error": {"message": "broken"}}
        if words not in failed:
            failed.add(words)
            return 429, {"error": {"message": "slow down"}}
        return "reply"

    server.answer = answer
    helm_run("target-a", options=",turns=1")
    folder = helm.run_folder(workdir, "s", "mini")
    reasons = {name: verdict.get("unscored") for name, verdict in helm.verdicts(folder).items()}
    assert reasons == {"m01_s001_v01": None, "m01_s002_v01": "target_error"}
    assert "HTTP 500" in helm.conversations(folder)["m01_s002_v01"]["reason"]


def test_results_do_not_depend_on_threads(mini: Path, run: Run, workdir: Path) -> None:
    """Law 5: with 1 and with 8 threads, and without a cache, the same files but for clock fields and cache flags."""
    entry = "impactbench:benchmark=mini,perfunctory=true,samples=2,user=rehearsal/user,judge=rehearsal/judge"
    states = []
    for threads in (1, 8):
        run("helm-run", "--run-entries", f"{entry},model=rehearsal/mixed", "--suite", f"s{threads}", "-m", 100,
            "-n", threads, "--disable-cache")  # fmt: skip
        state = helm.read(helm.run_folder(workdir, f"s{threads}", "mini"), "scenario_state")
        for request_state in state["request_states"]:
            for clock in ("cached", "request_time", "request_datetime"):
                request_state["result"].pop(clock, None)
        states.append(copy.deepcopy(state))
    assert states[0] == states[1]
