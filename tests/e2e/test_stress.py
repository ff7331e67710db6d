"""`impactbench stress`: against the scripted judges, and a loopback server that counts its calls."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helm_impactbench.validity.records.judges import read_golden, read_stress
from helm_impactbench.validity.stress.figures import moves
from tests.conftest import Run
from tests.e2e.test_check_judge import JUDGE, PRICED, judge, keys  # noqa: F401 - a fixture
from tests.support.canonical import Canonical
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of

GULLIBLE = "rehearsal/gullible-judge"


def test_an_injected_verdict_that_moves_a_gullible_judge_is_listed(workdir: Path, run: Run) -> None:
    """With its place and both verdicts, on the terminal and in the file; no other edit moves it. The exit code is 1."""
    done = run(
        "impactbench", "stress", "prosocial", "--judge", GULLIBLE, "--edits", "all", "--out", "moved.json", ok=False
    )
    assert done.returncode == 1, done.stderr
    assert "Verdicts move with injection, beyond what chance" in done.stdout
    found = json.loads((workdir / "moved.json").read_text())
    assert {row["edit"] for row in found["moved"]} == {"injection"}
    (row,) = [row for row in found["moved"] if (row["metric"], row["item"]) == ("m02", "10")]
    assert (row["plain"], row["edited"], row["known"], row["became"]) == ("absent", "present", "absent", "to wrong")
    assert "present" in row["transcript"]
    (stored,) = read_stress(workdir / "benchmark_output", (GULLIBLE,))
    assert len(moves(stored.items, stored.kinds)) == len(found["moved"])
    assert found["edits"][-1]["edit"] == "injection"
    assert [row["taken"] for row in found["injected"] if (row["injected"], row["form"]) == ("present", "json")] == [1]


def test_stored_conversations_take_the_place_of_golden_sets(workdir: Path, run: Run, canonical: Canonical) -> None:
    """A sample of a suite's; nothing is known of them, and an injection contradicts the stored verdict."""
    canonical.put(workdir, ["flourishing"], ["supportive", "harmful"])
    done = run("impactbench", "stress", "flourishing", "--judge", GULLIBLE, "--suite", "s", "--conversations", "30",
               "--edits", "order+injection", "--out", "moved.json", ok=False)  # fmt: skip
    assert f"{GULLIBLE} on 30 transcripts of suite s, plain and edited" in done.stdout
    assert done.returncode == 1, done.stderr
    found = json.loads((workdir / "moved.json").read_text())["moved"]
    assert {row["edit"] for row in found} == {"injection"}
    assert len(found) == 30
    assert {row["item"].split()[0] for row in found} == {"rehearsal/supportive", "rehearsal/harmful"}
    (stored,) = read_stress(workdir / "benchmark_output", (GULLIBLE,))
    assert stored.source == "suite s"
    assert all(one.known == "" and one.injected is not None for one in stored.items)


def test_a_literal_judge_holds_and_both_kinds_of_check_are_kept(workdir: Path, run: Run) -> None:
    """Exit code 0; a check of the judge afterwards leaves the stress where it is."""
    done = run("impactbench", "stress", "prosocial", "--judge", "rehearsal/judge", "--edits", "order+injection")
    assert "No effect of order" in done.stdout or "Nothing can be said of order" in done.stdout
    assert "Verdicts that moved" not in done.stdout
    run("impactbench", "check-judge", "prosocial", "--judge", "rehearsal/judge", ok=False)
    output = workdir / "benchmark_output"
    assert len(read_golden(output, ("rehearsal/judge",))) == 1
    assert [one.kinds for one in read_stress(output, ("rehearsal/judge",))] == [("order", "injection")]


def test_the_plan_comes_first_and_nothing_is_asked_twice(
    workdir: Path,
    run: Run,
    server: OpenAIServer,
    keys: dict[str, str],  # noqa: F811
) -> None:
    """A dry run asks nothing. Plain questions are those of a check, and a repetition is a call of its own."""
    asked = ("impactbench", "stress", "mini", "--judge", JUDGE, "--edits", "padding")
    dry = run(*asked, "--dry-run", **keys)
    assert "44 transcripts (plain 44, repeat 44, padding 44), 1 judge: 132 calls" in dry.stdout
    assert not server.requests
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    assert len(server.requests) == 44
    first = run(*asked, **keys)
    assert len(server.requests) == 132
    assert run(*asked, **keys).stdout == first.stdout
    assert len(server.requests) == 132


def test_a_budget_is_kept(
    workdir: Path,
    run: Run,
    server: OpenAIServer,
    keys: dict[str, str],  # noqa: F811
) -> None:
    """As that of a check."""
    (workdir / "prod_env").mkdir()
    (workdir / "prod_env/model_deployments.yaml").write_text(f"model_deployments: {PRICED.format(url=server.url)}")
    done = run("impactbench", "stress", "mini", "--judge", "own/judge-x", "--edits", "all", "--budget", "0.002",
               "-n", 1, ok=False, **keys)  # fmt: skip
    assert done.returncode == 2, done.stdout
    assert "the budget of $0.0020" in done.stderr
    assert ", $0.0020 at most." in done.stderr


@pytest.mark.parametrize(("arguments", "words"), [
    (("--judge", JUDGE, "--edits", "pading"), "--edits cannot be 'pading'"),
    (("--judge", JUDGE, "--edits", "translation"), "--edits translation needs a model that writes it."),
    (("--edits", "all"), "--judge")])  # fmt: skip
def test_wrong_use_is_told_in_one_line(run: Run, arguments: tuple[str, ...], words: str) -> None:
    """Before any call, with exit code 2."""
    done = run("impactbench", "stress", "prosocial", *arguments, ok=False)
    assert done.returncode == 2
    assert words in done.stderr


def test_paraphrases_are_written_by_a_model_and_shown_to_the_judge(
    workdir: Path,
    run: Run,
    server: OpenAIServer,
    keys: dict[str, str],  # noqa: F811
) -> None:
    """One that it cannot write is left out, with a reason."""
    server.answer = lambda body: _writes(body) if "writer" in body["model"] else judge(body)
    done = run("impactbench", "stress", "mini", "--judge", JUDGE, "--edits", "paraphrase",
               "--rewriter", "litellm/openai/writer", ok=False, **keys)  # fmt: skip
    assert "44 transcripts (plain 44, repeat 44, paraphrase 44), 1 judge: 176 calls" in done.stderr
    (stored,) = read_stress(workdir / "benchmark_output", (JUDGE,))
    assert stored.rewriter == "litellm/openai/writer"
    asked = [text_of(body) for body in server.requests if "writer" not in body["model"]]
    assert sum("put otherwise" in text for text in asked) == 43
    assert "paraphrase: 1 transcript left out, no paraphrase that can be used" in done.stdout


def _writes(body: Body) -> Answer:
    case = re.findall(r"case-(\d+)", text_of(body))[0]
    return json.dumps({"messages": [f"May I, case-{case}?", f"Put otherwise, put otherwise, case-{case}."]}
                      if case != "7" else {"messages": ["", ""]})  # fmt: skip
