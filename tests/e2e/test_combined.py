"""Three benchmarks and nine suites of HELM's, on made-up data and scripted models: one helm-run, one leaderboard."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.run_spec_factory import construct_run_specs
from helm.common.object_spec import parse_object_spec
from playwright.sync_api import Page, expect

import helm_impactbench.plugin  # noqa: F401  # makes the run specs known
from helm_impactbench.files.resources import shipped
from tests.support.browser import profile
from tests.support.commands import run_command
from tests.support.helm_server import helm_server, website
from tools.pictures.compare import differences
from tools.pictures.drawing import draw_combined
from tools.pictures.suites import make_combined, report_combined

TARGETS = ("supportive", "harmful", "mixed")
SUITES = (
    *("panel_harm_bench", "panel_air_bench_2024", "panel_xstest", "panel_simple_safety_tests"),
    *("panel_anthropic_red_team", "bbq", "mmlu", "gsm", "natural_qa"),
)
CONTRAST = "Personalising without stereotyping - Typical gap"
"""The column of a benchmark of contrasts alone: best at 0, and in no mean with rates."""
COLUMNS = [
    *("Human impact (mean of 2)", "Safety (mean of 6)", "Capability (mean of 3)"),
    *("Emotional dependence - Pass rate", "Mental-health responsiveness - Pass rate"),
    CONTRAST,
    *("HarmBench - Safety", "AIR-Bench 2024 - Refusal", "XSTest - Safety", "SimpleSafetyTests - Safety"),
    *("Anthropic Red Team - Safety", "BBQ - Accuracy", "MMLU - EM", "GSM8K - Number"),
    "NaturalQuestions (closed-book) - F1",
]
NAMES = {name: f"Rehearsal {name} (scripted)" for name in (*TARGETS, "minors-only")}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which run_entries/combined-rehearsal.conf was run, offline, and summarized."""
    folder = tmp_path_factory.mktemp("combined")
    (folder / "summarize.txt").write_text(make_combined(folder))
    return folder


@pytest.fixture(scope="module")
def release(suite: Path) -> Path:
    """A release of that suite and of another one, with a further model on one subject; and it as a website."""
    entry = "mmlu:subject=econometrics,method=multiple_choice_joint,output_format_instructions=mmlu"
    run_command("helm-run", "--run-entries", entry, "--suite", "more", "-m", 6,
                "--models-to-run", "rehearsal/minors-only", cwd=suite)  # fmt: skip
    run_command("impactbench", "summarize", "--release", "r1", "--suites", "all", "more",
                "--skip-completed-run-display-json", cwd=suite)  # fmt: skip
    run_command("helm-server", "--release", "r1", "--export-path", "website", cwd=suite)
    return suite


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A page of Debian's chromium."""
    with profile(tmp_path / "profile", viewport={"width": 1800, "height": 900}) as context:
        yield context.new_page()


def table(folder: Path, group: str = "combined") -> dict[str, dict[str, Any]]:
    """Return a leaderboard as model -> column -> value."""
    (found,) = json.loads((folder / "groups" / f"{group}.json").read_text())
    names = [cell["value"] for cell in found["header"]]
    rows = [[cell.get("value") for cell in row] for row in found["rows"]]
    assert len({row[0] for row in rows}) == len(rows), "a model has two rows"
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in rows}


def rows_of(page: Page) -> dict[str, list[str]]:
    """Return the rows of a leaderboard as the browser shows them: model -> cells."""
    cells = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    return {row[0]: row[1:] for row in cells}


def test_one_helm_run_runs_them_all(suite: Path) -> None:
    """Every benchmark, suite and subject has a finished run for every target, and no run is left over."""
    entries = descriptions("combined-rehearsal.conf")
    runs = [path.parent.name for path in (suite / "benchmark_output/runs/all").glob("*/per_instance_stats.json")]
    assert len(runs) == len(entries) * len(TARGETS)
    for name in ("impactbench", *SUITES):
        assert any(re.match(rf"{name}[:,]", run) for run in runs), name


def test_one_row_per_model_over_all_suites(suite: Path) -> None:
    """The leaderboard has a row per model and a column per suite, each with its own main figure; no cell is empty."""
    rows = table(suite / "benchmark_output/runs/all")
    assert set(rows) == {NAMES[name] for name in TARGETS}
    assert all(list(row) == COLUMNS for row in rows.values())
    assert all(value is not None for row in rows.values() for value in row.values())
    best = {column: 0.0 if column == CONTRAST else 1.0 for column in COLUMNS}
    assert rows[NAMES["supportive"]] == best


def test_summarize_prints_no_warning(suite: Path) -> None:
    """Neither a cell without a value nor a statistic that no table shows is a fault."""
    printed = (suite / "summarize.txt").read_text()
    assert "does not have any stat" not in printed
    assert "WARNING" not in printed
    assert "statistics are in no table" in printed


def test_impact_safety_and_capability_come_apart(suite: Path) -> None:
    """The capable model that harms people is last in impact and safety, first in capability; means are of the cells."""
    row = table(suite / "benchmark_output/runs/all")[NAMES["harmful"]]
    impact, safety, capability = (row[column] for column in COLUMNS[:3])
    assert (impact, capability) == (0, 1)
    assert safety == pytest.approx(sum(row[column] for column in COLUMNS[6:12]) / 6)
    assert row["XSTest - Safety"] == 0.5  # it helps with the safe half, too
    mixed = table(suite / "benchmark_output/runs/all")[NAMES["mixed"]]
    assert all(0 < mixed[column] < 1 for column in COLUMNS[:3])
    assert mixed[CONTRAST] >= 0
    assert mixed[COLUMNS[0]] == pytest.approx(sum(mixed[column] for column in COLUMNS[3:5]) / 2)


def test_groups_have_leaderboards_of_their_own(suite: Path) -> None:
    """Safety and capability are tables too, of the same figures, and suites that nothing was run of are in none."""
    folder = suite / "benchmark_output/runs/all"
    combined = table(folder)
    for group, columns in (("safety_suites", COLUMNS[6:12]), ("capability_suites", COLUMNS[12:])):
        rows = table(folder, group)
        assert all(rows[model][column] == combined[model][column] for model in combined for column in columns)
    groups = {group["name"] for group in json.loads((folder / "schema.json").read_text())["run_groups"]}
    assert "panel_harm_bench" in groups
    assert "harm_bench" not in groups


def test_a_model_without_a_suite_has_no_mean(release: Path) -> None:
    """A release shows the models of all its suites; a mean over fewer suites than the others' is not shown."""
    rows = table(release / "benchmark_output/releases/r1")
    assert set(rows) == set(NAMES.values())
    assert rows[NAMES["minors-only"]]["MMLU - EM"] == 1
    assert [rows[NAMES["minors-only"]][column] for column in COLUMNS[:3]] == [None, None, None]
    assert rows[NAMES["harmful"]] == table(release / "benchmark_output/runs/all")[NAMES["harmful"]]


def test_helms_own_command_summarizes_it_too(suite: Path, tmp_path: Path) -> None:
    """Plain helm-summarize with the shipped schema gives each suite its main figure, without a summarizer of ours."""
    few = tmp_path / "benchmark_output/runs/few"
    for name in ("panel_harm_bench", "gsm", "natural_qa"):
        found = next((suite / "benchmark_output/runs/all").glob(f"{name}*mixed"))
        shutil.copytree(found, few / found.name)
    run_command("helm-summarize", "--suite", "few", "--schema-path", shipped("schema.yaml"), cwd=tmp_path)
    for group in ("panel_harm_bench", "gsm", "natural_qa_closedbook"):
        (first, *_) = json.loads((few / "groups" / f"{group}.json").read_text())
        assert all(row[1].get("value") is not None for row in first["rows"]), group


def descriptions(conf: str) -> list[str]:
    """Return the run entries of a shipped conf."""
    return [entry.description for entry in read_run_entries([str(shipped("run_entries", conf))]).entries]


def test_the_full_conf_holds_everything() -> None:
    """combined.conf has impactbench.conf's entries word for word, all nine suites with the same judge, and no model."""
    full = descriptions("combined.conf")
    impact = descriptions("impactbench.conf")
    assert full[: len(impact)] == impact
    assert {entry.split(":")[0] for entry in full[len(impact) :]} == set(SUITES)
    (judge,) = {entry.split("judge=")[1] for entry in full if "judge=" in entry}
    assert judge == "litellm/openai/gpt-5.4-mini"
    assert not [entry for entry in full if "model=" in entry]
    assert set(descriptions("combined-rehearsal.conf")[3:]) == {
        entry.replace(judge, "rehearsal/judge") for entry in full[len(impact) :]
    }


def test_models_that_think_stand_in_the_same_columns() -> None:
    """combined-reasoning.conf gives more room to every answer to HELM's suites, and its runs have the same names."""
    plain, thinking = (
        [spec for entry in descriptions(conf) if not entry.startswith("impactbench:") for spec in specs(entry)]
        for conf in ("combined.conf", "combined-reasoning.conf")
    )
    assert [spec.name for spec in plain] == [spec.name for spec in thinking]
    assert [spec.adapter_spec.max_tokens + 10_000 for spec in plain] == [s.adapter_spec.max_tokens for s in thinking]


def specs(entry: str) -> list[RunSpec]:
    """Return HELM's run specs for an entry, on rehearsal models."""
    on_scripts = f"{entry.replace('litellm/openai/gpt-5.4-mini', 'rehearsal/judge')},model=rehearsal/mixed"
    return construct_run_specs(parse_object_spec(on_scripts))


@pytest.mark.browser
def test_helm_server_shows_it_first(suite: Path, page: Page) -> None:
    """The first page of helm-server is the leaderboard over everything, one row per model, scripted ones named so."""
    with helm_server(suite, "--suite", "all") as base:
        page.goto(f"{base}/leaderboard")
        expect(page.get_by_role("heading", name="Leaderboard: Human impact, safety and capability")).to_be_visible()
        expect(page.locator("tbody tr")).to_have_count(3)
        rows = rows_of(page)
        assert set(rows) == {NAMES[name] for name in TARGETS}
        assert [cell.strip() for cell in rows[NAMES["harmful"]][:3]] == ["0", "0.083", "1"]
        assert all(len(row) == len(COLUMNS) for row in rows.values())
        page.goto(f"{base}/groups/panel_xstest")
        expect(page.get_by_role("columnheader", name="safe Helps with safe requests")).to_be_visible()


@pytest.mark.browser
def test_pictures_in_the_documentation_are_todays(suite: Path, tmp_path: Path) -> None:
    """The leaderboard and the charts of the combined page look as their pictures in docs/; else: make pictures."""
    report_combined(suite)
    draw_combined(suite, tmp_path)
    assert differences(tmp_path) == {}


@pytest.mark.browser
def test_a_release_is_served_and_exported(release: Path, page: Page) -> None:
    """helm-server --release and its static export show the same leaderboard, with the models of both suites."""
    shown = []
    for serving in (helm_server(release, "--release", "r1"), website(release / "website")):
        with serving as base:
            page.goto(f"{base}/leaderboard")
            expect(page.locator("tbody tr")).to_have_count(4)
            shown.append(rows_of(page))
            page.goto("about:blank")
    assert shown[0] == shown[1]
    assert set(shown[0]) == set(NAMES.values())
