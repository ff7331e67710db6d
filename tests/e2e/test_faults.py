"""Providers that fail in every way: each fault has its stated outcome, and none changes what is measured.

docs/troubleshooting.md holds the same tables in words.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import builders, helm
from tests.support.commands import run_command
from tests.support.fault_server import (
    MEGABYTE,
    Call,
    FaultServer,
    Script,
    by_model_name,
    never,
    seeded,
)

USER, JUDGE = "litellm/openai/user-good", "litellm/openai/judge-good"


def entry(target: str, user: str = USER, judge: str = JUDGE, options: str = "") -> str:
    """Return a run entry of the mini benchmark."""
    return f"impactbench:benchmark=mini{options},user={user},judge={judge},model=litellm/openai/{target}"


def helm_run(
    cwd: Path, server: FaultServer, *entries: str, suite: str = "s", threads: int = 8, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run entries against the server; `settings` are the environment's, and `ok`."""
    environment: dict[str, Any] = {
        "OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url, "IMPACTBENCH_TIMEOUT": "1",
        "IMPACTBENCH_ATTEMPTS": "2", **settings,
    }  # fmt: skip
    arguments = ("helm-run", "--run-entries", *entries, "--suite", suite, "-m", 10000, "-n", threads)
    return run_command(*arguments, cwd=cwd, **environment)


@pytest.fixture
def faulty() -> Iterator[FaultServer]:
    """A server whose script a test sets."""
    server = FaultServer()
    yield server
    server.close()


# --- one table for each role: fault -> (why unscored, words in the reason, calls to the role)

TARGET: dict[str, tuple[str | None, str, int]] = {
    "429": ("target_error", "HTTP 429: slow down (tried 2 times)", 2),
    "429-seconds": ("target_error", "(tried 2 times, and the provider asks to wait 1 s)", 2),
    "429-date": ("target_error", "(tried 2 times, and the provider asks to wait", 2),
    "500": ("target_error", "HTTP 500: broken (tried 2 times)", 2),
    "502": ("target_error", "HTTP 502: bad gateway (tried 2 times)", 2),
    "503": ("target_error", "HTTP 503: overloaded (tried 2 times)", 2),
    "reset": ("target_error", "connection error: ", 2),
    "hang": ("target_error", "no answer after 1 seconds (tried 2 times)", 2),
    "drip-on": ("target_error", "no answer after 1 seconds (tried 2 times)", 2),
    "truncated": ("target_error", "connection error: ", 2),
    "invalid-json": ("target_error", "the answer (status 200) cannot be used: it is not JSON", 2),
    "not-json": ("target_error", "it is not JSON that can be read", 2),
    "no-choices": ("target_error", "the answer (status 200) cannot be used: it holds no choice (asked twice)", 2),
    "400": ("target_error", "HTTP 400: max_tokens is too large.", 1),
    "400-filter": ("target_error", "blocked by the provider's content filter (HTTP 400", 1),
    "403-flagged": ("target_error", "blocked by the provider's content filter (HTTP 403", 1),
    "filter": ("target_error", "target-filter: blocked by the provider's content filter.", 1),
    "filter-part": ("target_error", "target-filter-part: blocked by the provider's content filter.", 1),
    "null": ("target_error", "empty reply (finish reason: stop).", 1),
    "empty": ("target_error", "empty reply (finish reason: stop).", 1),
    "length-null": ("target_error", "the token limit was spent before the first word", 1),
    "tool-call": ("target_error", "empty reply (finish reason: tool call instead of text).", 1),
    "length": (None, "", 1),
    "drip": (None, "", 1),
    "megabyte": (None, "", 1),
    "controls": (None, "", 1),
    "surrogate": (None, "", 1),
}
USERS: dict[str, tuple[str | None, str, int]] = {
    "500": ("simulator_error", "user-500: HTTP 500: broken (tried 2 times).", 2),
    "filter": ("simulator_error", "user-filter: blocked by the provider's content filter.", 1),
    "400-filter": ("simulator_error", "user-400-filter: blocked by the provider's content filter", 1),
    "null": ("simulator_error", "empty reply (finish reason: stop).", 3),
    "tool-call": ("simulator_error", "empty reply (finish reason: tool call instead of text).", 3),
    "megabyte": (None, "", 1),
    "controls": (None, "", 1),
    "surrogate": (None, "", 1),
}
JUDGES: dict[str, tuple[str | None, str, int]] = {
    "500": ("judge_error", "judge-500: HTTP 500: broken (tried 2 times)", 2),
    "filter": ("judge_error", "judge-filter: blocked by the provider's content filter", 1),
    "400-filter": ("judge_error", "judge-400-filter: blocked by the provider's content filter", 1),
    "null": ("judge_unparsable", "empty reply (finish reason: stop)", 3),
    "tool-call": ("judge_unparsable", "empty reply (finish reason: tool call instead of text)", 3),
    "length": ("judge_unparsable", "", 3),
    "megabyte": (None, "", 1),
    "controls": (None, "", 1),
    "surrogate": (None, "", 1),
}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, FaultServer, str]]:
    """One conversation of one turn with each fault in each role: folder, server, all that helm-run printed."""
    folder = tmp_path_factory.mktemp("kinds")
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=[builders.scenario("m01", 1)])
    server = FaultServer(by_model_name)
    entries = [
        *(entry(f"target-{kind}", options=",turns=1") for kind in TARGET),
        *(entry("good", user=f"litellm/openai/user-{kind}", options=",turns=1") for kind in USERS),
        *(entry("good", judge=f"litellm/openai/judge-{kind}", options=",turns=1") for kind in JUDGES),
    ]
    done = helm_run(folder, server, *entries, ok=False)
    yield folder, server, done.stdout + done.stderr
    server.close()


def outcome(folder: Path, part: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the one conversation and its verdict of the run whose name and a comma hold `part`."""
    runs = (folder / "benchmark_output/runs/s").iterdir()
    (found,) = [path for path in runs if part in f"{path.name},"]
    (conversation,), (verdict,) = helm.conversations(found).values(), helm.verdicts(found).values()
    return conversation, verdict


@pytest.mark.parametrize("kind", list(TARGET))
def test_a_targets_fault_has_its_outcome(kinds: tuple[Path, FaultServer, str], kind: str) -> None:
    """Unscored with its reason, or scored when words came; transient faults alone are tried again."""
    folder, server, _ = kinds
    unscored, words, calls = TARGET[kind]
    conversation, verdict = outcome(folder, f"model=openai_target-{kind},")
    assert verdict.get("unscored") == unscored
    assert words in conversation.get("reason", "")
    assert bool(conversation.get("reason")) == (unscored is not None)
    assert len([call for call in server.calls if call.model == f"target-{kind}"]) == calls


@pytest.mark.parametrize("kind", list(USERS))
def test_a_simulated_users_fault_has_its_outcome(kinds: tuple[Path, FaultServer, str], kind: str) -> None:
    """An answer without words is asked for again; a blocked one and a failed call are not."""
    folder, server, _ = kinds
    unscored, words, calls = USERS[kind]
    conversation, verdict = outcome(folder, f"user=litellm_openai_user-{kind},")
    assert verdict.get("unscored") == unscored
    assert words in conversation.get("reason", "")
    assert len([call for call in server.calls if call.model == f"user-{kind}"]) == calls


@pytest.mark.parametrize("kind", list(JUDGES))
def test_a_judges_fault_has_its_outcome(kinds: tuple[Path, FaultServer, str], kind: str) -> None:
    """No vote with its reason; the conversation itself is whole."""
    folder, server, _ = kinds
    unscored, words, calls = JUDGES[kind]
    conversation, verdict = outcome(folder, f"judge=litellm_openai_judge-{kind},")
    assert conversation["status"] == "complete"
    assert verdict.get("unscored") == unscored
    assert words in verdict["votes"][0].get("problem", "")
    assert len([call for call in server.calls if call.model == f"judge-{kind}"]) == calls


def test_what_a_blocked_reply_cost_is_kept(kinds: tuple[Path, FaultServer, str]) -> None:
    """Its tokens were paid for, so they are in the record; those of a call without an answer are not known."""
    folder, _, _ = kinds
    assert outcome(folder, "model=openai_target-filter,")[0]["target_usage"]["prompt_tokens"] == 100
    assert outcome(folder, "judge=litellm_openai_judge-filter,")[1]["votes"][0]["usage"]["prompt_tokens"] == 100
    assert "calls" not in outcome(folder, "model=openai_target-500,")[0].get("target_usage", {})


def test_large_and_odd_answers_are_kept_whole(kinds: tuple[Path, FaultServer, str]) -> None:
    """A megabyte and control characters stand in the record as they came; half a character is replaced."""
    folder, _, _ = kinds
    said = {kind: outcome(folder, f"model=openai_target-{kind},")[0]["turns"][0] for kind in TARGET}
    assert len(said["megabyte"]["assistant"]) >= MEGABYTE
    assert "b\x07c\x1b[31md" in said["controls"]["assistant"]
    assert said["surrogate"]["assistant"].endswith("half \ufffd a character")
    assert said["length"]["cut_off"] is True


def test_faults_print_no_traceback_and_nothing_a_terminal_obeys(kinds: tuple[Path, FaultServer, str]) -> None:
    """Failures are one line each."""
    assert "Traceback" not in kinds[2]
    assert "\x1b[31md" not in kinds[2]
    assert "\x07" not in kinds[2]


def test_what_odd_answers_leave_can_be_shown(kinds: tuple[Path, FaultServer, str]) -> None:
    """Tables, report and exports of the whole suite are made without a crash."""
    folder, _, _ = kinds
    for command in (
        ("summarize", "--suite", "s"),
        ("report", "--suite", "s", "--out-dir", "report"),
        ("export", "--suite", "s", "--format", "csv", "--out-dir", "tables"),
    ):
        done = run_command("impactbench", *command, cwd=folder)
        assert "Traceback" not in done.stdout + done.stderr


# --- 30% transient faults


MANY = [
    builders.scenario(metric, base, variant) for metric in ("m01", "m02") for base in (1, 2, 3) for variant in (1, 2)
]
TARGETS = ("target-a", "target-b", "target-c")


def results(folder: Path, suite: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return (target, conversation) -> verdict."""
    return {
        (target, case): verdict
        for target in TARGETS
        for case, verdict in helm.verdicts(helm.run_folder(folder, suite, target)).items()
    }


def exhausted(server: FaultServer, attempts: int) -> set[tuple[str, str]]:
    """Return (role, conversation) of the calls whose every attempt failed; a later target asks an opening again."""
    return {(call.role, call.case) for call, _ in server.faults if call.attempt % attempts == 0}


def test_thirty_percent_transient_faults_change_no_rate(tmp_path: Path) -> None:
    """Every conversation is scored as without faults, or unscored for the role that failed; calls do not double."""
    attempts, runs = 3, {}
    for suite, script in (("calm", never), ("stormy", seeded(7, 0.3))):
        folder = tmp_path / suite
        builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=MANY)
        server = FaultServer(script)
        done = helm_run(folder, server, *map(entry, TARGETS), suite=suite, IMPACTBENCH_ATTEMPTS=str(attempts),
                        IMPACTBENCH_TIMEOUT="30")  # fmt: skip
        server.close()
        assert "Traceback" not in done.stdout + done.stderr
        runs[suite] = (results(folder, suite), server)
    (calm, calm_server), (stormy, stormy_server) = runs["calm"], runs["stormy"]
    assert {verdict.get("unscored") for verdict in calm.values()} == {None}
    assert stormy.keys() == calm.keys()
    scored = {key for key, verdict in stormy.items() if verdict["status"] == "scored"}
    assert {key: stormy[key]["score"] for key in scored} == {key: calm[key]["score"] for key in scored}
    assert len(calm_server.calls) == len(TARGETS) * len(MANY) * 13 - 2 * len(MANY)  # openings are shared
    assert len(stormy_server.calls) <= 2 * len(calm_server.calls)
    assert {call.role for call, _ in stormy_server.faults} == {"user", "target", "judge"}
    failed = {(verdict["unscored"], case) for (_, case), verdict in stormy.items() if "unscored" in verdict}
    names = {"user": "simulator_error", "target": "target_error", "judge": "judge_error"}
    assert failed == {(names[role], case) for role, case in exhausted(stormy_server, attempts)}
    assert scored
    assert failed


# --- fatal failures


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "role", "words"),
    [
        ("401", "user", ["The user litellm/openai/user-good: the key was refused (HTTP 401", "OPENAI_API_KEY"]),
        ("quota", "judge", ["The judge litellm/openai/judge-good: the account has no credit left", "OPENAI_API_KEY"]),
        (
            "404",
            "target",
            ["The target litellm/openai/good: the provider does not know this model", "Correct the name"],
        ),
    ],
)
def test_a_refusal_for_good_names_role_deployment_and_cure(
    workdir: Path, faulty: FaultServer, kind: str, role: str, words: list[str]
) -> None:
    """One line, exit code 2, no traceback; a second run repeats nothing that was finished."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    faulty.script = lambda call: kind if call.role == role else ""
    done = helm_run(workdir, faulty, entry("good", options=",turns=1"), ok=False)
    assert done.returncode == 2
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert all(word in message for word in words), message
    assert "Traceback" not in done.stdout + done.stderr
    finished = {call.digest for call in faulty.calls if call.role != role}
    faulty.script, faulty.calls = never, []
    helm_run(workdir, faulty, entry("good", options=",turns=1"))
    assert not finished & {call.digest for call in faulty.calls}


def limit() -> float:
    """Return the seconds that helm-run may take from the refusal to its end, more on a machine that is busy by now."""
    return 6.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def ended_after_refusal(cwd: Path, server: FaultServer, script: Script, **settings: Any) -> float:
    """Return the seconds between the first fatal answer and the end of a run of 100 conversations in 100 threads."""
    rows = [builders.scenario("m01", base) for base in range(1, 101)]
    builders.write_benchmark_folder(cwd / "benchmarks/mini", scenarios=rows)
    refused: list[float] = []

    def noted(call: Call) -> str:
        fault = script(call)
        if fault == "401" and not refused:
            refused.append(time.monotonic())
        return fault

    server.script = noted
    done = helm_run(cwd, server, entry("good", options=",turns=1"), threads=100, ok=False, **settings)
    ended = time.monotonic()
    assert done.returncode == 2
    assert done.stderr.count("impactbench: The ") == 1
    assert "Traceback" not in done.stdout + done.stderr
    return ended - refused[0]


def test_a_refusal_of_the_first_call_ends_the_run(workdir: Path, faulty: FaultServer) -> None:
    """100 conversations wait for their first call: one call of each thread at most, then the end."""
    assert ended_after_refusal(workdir, faulty, lambda call: "401", IMPACTBENCH_TIMEOUT="60") < limit()
    assert len(faulty.calls) <= 100


@pytest.mark.long
def test_calls_in_flight_come_home_after_a_refusal(workdir: Path, faulty: FaultServer) -> None:
    """They are paid for: the run waits for the 99 answers on their way, begins no call more, and keeps them."""
    faulty.drip, one = 3.0, "m01_s050_v01"
    taken = ended_after_refusal(
        workdir, faulty, lambda call: "401" if call.case == one else "drip", IMPACTBENCH_TIMEOUT="60"
    )
    assert taken < faulty.drip + limit()
    assert len(faulty.calls) <= 100
    finished = {call.digest for call in faulty.calls if call.case != one}
    faulty.script, faulty.calls = never, []
    helm_run(workdir, faulty, entry("good", options=",turns=1"), IMPACTBENCH_TIMEOUT="60")
    assert not finished & {call.digest for call in faulty.calls}


@pytest.mark.long
def test_a_refusal_ends_a_run_whose_threads_wait_for_their_next_attempt(workdir: Path, faulty: FaultServer) -> None:
    """99 threads are told to slow down and would go on for minutes; the refusal ends the run for them too."""
    one = "m01_s050_v01"

    def script(call: Call) -> str:
        return "429" if call.case != one or call.attempt < 3 else "401"

    assert ended_after_refusal(workdir, faulty, script, IMPACTBENCH_ATTEMPTS="9", IMPACTBENCH_MAX_WAIT="60") < limit()
    assert max(call.attempt for call in faulty.calls) < 9


# --- settings


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("IMPACTBENCH_ATTEMPTS", "many", "it must be a whole number from 1"),
        ("IMPACTBENCH_TIMEOUT", "1e10", "it must be a number of seconds from 0.1 to 86400"),
    ],
)
def test_a_setting_out_of_bounds_is_refused_before_the_first_call(
    workdir: Path, faulty: FaultServer, variable: str, value: str, words: str
) -> None:
    """Exit code 2 with the variable's name; nothing was called."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    done = helm_run(workdir, faulty, entry("good"), ok=False, **{variable: value})
    assert done.returncode == 2
    assert f"{variable} is {value!r}, but {words}" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert faulty.calls == []


@pytest.mark.long
def test_retries_are_bounded_in_time(workdir: Path, faulty: FaultServer) -> None:
    """A provider that asks for an hour is not waited for; the reason says so."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini", scenarios=[builders.scenario("m01", 1)])
    faulty.script = lambda call: "429-seconds" if call.role == "target" else ""
    helm_run(workdir, faulty, entry("good"), IMPACTBENCH_ATTEMPTS="50", IMPACTBENCH_MAX_RETRY_SECONDS="0.5")
    (conversation,) = helm.conversations(helm.run_folder(workdir, "s", "mini")).values()
    assert "tried once, and the provider asks to wait 1 s" in conversation["reason"]
    assert len(faulty.of("target")) == 1
