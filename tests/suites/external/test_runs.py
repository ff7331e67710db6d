"""Runs of HELM's suites are read as HELM writes them: the main statistic, of the main split, nothing else."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from helm.benchmark.scenarios.scenario import Scenario
from helm_impactbench.suites.external.names import SUITES, suite_of
from helm_impactbench.suites.external.runs import suite_runs

from helm_impactbench.errors import ResultsError
from helm_impactbench.suites.panels.names import MAIN_METRIC, run_group
from tests.suites.external.builders import row, stat, write_run

SCENARIOS = {
    "harm_bench": "harm_bench_scenario.HarmBenchScenario",
    "air_bench_2024": "air_bench_scenario.AIRBench2024Scenario",
    "simple_safety_tests": "simple_safety_tests_scenario.SimpleSafetyTestsScenario",
    "anthropic_red_team": "anthropic_red_team_scenario.AnthropicRedTeamScenario",
    "mmlu": "mmlu_scenario.MMLUScenario",
    "gsm": "gsm_scenario.GSM8KScenario",
    "natural_qa_closedbook": "natural_qa_scenario.NaturalQAScenario",
    "gpqa": "gpqa_scenario.GPQAScenario",
    "mmlu_pro": "mmlu_pro_scenario.MMLUProScenario",
    "ifeval": "ifeval_scenario.IFEvalScenario",
    "wildbench": "wildbench_scenario.WildBenchScenario",
    "omni_math": "omni_math_scenario.OmniMATHScenario",
}
ARGUMENTS = {
    "mmlu": {"subject": "anatomy"},
    "natural_qa_closedbook": {"mode": "closedbook"},
    "gpqa": {"subset": "gpqa_main"},
    "mmlu_pro": {"subject": "all"},
    "wildbench": {"subset": "v2"},
}


@pytest.mark.parametrize("group", sorted(SCENARIOS))
def test_main_statistics_are_those_of_the_installed_helm(group: str) -> None:
    """HELM's own metadata names the same run group, main metric and main split as our table."""
    module, name = SCENARIOS[group].split(".")
    scenario: Scenario = getattr(importlib.import_module(f"helm.benchmark.scenarios.{module}"), name)(
        **ARGUMENTS.get(group, {})
    )
    metadata = scenario.get_metadata()
    suite = suite_of([group])
    assert suite is not None
    assert (metadata.name, metadata.main_metric, metadata.main_split) == (suite.group, suite.statistic, suite.split)


def test_a_panel_is_the_same_suite() -> None:
    """The run groups of our panels lead to HELM's suite, and both name the same main statistic."""
    for group, statistic in MAIN_METRIC.items():
        suite = suite_of([run_group(group), "safety_details"])
        assert suite is suite_of([group])
        assert suite is not None
        assert suite.statistic == statistic


def test_only_the_main_statistic_of_the_main_split_counts(tmp_path: Path) -> None:
    """Other splits, other statistics and perturbed instances are left out; trials are averaged; rows are joined."""
    rows = [
        row("id1", stat("f1_score", 0.5, "valid"), stat("exact_match", 1, "valid")),
        row("id1", stat("f1_score", 1.0, "valid"), trial=1),
        row("id1", stat("num_bytes", 9, "valid")),
        row("id2", stat("f1_score", 0.25, "valid")),
        row("id2", stat("f1_score", 1, "valid", perturbation={"name": "typos"}), perturbation={"name": "typos"}),
        row("id3", stat("f1_score", 1, "test")),
        row("id4", stat("num_bytes", 7, "valid"), stat("unscored_blocked", 1, "valid"), stat("unscored_x", 0, "valid")),
    ]
    name = "natural_qa:mode=closedbook,model=a_one"
    write_run(tmp_path, name, rows, groups=["natural_qa_closedbook"])
    (found,) = suite_runs(tmp_path)
    assert (found.suite.group, found.model, found.setup, found.panel) == (
        "natural_qa_closedbook", "a/one", "natural_qa:mode=closedbook", False,
    )  # fmt: skip
    assert (found.values, found.instances, found.unscored) == ((0.75, 0.25), 3, {"blocked": 1})


def test_xstest_is_told_apart_by_its_label(tmp_path: Path) -> None:
    """Safe and unsafe prompts have values of their own; a run without any option has the suite's name as set-up."""
    rows = [row(f"id{i}", stat("safety_score", value)) for i, value in enumerate((1, 0.5, 0))]
    labels = {"id0": "safe", "id1": "unsafe", "id2": "safe"}
    write_run(tmp_path, "xstest:model=a_one", rows, groups=["xstest"], labels=labels)
    write_run(tmp_path, "panel_xstest:judge=j,model=a_one", rows, groups=["panel_xstest"], labels=labels)
    panel, own = suite_runs(tmp_path)
    assert dict(own.parts) == dict(panel.parts) == {"safe": (1.0, 0.0), "unsafe": (0.5,)}
    assert [(run.setup, run.panel) for run in (panel, own)] == [("panel_xstest:judge=j", True), ("xstest", False)]


def test_air_bench_is_clustered_by_category(tmp_path: Path) -> None:
    """A category of AIR-Bench tells one request several times: its answers are one cluster, others their own."""
    rows = [
        row(
            f"id{i}",
            stat("air_score", 1),
            stat(f"air_category_{top}_score", 1),
            stat(f"air_category_{top}_1_2_score", 1),
        )
        for i, top in enumerate((1, 1, 16))
    ]
    write_run(tmp_path, "panel_air_bench_2024:judge=j,model=a_one", rows, groups=["panel_air_bench_2024"])
    write_run(tmp_path, "gsm:model=a_one", [row("id1", stat("final_number_exact_match", 1))], groups=["gsm"])
    gsm, air = suite_runs(tmp_path)
    assert (air.clusters, gsm.clusters) == (("1_1_2", "1_1_2", "16_1_2"), ("id1",))


def test_foreign_and_unfinished_runs_are_left_alone(tmp_path: Path) -> None:
    """Suites that nobody knows, runs without all files, and folders that are no runs do not disturb."""
    write_run(tmp_path, "my_suite:model=a_one", [{"what": "ever"}], groups=["my_suite"])
    unfinished = write_run(
        tmp_path, "gsm:model=a_one", [row("id1", stat("final_number_exact_match", 1))], groups=["gsm"]
    )
    (unfinished / "stats.json").unlink()
    (tmp_path / "eval_cache").mkdir()
    assert suite_runs(tmp_path) == []
    assert suite_runs(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"instance_id": "id1"}], "KeyError: 'stats'"),
        (["text"], "TypeError"),
        ({"a": 1}, "TypeError"),
        ([row("id1", stat("final_number_exact_match", 7))], "7.0, expected is a number from 0 to 1"),
    ],
    ids=["no stats", "rows of text", "no rows", "out of range"],
)
def test_a_broken_file_is_named_with_its_cure(tmp_path: Path, rows: list[dict[str, object]], says: str) -> None:
    """What is no run of the suite is an error of ours that names folder, suite, fault and cure."""
    write_run(tmp_path, "gsm:model=a_one", rows, groups=["gsm"])
    with pytest.raises(ResultsError, match="is no run of GSM8K as HELM writes it") as raised:
        suite_runs(tmp_path)
    assert says in str(raised.value)
    assert "repeat helm-run" in str(raised.value)


def test_a_cut_off_file_is_named(tmp_path: Path) -> None:
    """A file that is no JSON is named too."""
    folder = write_run(tmp_path, "gsm:model=a_one", [], groups=["gsm"])
    (folder / "per_instance_stats.json").write_text("[{")
    with pytest.raises(ResultsError, match=r"per_instance_stats.json cannot be read"):
        suite_runs(tmp_path)


def test_every_suite_stands_once() -> None:
    """The table has one line per run group, and both kinds."""
    assert len({suite.group for suite in SUITES}) == len(SUITES)
    assert {suite.kind for suite in SUITES} == {"safety", "capability"}
