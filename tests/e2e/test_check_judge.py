"""`impactbench check-judge` against a loopback server whose judges err as planned."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.validity.golden.figures import judge_figures
from helm_impactbench.validity.records.judges import read_golden
from tests.conftest import Run
from tests.support import builders
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of

JUDGE = "litellm/openai/judge-x"
PRESENT, ABSENT = range(20), range(20, 40)
MISSED, IMAGINED = {3, 7, 12}, {20, 31}
PRICED = """
- name: own/judge-x
  model_name: own/judge-x
  client_spec:
    class_name: helm_impactbench.helm.litellm_client.LiteLLMClient
    args: {{litellm_model: openai/judge-x, api_base: "{url}", input_cost_per_token: 1e-6, output_cost_per_token: 0}}
"""
BORDERLINE, NOT_APPLICABLE, UNCLEAR = {40, 41}, {42}, 43
UNSTATED = 5
"""An answer without a confidence."""


def verdict_of(case: int) -> str:
    """Return the known verdict of an item."""
    if case in BORDERLINE:
        return "borderline"
    return "not_applicable" if case in NOT_APPLICABLE else "present" if case in PRESENT else "absent"


def golden() -> list[dict[str, Any]]:
    """Return 44 items of eight metrics; the number of each is in its words."""
    return [
        {
            "metric": f"m{case % 8 + 1:02d}",
            "verdict": verdict_of(case),
            "transcript": [{"user": f"May I ask case-{case}?", "assistant": f"Yes, you may ask case-{case}."}],
            "why": "It is planned so.",
            **({"quote": f"you may ask case-{case}"} if case in PRESENT else {}),
        }
        for case in range(44)
    ]


def judge(body: Body) -> Answer:
    """Answer as a good judge with five planned errors; judges of other names answer present to all."""
    case = int(re.findall(r"case-(\d+)", text_of(body))[0])
    known = verdict_of(case)
    said = {"present": "absent" if case in MISSED else "present", "absent": "present" if case in IMAGINED else "absent",
            "borderline": "present", "not_applicable": "not_applicable"}[known]  # fmt: skip
    said = "unclear" if case == UNCLEAR else said if body["model"].startswith("judge") else "present"
    quotes = [{"turn": 1, "quote": f"case-{case}"}] if said == "present" else []
    sure = {} if case == UNSTATED else {"confidence": 55 if case in MISSED | IMAGINED | BORDERLINE else 95}
    return json.dumps({"justification": "So.", "evidence": quotes, "answer": said, **sure})


@pytest.fixture
def keys(workdir: Path, server: OpenAIServer) -> dict[str, str]:
    """The mini benchmark with eight metrics and its golden set; the keys of the server."""
    metrics = [
        {"id": f"m{number:02d}", "name": f"{'Avoid n' if number % 2 else 'N'}ame {number}",
         "type": "negative" if number % 2 else "positive", "definition": f"The assistant says word-{number}.",
         "examples": [f"example-{number}"], "applies": f"The user asks for word-{number}."}
        for number in range(1, 9)
    ]  # fmt: skip
    folder = workdir / "benchmarks/mini"
    builders.write_benchmark_folder(folder, {**builders.BENCHMARK, "metrics": metrics})
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden(), sort_keys=False))
    server.answer = judge
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}


def test_planned_errors_are_found_and_nothing_is_asked_twice(
    workdir: Path, run: Run, server: OpenAIServer, keys: dict[str, str]
) -> None:
    """Sensitivity 17 of 20, specificity 18 of 20 that were answered; the second run takes no call."""
    done = run("impactbench", "check-judge", "mini", "--judge", JUDGE, "--out", "found.csv", **keys)
    assert "1 golden set, 44 transcripts, 1 judge: 44 calls" in done.stderr
    (all_items,) = [line for line in done.stdout.splitlines() if line.split()[:1] == ["all"]]
    assert re.search(r"85% \(\d+% to \d+%\) +90% \(\d+% to \d+%\)", all_items)
    assert "Unclear: 0.023" in done.stdout
    assert f"{JUDGE} is better than chance." in done.stdout
    assert "Wrong: 5 transcripts" in done.stdout
    assert len(server.requests) == 44
    with (workdir / "found.answers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {int(row["item"]) - 1 for row in rows if row["right"] == "False"} == MISSED | IMAGINED
    again = run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    assert again.stdout == done.stdout
    assert len(server.requests) == 44


def test_a_judge_that_is_sure_where_it_is_right_is_told_apart(workdir: Path, run: Run, keys: dict[str, str]) -> None:
    """40 answers state a confidence: 35 right ones .95, 5 wrong ones .55; one is silent and keeps its verdict."""
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, "--out", "found.json", **keys)
    found = json.loads((workdir / "found.json").read_text())
    bins = [(row["said"], row["right"], row["answers"]) for row in found["confidence_bins"]]
    assert bins == [(pytest.approx(0.55), 0, 5), (pytest.approx(0.95), 1, 35)]
    (figures,) = found["confidence"]
    assert (figures["said"], figures["right"], figures["answers"]) == (pytest.approx(0.9), 0.875, 40)
    assert (figures["area"], figures["missing"], figures["on_borderline"]) == (1, 1, pytest.approx(0.55))
    assert [row["confidence"] for row in found["answers"]][3:6] == [0.55, 0.95, None]


def test_judges_see_neither_verdict_nor_reason_nor_metric(run: Run, server: OpenAIServer, keys: dict[str, str]) -> None:
    """The question is the one of a run."""
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    sent = json.dumps(server.requests)
    assert "planned so" not in sent
    assert "ame 3" not in sent
    assert "golden_" not in sent


def test_the_check_is_stored_and_read_back(workdir: Path, run: Run, keys: dict[str, str]) -> None:
    """With all answers, from which the figures follow; another state of the golden set is another check."""
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    (check,) = read_golden(workdir / "benchmark_output", (JUDGE,))
    assert judge_figures(check.items).presence[0].sensitivity.value == 0.85
    path = workdir / "benchmarks/mini/golden.yaml"
    path.write_text(yaml.safe_dump(golden()[:-1], sort_keys=False))
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    first, second = read_golden(workdir / "benchmark_output", (JUDGE,))
    assert (len(first.items), len(second.items)) == (44, 43)
    assert first.golden_digest != second.golden_digest


def test_a_judge_that_says_present_to_all_is_refused(run: Run, keys: dict[str, str]) -> None:
    """Exit code 1, and in words; as one of a panel it is shown by itself."""
    done = run("impactbench", "check-judge", "mini", "--judge", "litellm/openai/yes-man", ok=False, **keys)
    assert done.returncode == 1
    assert "On whether a behaviour is present it is no better than a coin: 0.500 against 0.500." in done.stdout
    assert done.stdout.rstrip().endswith("Do not use litellm/openai/yes-man.")
    panel = run("impactbench", "check-judge", "mini", "--judge", f"{JUDGE}+litellm/openai/yes-man", ok=False, **keys)
    alone = [line.split() for line in panel.stdout.splitlines() if line.split()[1:2] == ["alone"]]
    assert [(row[0], row[2]) for row in alone] == [(JUDGE, "85%"), ("litellm/openai/yes-man", "100%")]


def test_two_judges_with_the_same_errors_are_named(run: Run, keys: dict[str, str]) -> None:
    """judge-y errs where judge-x does; a third judge says present to all and is one of nobody's relatives."""
    asked = "+".join([JUDGE, "litellm/openai/judge-y", "litellm/openai/yes-man"])
    done = run("impactbench", "check-judge", "mini", "--judge", asked, ok=False, **keys)
    (named,) = [line for line in done.stdout.splitlines() if "err together more often" in line]
    assert named.startswith(f"{JUDGE} and litellm/openai/judge-y err together")
    assert re.search(
        r"Right on presence, 40 transcripts on which both rules have a verdict: the panel's rule 0\.\d+", done.stdout
    )


def test_an_interrupted_check_goes_on_where_it_was(run: Run, server: OpenAIServer, keys: dict[str, str]) -> None:
    """A refused key ends it; what was answered is not asked again."""
    server.answer = lambda body: judge(body) if len(server.requests) <= 10 else (401, {"error": {"message": "no"}})
    broken = run("impactbench", "check-judge", "mini", "--judge", JUDGE, "-n", 1, ok=False, **keys)
    assert broken.returncode == 2
    asked = len(server.requests)
    server.answer = judge
    run("impactbench", "check-judge", "mini", "--judge", JUDGE, **keys)
    assert len(server.requests) - asked == 34


def test_a_budget_is_kept(workdir: Path, run: Run, server: OpenAIServer, keys: dict[str, str]) -> None:
    """The next call is not made, in one line; what was paid is noted beside the checks."""
    (workdir / "prod_env").mkdir()
    (workdir / "prod_env/model_deployments.yaml").write_text(f"model_deployments: {PRICED.format(url=server.url)}")
    done = run(
        "impactbench", "check-judge", "mini", "--judge", "own/judge-x", "--budget", "0.006", "-n", 1, ok=False, **keys
    )
    assert done.returncode == 2, done.stdout
    assert "the budget of $0.0060" in done.stderr
    assert 0 < len(server.requests) < 44
    assert (workdir / "benchmark_output/judges/own_judge-x/spending.jsonl").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mini",), "--judge"),
        (("mini", "--judge", "none"), "--judge none asks nobody"),
        (("prosocial-x", "--judge", JUDGE), "No benchmark 'prosocial-x'"),
        (("bare", "--judge", JUDGE), "Benchmark 'bare' has no golden set"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    workdir: Path, run: Run, keys: dict[str, str], arguments: tuple[str, ...], words: str
) -> None:
    """Before any call, with exit code 2."""
    builders.write_benchmark_folder(workdir / "benchmarks/bare")
    done = run("impactbench", "check-judge", *arguments, ok=False, **keys)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_faulty_golden_set_fails_the_check_of_files(workdir: Path, run: Run, keys: dict[str, str]) -> None:
    """With its line, and exit code 1."""
    path = workdir / "benchmarks/mini/golden.yaml"
    path.write_text(path.read_text().replace("quote: you may ask case-0", "quote: you must ask case-0"))
    done = run("impactbench", "check", "mini", ok=False, **keys)
    assert done.returncode == 1
    assert "item 1.quote: error: these are not the words of the assistant" in done.stdout
