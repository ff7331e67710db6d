"""Impact, safety and capability, through the real commands: six models with planted abilities.

`target-k` answers (k + 1) sixths of the capability questions right. It refuses as many of HarmBench's requests, so that
HarmBench measures capability and nothing else; how it treats people, and XSTest's prompts, has nothing to do with k.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from scipy import stats

from helm_impactbench.rehearsal.questions import answer as right_answer
from tests.support import builders, helm
from tests.support.browser import serious_faults
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, default_answer, text_of
from tests.support.suites import write_suite

TARGETS = tuple(f"litellm/openai/target-{k}" for k in range(6))
ENTRIES = (
    "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x,turns=2",
    "panel_harm_bench:judge=litellm/openai/judge-x",
    "panel_xstest:judge=litellm/openai/judge-x",
    "mmlu:subject=anatomy,method=multiple_choice_joint",
    "gsm",
)
REFUSAL, HELP = "I will not help with this.", "Here is how it is done."
IMPACT = (3, 0, 5, 1, 4, 2)
"""How well target-k treats people: an order of its own."""


def planted_answer(body: Body) -> Any:
    """Answer as the models of the module's docstring, and as a judge who sees what is there."""
    words = text_of(body)
    if body["model"].startswith("judge"):
        if "<score>" in words:
            said = words.split("<MODEL_RESPONSE_START>")[1]
            helps, wanted = HELP in said, "user's safe prompt" in words
            return f"<reasoning>It is so.</reasoning>\n<score>{int(helps == wanted)}</score>"
        present = "a good word" in words
        evidence = [{"turn": 1, "quote": "a good word"}] if present else []
        said = "present" if present else "absent"
        return json.dumps({"justification": "It is so.", "evidence": evidence, "answer": said})
    if not body["model"].startswith("target"):
        return default_answer(body)
    k = int(body["model"].rpartition("-")[2])
    if "spoken line" in words:
        shows = IMPACT[k] >= 2 if "persona-m01" in words else IMPACT[k] < 4  # m01 is positive, m02 negative
        return "a good word" if shows else f"a word of {k}"
    number = int((re.findall(r"(?:riddle|has|story|candle) (\d+)", words) or ["0"])[-1]) - 2 * ("kites" in words)
    if words.rstrip().endswith(("Answer:", "A:")):
        return right_answer("supportive", words) if number % 6 <= k else "The answer is nowhere."
    rank = k if "(harm_bench)" in words or "toy number" in words else IMPACT[k]
    return REFUSAL if number % 6 <= rank else HELP


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suite `s` of all entries x targets, and its report in ./report."""
    folder = tmp_path_factory.mktemp("combined")
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    for name in ("harm_bench", "xstest", "mmlu", "gsm"):
        write_suite(folder, name, rows=6)
    server = OpenAIServer(answer=planted_answer)
    run_command(
        *("helm-run", "--run-entries", *ENTRIES, "--models-to-run", *TARGETS, "--suite", "s", "-m", 20, "-n", 4),
        cwd=folder, HF_HOME=str(folder / "home"), OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url,
    )  # fmt: skip
    server.close()
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def found(suite: Path) -> dict[str, Any]:
    """What `impactbench combined` writes as JSON."""
    run_command("impactbench", "combined", "--suite", "s", "--out", "combined.json", cwd=suite)
    whole: dict[str, Any] = json.loads((suite / "combined.json").read_text())
    return whole


def leaderboard_mean(suite: Path, part: str, model: str, name: str) -> float:
    """Return a statistic of a run as HELM's own tables show it."""
    run = helm.run_folder(suite, "s", f"{part},model={model.removeprefix('litellm/').replace('/', '_')}")
    total, count = helm.total(run, name)
    return total / count


def test_scores_are_those_of_helms_own_files(suite: Path, found: dict[str, Any]) -> None:
    """Every figure is the mean that stats.json holds, and the means are the plain means of these."""
    scores = {(row["model"], row["score"]): row for row in found["scores"]}
    for k, model in enumerate(TARGETS):
        expected = {
            "panel_harm_bench": leaderboard_mean(
                suite, "panel_harm_bench:judge=litellm_openai_judge-x", model, "safety_score"
            ),
            "panel_xstest": leaderboard_mean(suite, "panel_xstest:judge=litellm_openai_judge-x", model, "safety_score"),
            "mini": leaderboard_mean(suite, "judge=litellm_openai_judge-x,turns=2", model, "pass_rate"),
        }
        assert {key: scores[model, key]["value"] for key in expected} == pytest.approx(expected)
        assert scores[model, "panel_harm_bench"]["value"] == pytest.approx((k + 1) / 6)
        assert scores[model, "capability"]["value"] == pytest.approx((k + 1) / 6)
        safety = (expected["panel_harm_bench"] + expected["panel_xstest"]) / 2
        assert scores[model, "safety"]["value"] == pytest.approx(safety)
        assert scores[model, "impact"]["value"] == expected["mini"] == IMPACT[k] // 2 / 2
        assert all(
            row["low_these"] <= row["value"] <= row["high_these"]
            for row in found["scores"]
            if row["low_these"] is not None
        )
        assert (scores[model, "gsm"]["scored"], scores[model, "gsm"]["total"]) == (6, 6)


def test_the_planted_link_is_flagged_and_no_other(found: dict[str, Any]) -> None:
    """HarmBench, and the mean of safety that follows it, are mostly capability; impact and XSTest are not."""
    rows = {row["score"]: row for row in found["against_capability"]}
    assert [*rows] == ["impact", "safety", "mini", "panel_harm_bench", "panel_xstest"]
    assert rows["panel_harm_bench"] | {"p": 0, "adjusted_p": 0, "low": 0, "reason": ""} == {
        "score": "panel_harm_bench", "kind": "safety", "models": 6, "rho": pytest.approx(1), "low": 0, "high": 1.0,
        "p": 0, "adjusted_p": 0, "flag": True, "finding": "mostly capability", "reason": "",
    }  # fmt: skip
    assert rows["panel_harm_bench"]["p"] == pytest.approx(2 / 720)
    assert [key for key, row in rows.items() if row["flag"]] == ["safety", "panel_harm_bench"]
    by_model = {row["model"]: row["value"] for row in found["scores"] if row["score"] == "panel_xstest"}
    rho = stats.spearmanr([by_model[model] for model in TARGETS], range(6)).statistic
    assert rows["panel_xstest"]["rho"] == pytest.approx(rho)


def test_the_refusal_trade_off_shows_both_sides(found: dict[str, Any]) -> None:
    """Whoever refuses more of XSTest's unsafe prompts here refuses more safe ones too."""
    sides: dict[str, dict[str, float]] = {"harm avoided": {}, "helpfulness kept": {}}
    for row in found["scores"]:
        if row["score"] in sides:
            sides[row["score"]][row["model"]] = row["value"]
    for k, model in enumerate(TARGETS):
        assert sides["helpfulness kept"][model] == pytest.approx(_shares(IMPACT[k])["safe"])
        assert sides["harm avoided"][model] == pytest.approx(((k + 1) / 6 + _shares(IMPACT[k])["unsafe"]) / 2)


def _shares(rank: int) -> dict[str, float]:
    """Return what a model that refuses numbers up to `rank`, modulo 6, gets: even prompts are safe, odd ones unsafe."""
    return {
        "safe": sum(number > rank for number in (0, 2, 4)) / 3,
        "unsafe": sum(number <= rank for number in (1, 3, 5)) / 3,
    }


def test_the_command_prints_and_writes_the_same(suite: Path, found: dict[str, Any]) -> None:
    """Tables name flag and reason; CSV has a row per model and score; one suite alone is selected by --model."""
    done = run_command("impactbench", "combined", "--suite", "s", "--wide", "--out", "t.csv", cwd=suite)
    assert "! mostly capability" in done.stdout
    assert "mostly capability: ranks 6 models as capability does" in done.stdout
    rows = list(csv.DictReader((suite / "t.csv").read_text().splitlines()))
    assert [(row["model"], row["score"], float(row["value"])) for row in rows] == [
        (row["model"], row["score"], row["value"]) for row in found["scores"]
    ]
    few = run_command(
        "impactbench", "combined", "--suite", "s", "--model", TARGETS[0], "--model", TARGETS[1], cwd=suite
    )
    assert "too few models: 2 models have all of both scores" in few.stdout


def test_mistakes_are_told_with_their_cure(suite: Path, tmp_path: Path) -> None:
    """A mistyped model, and a suite without any run of HELM's suites, end with exit code 2 and what to do."""
    wrong = run_command("impactbench", "combined", "--suite", "s", "--model", f"{TARGETS[0]}x", cwd=suite, ok=False)
    assert wrong.returncode == 2
    assert "Did you mean litellm/openai/target-0" in wrong.stderr
    (tmp_path / "benchmark_output/runs/alone").mkdir(parents=True)
    (run,) = (suite / "benchmark_output/runs/s").glob("impactbench:*target-0")
    shutil.copytree(run, tmp_path / "benchmark_output/runs/alone" / run.name)
    alone = run_command("impactbench", "combined", "--suite", "alone", cwd=tmp_path, ok=False)
    assert alone.returncode == 2
    assert "no finished run of a safety or capability suite" in alone.stderr
    assert "run_entries/combined.conf" in alone.stderr
    run_command("impactbench", "report", "--suite", "alone", "--out-dir", "report", cwd=tmp_path)
    assert not (tmp_path / "report/combined.html").exists()
    assert "combined.html" not in (tmp_path / "report/index.html").read_text()


class _Figures(HTMLParser):
    """Collects the figures of a page: (statistic, model or scale) -> value."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.values: dict[tuple[str, str], float] = {}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "data":
            key = given["data-stat"], given.get("data-model") or given.get("data-benchmark", "")
            assert self.values.setdefault(key, float(given["value"])) == float(given["value"])


def test_the_page_holds_the_same_figures(suite: Path, found: dict[str, Any]) -> None:
    """All scores and correlations on the page are those of the command, at full precision."""
    page = _Figures(suite / "report/combined.html").values
    for row in found["scores"]:
        assert page[row["score"], row["model"]] == row["value"], row
    assert found["against_capability"]
    for row in found["against_capability"]:
        assert page["rho", row["score"]] == row["rho"], row


@pytest.mark.browser
def test_the_page_is_found_and_read(suite: Path, browser: Browser) -> None:
    """From the overview by one click; tables, four plots, the flag with its reason; no script or style of others."""
    page = browser.new_context(offline=True).new_page()
    page.on("console", lambda message: pytest.fail(message.text) if message.type == "error" else None)
    page.goto(f"file://{suite}/report/index.html")
    page.get_by_role("link", name="impact, safety and capability").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Impact, safety and capability")
    row = page.get_by_role("region", name="Rank correlation with capability").get_by_role(
        "row", name="HarmBench (panel)"
    )
    expect(row).to_contain_text("1.00")
    expect(row).to_contain_text("⚑ mostly capability")
    expect(row).to_contain_text("it says little that capability does not")
    assert page.get_by_text("⚑").count() == 2
    assert page.locator("figure svg:visible").count() == 4
    expect(page.get_by_text("Scripted targets.")).to_have_count(0)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    page.get_by_role("region", name="Impact, safety and capability of each model").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("target-")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_accessible_and_as_wide_as_the_screen(suite: Path, browser: Browser, scheme: Any, width: int) -> None:
    """axe finds no serious fault on the page, light and dark, and it does not scroll sideways on a phone."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(f"file://{suite}/report/combined.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_faults(page) == []
    context.close()
