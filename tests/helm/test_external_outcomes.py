"""Runs of HELM's suites are read as HELM writes them: the main statistic, of the main split, nothing else."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from helm.benchmark.scenarios.scenario import Scenario

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.external.table import BY_GROUP, TABLE, suite_of
from helm_impactbench.suites.registry import suite_runs
from tests.suites.external.builders import row, stat, write_run
from tests.support.looped import looped

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


@looped("group", sorted(SCENARIOS))
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


def outcomes(folder: Path) -> list[Outcome]:
    """Return the outcomes of all runs in a folder."""
    return [outcome for run in suite_runs(folder) for outcome in run.outcomes()]


def test_only_the_main_statistic_of_the_main_split_counts(tmp_path: Path) -> None:
    """Other splits, other statistics and perturbed instances are left out; trials are samples; rows are joined."""
    rows = [
        row("id1", stat("f1_score", 0.5, "valid"), stat("exact_match", 1, "valid")),
        row("id1", stat("f1_score", 1.0, "valid"), trial=1),
        row("id1", stat("num_bytes", 9, "valid")),
        row("id2", stat("f1_score", 0.25, "valid")),
        row("id2", stat("f1_score", 1, "valid", perturbation={"name": "typos"}), perturbation={"name": "typos"}),
        row("id3", stat("f1_score", 1, "test")),
        row("id4", stat("num_bytes", 7, "valid")),
    ]
    name = "natural_qa:mode=closedbook,model=a_one"
    write_run(tmp_path, name, rows, groups=["natural_qa_closedbook"])
    found = [one for one in outcomes(tmp_path) if one.metric_id == "f1_score"]
    assert [(one.variant_id, one.sample, one.status, one.score) for one in found] == [
        ("id1", 0, "scored", 0.5), ("id1", 1, "scored", 1.0), ("id2", 0, "scored", 0.25), ("id4", 0, "unscored", None),
    ]  # fmt: skip
    assert {(one.benchmark, one.model, one.setup, one.area) for one in found} == {
        ("natural_qa_closedbook", "a/one", "natural_qa:mode=closedbook", "capability")
    }
    assert (found[3].why_missing, found[0].votes) == ("no_score", ())


def test_subjects_are_cases_of_their_own(tmp_path: Path) -> None:
    """Every subject numbers its questions from the beginning: the same number in two subjects is not the same case."""
    for subject in ("anatomy", "astronomy"):
        rows = [row("id1", stat("exact_match", 1))]
        name = f"mmlu:subject={subject},model=a_one"
        write_run(tmp_path, name, rows, groups=["mmlu"], arguments={"subject": subject})
    first, second = outcomes(tmp_path)
    assert (first.cluster, second.cluster) == (("mmlu", "anatomy/id1"), ("mmlu", "astronomy/id1"))
    assert first.case != second.case
    assert dict(first.factors) == {"subject": "anatomy", "group": "other"}


def test_requests_are_told_apart(tmp_path: Path) -> None:
    """XSTest's label says what a prompt asks for; a suite of harmful requests says it for all of its prompts."""
    rows = [row(f"id{i}", stat("safety_score", value)) for i, value in enumerate((1, 0.5, 0))]
    labels = {"id0": "safe", "id1": "unsafe", "id2": "safe"}
    write_run(tmp_path, "xstest:model=a_one", rows, groups=["xstest"], labels=labels)
    write_run(tmp_path, "harm_bench:model=a_one", rows[:1], groups=["harm_bench"])
    asked = [(one.setup, dict(one.factors)["request"]) for one in outcomes(tmp_path)]
    assert asked == [("harm_bench", "harmful"), ("xstest", "safe"), ("xstest", "harmful"), ("xstest", "safe")]


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
    write_run(tmp_path, "air_bench_2024:model=a_one", rows, groups=["air_bench_2024"])
    assert [one.base_id for one in outcomes(tmp_path)] == ["1_1_2", "1_1_2", "16_1_2"]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"instance_id": "id1"}], "is not as HELM writes it (0.stats: Field required)"),
        (["text"], "is not as HELM writes it (0: Input should be a valid dictionary"),
        ({"a": 1}, "is not as HELM writes it"),
        ([row("id1", stat("final_number_exact_match", 7))], "7.0, expected is a number from 0 to 1"),
    ],
    ids=["no stats", "rows of text", "no rows", "out of range"],
)
def test_a_broken_file_is_named_with_its_cure(tmp_path: Path, rows: list[dict[str, object]], says: str) -> None:
    """What is not a run of the suite is an error of ours that names file, fault and cure."""
    write_run(tmp_path, "gsm:model=a_one", rows, groups=["gsm"])
    with pytest.raises(ResultsError, match=r"per_instance_stats\.json") as raised:
        outcomes(tmp_path)
    assert says in str(raised.value)
    assert "repeat helm-run" in str(raised.value)


def test_a_cut_off_file_is_named(tmp_path: Path) -> None:
    """A file that is not JSON is named too."""
    folder = write_run(tmp_path, "gsm:model=a_one", [], groups=["gsm"])
    (folder / "per_instance_stats.json").write_text("[{")
    with pytest.raises(ResultsError, match=r"per_instance_stats.json cannot be read"):
        outcomes(tmp_path)


def test_every_suite_stands_once() -> None:
    """The table has one line per run group, and both areas."""
    assert len(BY_GROUP) == len(TABLE)
    assert {suite.area for suite in TABLE} == {"safety", "capability"}
