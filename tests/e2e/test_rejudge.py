"""Checks beside the verdict, and stored conversations judged again: what is called, what is written, what is said."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.results.files import run_folders
from tests.conftest import HelmRun, Run
from tests.support import builders, helm
from tests.support.canonical import Canonical
from tests.support.commands import BIN, command_environment, run_command
from tests.support.openai_server import JUDGE_ABSENT, Answer, Body, OpenAIServer, text_of

FILES = ["per_instance_stats", "run_spec", "scenario", "scenario_state", "stats"]
ROWS = [builders.scenario(metric, base) for metric in ("m01", "m02") for base in (1, 2, 3)]


def answer(body: Body) -> Answer:
    """Answer as each role does here: judge-x finds nothing, judge-y finds scenario 2 and will not judge scenario 3."""
    words, model = text_of(body), body["model"]
    own = sum(message["role"] == "assistant" for message in body["messages"]) + 1
    if model.startswith("user"):
        case = words.split("played-persona-")[1][:8]
        if case == "m02_s001":
            return "Thought: no\nMessage: [END OF CHAT]"
        return f"Thought: t\nMessage: case {case} line {own}"
    if not model.startswith("judge"):
        return f"{model} replies {own}"
    if "Question:" in words:
        return said("yes" if "plausibly" in words else "no")
    if model.startswith("judge-y") and "_s003" in words:
        return "I would rather not."
    return said("present" if model.startswith("judge-y") and "_s002" in words else "absent")


def said(answer: str) -> str:
    """Return a judge's answer."""
    return json.dumps({"justification": "So.", "evidence": [], "answer": answer})


def rejudge(folder: Path, server: OpenAIServer, *arguments: object, ok: bool = True) -> Any:
    """Run impactbench rejudge in a working directory."""
    return run_command("impactbench", "rejudge", *arguments, cwd=folder, ok=ok,
                       OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip


def verdicts(folder: Path, suite: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return (target, conversation) -> verdict of a suite."""
    return {
        (path.name.rpartition("=")[2], name): verdict
        for path in (folder / "benchmark_output/runs" / suite).glob("impactbench*")
        for name, verdict in helm.verdicts(path).items()
    }


def short(verdict: dict[str, Any]) -> str:
    """Return a verdict's answer, or the reason for having none."""
    return str(verdict.get("answer") or verdict["unscored"])


def test_checks_are_asked_only_where_they_are_wanted(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """A run with checks costs one judge's call per check and conversation more, and has the same verdicts."""
    server.answer = answer
    builders.write_benchmark_folder(mini, scenarios=ROWS)
    helm_run("target-a", options=",turns=2", suite="plain")
    assert len(server.of("judge")) == 5, "one conversation of six is empty"
    assert not [body for body in server.requests if "Question:" in text_of(body)]
    plain = helm.run_folder(workdir, "plain", "mini")
    assert helm.read(plain, "run_spec")["annotators"][0]["args"] == {"judges": ["litellm/openai/judge-x"]}
    assert "checks" not in json.dumps(helm.read(plain, "scenario_state"))

    server.forget()
    helm_run("target-a", options=",turns=2,checks=plausibility+awareness", suite="checked")
    assert len(server.requests) == len(server.of("judge")) == 5 * 2, "the verdicts come from the cache"
    assert all("Question:" in text_of(body) for body in server.requests)
    checked = helm.run_folder(workdir, "checked", ",turns=2,checks=awareness+plausibility,model=")
    for name, verdict in helm.verdicts(checked).items():
        checks = verdict.pop("checks", {})
        assert verdict == helm.verdicts(plain)[name]
        assert {check: result["answer"] for check, result in checks.items()} == (
            {} if "unscored" in verdict else {"awareness": False, "plausibility": True}
        )
    assert helm.total(checked, "pass_rate") == helm.total(plain, "pass_rate")

    server.forget()
    helm_run("target-a", options=",turns=2,checks=awareness+plausibility", suite="checked")
    assert server.requests == []


def test_only_the_new_judge_is_called_and_only_once(suite: Path, server: OpenAIServer) -> None:
    """No user, no target; a repeat and a third suite make no call at all; judge-x's suite stays as it was."""
    before = {path: path.read_bytes() for path in (suite / "benchmark_output/runs/s").rglob("*.json")}
    rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", "t")
    assert {body["model"] for body in server.requests} == {"judge-y"}
    unreadable = [body for body in server.requests if "_s003" in text_of(body)]
    assert len(unreadable) == 2 * 2 * 3, "three attempts each"
    assert len(server.requests) - len(unreadable) == 2 * 3, "the empty conversation is not judged"
    for other in ("t", "u"):
        server.forget()
        rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", other)
        assert server.requests == []
    assert {path: path.read_bytes() for path in before} == before


def test_the_new_suite_is_a_suite(suite: Path, server: OpenAIServer, run: Run) -> None:
    """Judge in name and annotators, statistics of the new verdicts, provenance; the leaderboard works."""
    rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", "t")
    old, new = helm.run_folder(suite, "s", "target-a"), helm.run_folder(suite, "t", "target-a")
    assert new.name == old.name.replace("judge-x", "judge-y")
    assert helm.read(new, "run_spec")["name"] == new.name
    assert helm.read(new, "run_spec")["annotators"][0]["args"] == {"judges": ["litellm/openai/judge-y"]}
    assert helm.read(new, "scenario_state")["annotator_specs"] == helm.read(new, "run_spec")["annotators"]
    assert {name: short(verdict) for name, verdict in helm.verdicts(new).items()} == {
        "m01_s001_v01": "absent", "m01_s002_v01": "present", "m01_s003_v01": "judge_unparsable",
        "m02_s001_v01": "conversation_empty", "m02_s002_v01": "present", "m02_s003_v01": "judge_unparsable",
    }  # fmt: skip
    assert helm.conversations(new) == helm.conversations(old)
    assert helm.total(new, "pass_rate") == (1, 3), "m01 passes when present, m02 when absent"
    assert helm.total(new, "unscored") == (3, 6)
    provenance = helm.read(new, "scenario")["provenance"]
    assert provenance["rejudged_from"]["suite"] == "s"
    assert provenance["rejudged_from"]["run"] == old.name
    assert len(provenance["judged_with"]["prompts_digest"]) == 64
    run("impactbench", "summarize", "--schema-only", "--out", "mine.yaml")
    run("helm-summarize", "--suite", "t", "--schema-path", "mine.yaml")
    assert (new / "display_predictions.json").is_file()
    shown = run("impactbench", "summarize", "--show", "--suite", "t", "--group", "mini").stdout
    assert shown.count("openai/target-") == 2


def test_the_flip_matrix_is_the_one_of_the_files(suite: Path, server: OpenAIServer) -> None:
    """Counted here anew from the two suites; and what to do next is said."""
    done = rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", "t",
                   "--out", "flips.json")  # fmt: skip
    before, after = verdicts(suite, "s"), verdicts(suite, "t")
    expected: Counter[str] = Counter()
    for key, verdict in before.items():
        was, now = verdict.get("answer"), after[key].get("answer")
        gone = {(True, True): "never_scored", (True, False): "newly_scored", (False, True): "no_longer_scored"}
        expected[gone.get((was is None, now is None)) or f"{was}_to_{now}"] += 1
    assert expected == {"absent_to_present": 4, "absent_to_absent": 2, "no_longer_scored": 4, "never_scored": 2}
    written = json.loads((suite / "flips.json").read_text())
    overall, own = written["changes"][:2]
    assert (overall["over"], overall["name"], overall["measure"]) == ("all", "all", "presence")
    assert {change: overall[change] for change in expected} == expected
    assert (overall["scored_in_both"], overall["changed"]) == (6, pytest.approx(4 / 6))
    assert {**own, "name": "all", "over": "all"} == overall
    assert {row["change"] for row in written["changed"]} == {"absent_to_present", "no_longer_scored"}
    assert {row["after"] for row in written["changed"]} == {"present", "judge_unparsable"}
    assert len(written["changed"]) == 8
    (row,) = [line.split() for line in done.stdout.splitlines() if line.split()[:1] == ["mini"]]
    assert row[-2:] == ["4", "4"]
    assert "impactbench summarize --suite t" in done.stdout


def test_the_same_judge_gives_the_same_run(mini: Path, run: Run, workdir: Path) -> None:
    """With the run's own judge every file is the same to the byte, but for where it comes from."""
    entry = "impactbench:benchmark=mini,turns=3,samples=2,user=rehearsal/user,judge=rehearsal/judge"
    run("helm-run", "--run-entries", f"{entry},checks=awareness,model=rehearsal/mixed", "--suite", "s", "-m", 100)
    run("impactbench", "rejudge", "--suite", "s", "--judge", "rehearsal/judge", "--to-suite", "t")
    old, new = helm.run_folder(workdir, "s", "mini"), helm.run_folder(workdir, "t", "mini")
    assert new.name == old.name
    for name in FILES:
        if name != "scenario":
            assert (new / f"{name}.json").read_bytes() == (old / f"{name}.json").read_bytes(), name
    before, after = helm.read(old, "scenario"), helm.read(new, "scenario")
    del after["provenance"]["rejudged_from"], after["provenance"]["judged_with"]
    assert after == before


def test_a_panel_with_checks_and_a_choice_of_runs(suite: Path, server: OpenAIServer) -> None:
    """Each judge of a panel is asked; --checks adds them; --model chooses."""
    panel = "litellm/openai/judge-x+litellm/openai/judge-z"
    rejudge(suite, server, "--suite", "s", "--judge", panel, "--to-suite", "t", "--checks", "awareness",
            "--model", "litellm/openai/target-a")  # fmt: skip
    (path,) = (one for one in (suite / "benchmark_output/runs/t").iterdir() if one.is_dir())
    assert "judge=litellm_openai_judge-x+litellm_openai_judge-z,turns=2,checks=awareness,model=" in path.name
    assert len(server.of("judge-x")) == 5, "checks alone: its verdicts are in the cache"
    assert len(server.of("judge-z")) == 5 * 2
    assert len(server.requests) == 15


def test_a_kill_leaves_whole_runs_and_a_repeat_goes_on(suite: Path, server: OpenAIServer, helm_run: HelmRun) -> None:
    """SIGKILL in the middle: every run that is there is whole; the repeat asks only what was not answered."""
    helm_run(*(f"target-{letter}" for letter in "abcd"), options=",turns=2")
    server.forget()

    def slowly(body: Body) -> Answer:
        time.sleep(0.05)
        return JUDGE_ABSENT

    server.answer = slowly
    arguments = ["rejudge", "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", "t", "-n", "1"]
    with subprocess.Popen(
        [str(BIN / "impactbench"), *arguments],
        cwd=suite,
        env=command_environment(OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        deadline = time.monotonic() + 300
        while len(server.requests) < 12 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    asked = len(server.requests)
    assert 12 <= asked < 20
    there = run_folders(suite / "benchmark_output/runs/t")
    assert 1 <= len(there) < 4
    for one in there:
        assert sorted(path.stem for path in one.path.iterdir()) == FILES
        assert len(one.outcomes()) == 6
    rejudge(suite, server, *arguments[1:])
    assert len(server.requests) in (20, 21), "the call that was under way may have been asked twice"
    rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-y", "--to-suite", "fresh")
    for one in run_folders(suite / "benchmark_output/runs/fresh"):
        again = suite / "benchmark_output/runs/t" / one.path.name
        assert [(again / f"{name}.json").read_bytes() for name in FILES] == [
            (one.path / f"{name}.json").read_bytes() for name in FILES
        ]
    assert not list((suite / "benchmark_output/runs/t").glob(".*"))


def test_a_provider_that_failed_is_asked_again(suite: Path, server: OpenAIServer) -> None:
    """A judge's error is unscored in the new run; the repeat asks for it and puts the run in the place of the old."""
    server.answer = lambda body: (
        (500, {"error": {"message": "broken"}}) if "m01_s002" in text_of(body) else answer(body)
    )
    arguments = ("--suite", "s", "--judge", "litellm/openai/judge-z", "--to-suite", "t")
    rejudge(suite, server, *arguments)
    assert verdicts(suite, "t")["openai_target-a", "m01_s002_v01"]["unscored"] == "judge_error"
    server.answer = answer
    server.forget()
    rejudge(suite, server, *arguments)
    assert len(server.requests) == 2
    assert short(verdicts(suite, "t")["openai_target-a", "m01_s002_v01"]) == "absent"


def test_a_refused_key_ends_it_readably(suite: Path, server: OpenAIServer) -> None:
    """One message, few calls, nothing half written."""
    server.answer = lambda body: (401, {"error": {"message": "no"}})
    done = rejudge(suite, server, "--suite", "s", "--judge", "litellm/openai/judge-q", "--to-suite", "t", "-n", 2,
                   ok=False)  # fmt: skip
    assert done.returncode != 0
    assert "litellm/openai/judge-q: the key was refused (HTTP 401: no)" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(server.requests) <= 2
    assert not (suite / "benchmark_output/runs/t").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"--to-suite": "s"}, "the suite that is read", id="onto itself"),
        pytest.param({"--to-suite": "../x"}, "is a path. Give only the name of a suite", id="a path"),
        pytest.param({"--suite": "r"}, "No suite 'r'", id="no such suite"),
        pytest.param({"--judge": "rehearsal/strictjudge"}, "Did you mean rehearsal/strict-judge", id="misspelt judge"),
        pytest.param({"--judge": "rehearsal/judge+"}, "none of them blank", id="blank judge"),
        pytest.param({"--judge": "litellm/anthropic/j"}, "ANTHROPIC_API_KEY", id="no key"),
        pytest.param({"--checks": "awarenes"}, "Did you mean awareness?", id="misspelt check"),
        pytest.param({"--benchmark": "minni"}, "Did you mean mini?", id="misspelt benchmark"),
        pytest.param({"--model": "litellm/openai/target-c"}, "Suite s has no model", id="no such target"),
        pytest.param({"--out": "no/where.json"}, "There is no folder no", id="no folder for the figures"),
        pytest.param({"--to-suite": "other"}, "it has conversations of its own (helm-run wrote it)", id="a real run"),
        pytest.param({"--to-suite": "t"}, "it has other options", id="another rejudging"),
    ],
)
def test_a_mistake_is_explained_before_any_call(
    suite: Path, server: OpenAIServer, helm_run: HelmRun, arguments: dict[str, str], words: str
) -> None:
    """What was got, what is allowed; nothing is called or written."""
    given = {"--suite": "s", "--judge": "rehearsal/judge", "--to-suite": "t", **arguments}
    if arguments == {"--to-suite": "other"}:
        helm_run("target-a", options=",turns=2", suite="other")
        given["--judge"] = "litellm/openai/judge-x"
    if arguments == {"--to-suite": "t"}:
        rejudge(suite, server, *(part for pair in given.items() for part in pair))
        spec = next((suite / "benchmark_output/runs/t").glob("*target-a/run_spec.json"))
        spec.write_text(spec.read_text().replace('"max_tokens": 4096', '"max_tokens": 4097'))
    server.forget()
    done = rejudge(suite, server, *(part for pair in given.items() for part in pair), ok=False)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert server.requests == []


def test_the_erring_judges_err_as_they_say(tmp_path: Path, canonical: Canonical) -> None:
    """On a shipped benchmark: strict only loses, lenient only adds, each in about a fifth of the cases."""
    canonical.put(tmp_path, ["flourishing"], ["supportive", "harmful", "mixed"])
    for judge, lost, added in (("strict", "present_to_absent", "absent_to_present"),
                               ("lenient", "absent_to_present", "present_to_absent")):  # fmt: skip
        arguments = ("--judge", f"rehearsal/{judge}-judge", "--to-suite", judge, "--out", "flips.json")
        told = run_command("impactbench", "rejudge", "--suite", "s", *arguments, cwd=tmp_path).stdout
        assert f"Rehearsal: the judge is a script. Verdicts of rehearsal/{judge}-judge measure nothing." in told
        overall = json.loads((tmp_path / "flips.json").read_text())["changes"][0]
        kept = overall["present_to_present" if judge == "strict" else "absent_to_absent"]
        assert overall[added] == 0
        assert 0.10 < overall[lost] / (overall[lost] + kept) < 0.30


def test_generated_now_judged_later(mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path) -> None:
    """judge=none asks no judge and ranks nobody; rejudging gives what a run with that judge has."""
    server.answer = answer
    builders.write_benchmark_folder(mini, scenarios=ROWS)
    helm_run("target-a", options=",turns=2", suite="whole")
    entry = "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=none,turns=2,model=litellm/openai/target-a"
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    server.forget()
    run_command("helm-run", "--run-entries", entry, "--suite", "raw", "-m", 10000, cwd=workdir, **keys)
    assert server.requests == [], "user and target come from the cache, and no judge is asked"
    done = run_command("impactbench", "compare", "--suite", "raw", cwd=workdir, ok=False)
    assert done.returncode == 2
    assert (
        "None of 6 conversations has a verdict, so there is no rank (5: no judge has been asked yet; 1: " in done.stderr
    )
    rejudge(workdir, server, "--suite", "raw", "--judge", "litellm/openai/judge-x", "--to-suite", "judged")
    assert server.requests == [], "that judge's answers are in the cache as well"
    whole, judged = helm.run_folder(workdir, "whole", "mini"), helm.run_folder(workdir, "judged", "mini")
    assert judged.name == whole.name
    for name in ("run_spec", "stats", "per_instance_stats"):
        assert helm.read(judged, name) == helm.read(whole, name), name
    assert helm.verdicts(judged) == helm.verdicts(whole)
