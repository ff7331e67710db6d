"""The shipped run entries on the scripted models, through helm-run, helm-summarize, the viewer's files and the CLI."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from helm.benchmark.presentation.run_entry import read_run_entries

from helm_impactbench import load_suite
from helm_impactbench.benchmark.areas import Area
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.selection import ScenarioSelection, selected_scenarios
from helm_impactbench.conversation.age import is_minor_level
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.leaderboard import leaderboard
from tests.support import helm
from tests.support.canonical import Canonical
from tests.support.commands import run_command

SHIPPED = [load_benchmark(folder) for folder in benchmark_paths([shipped("benchmarks")]).values()]
CONTRASTS = [own.slug for own in SHIPPED if all(metric.type == "contrast" for metric in own.metrics)]
"""Of contrasts alone: no target of these plants a pass rate there; see test_moral_sycophancy.py."""
SLUGS = [own.slug for own in SHIPPED if own.slug not in CONTRASTS and not own.scenario.tools]
"""Those that every target can answer; a benchmark with tools has a conf of its own, see test_tools.py."""
WITH_MINORS = [slug for slug in SLUGS if slug != "mental-health-safety"]
"""What adults go through alone has no minors."""
TARGETS = ("supportive", "harmful", "mixed", "minors-only")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory in which run_entries/rehearsal.conf was run and summarized."""
    folder = tmp_path_factory.mktemp("rehearsal")
    canonical.put_rehearsal_conf(folder, "demo")
    run_command("impactbench", "summarize", "--suite", "demo", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def one_target(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with the runs of one target on every shipped benchmark: what HELM's own summaries take."""
    folder = tmp_path_factory.mktemp("one-target")
    canonical.put(folder, SLUGS, ["mixed"], suite="demo")
    return folder


def run_of(suite: Path, slug: str, target: str) -> Path:
    """Return the run folder of a benchmark and a rehearsal target."""
    name = f"benchmark={slug},user=rehearsal_user,judge=rehearsal_judge,pilot=3,model=rehearsal_{target}"
    return helm.run_folder(suite, "demo", name)


def rate(folder: Path, name: str = "pass_rate") -> float:
    """Return a rate over all people."""
    passed, scored = helm.total(folder, name)
    return passed / scored


def planned(slug: str) -> list[Scenario]:
    """Return the scenarios of the run of a benchmark that have a pass rate."""
    benchmark = load_benchmark(shipped("benchmarks", slug))
    levels = {metric.id for metric in benchmark.metrics if metric.type != "contrast"}
    return [row for row in selected_scenarios(benchmark, ScenarioSelection(pilot=3)) if row.metric_id in levels]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_planted_behaviour_comes_out(suite: Path, slug: str) -> None:
    """Supportive passes, harmful fails, mixed lies between, on every metric of both types; nothing is unscored."""
    folders = {name: run_of(suite, slug, name) for name in TARGETS}
    names = {stat["name"]["name"] for stat in helm.read(folders["mixed"], "stats")}
    per_metric = [name for name in names if name.startswith(f"pass_rate_{slug}_")]
    rows = planned(slug)
    assert len(per_metric) == len({row.metric_id for row in rows}) >= 6
    for name in ["pass_rate", "positive_pass_rate", "negative_pass_rate", *per_metric]:
        assert rate(folders["supportive"], name) >= 0.90
        assert rate(folders["harmful"], name) <= 0.10
    assert 0.10 < rate(folders["mixed"]) < 0.90
    for folder in folders.values():
        assert helm.total(folder, "unscored")[0] == 0
        assert rate(folder, "grounded_evidence_rate") == 1
    gap = helm.stats(folders["minors-only"], "pass_rate")
    assert {str(label): scored for label, (_, scored) in gap.items()} == Counter(str(row.axes_label) for row in rows)
    for label, (passed, scored) in gap.items():
        assert passed == (0 if is_minor_level(str(label)) else scored)


def test_every_metric_tells_supportive_from_harmful(suite: Path) -> None:
    """Planted truth: AUROC of the verdicts is at least .95 on every shipped metric, and none has a finding."""
    run_command("impactbench", "items", "--suite", "demo", "--out", "items.json", cwd=suite)
    items = json.loads((suite / "items.json").read_text())
    metrics = [f"{slug}/{m.id}" for slug in SLUGS for m in load_benchmark(shipped("benchmarks", slug)).metrics]
    assert [metric["metric"] for metric in items] == metrics
    levels = {f"{slug}/{row.metric_id}" for slug in SLUGS for row in planned(slug)}
    assert min(metric["auroc"] for metric in items if metric["metric"] in levels) >= 0.95
    assert [metric["metric"] for metric in items if metric["findings"]] == []


def test_a_gap_between_ages_is_found_only_where_it_was_planted(suite: Path) -> None:
    """Overall, and on benchmarks with cases enough of each band: `minors-only` has it, the fair ones have none."""
    result = load_suite("demo", suite / "benchmark_output").contrasts()
    found = [row for table in result.file_tables() for row in table.rows if row["found"]]
    assert {(row["model"], row["axis"]) for row in found} == {("rehearsal/minors-only", "age")}
    assert {row["scope"] for row in found if row["part"] == "benchmark"} <= set(WITH_MINORS)
    assert {row["scope"] for row in found if row["part"] == "overall"} == {"impact"}


def test_the_run_entries_cover_all_shipped_benchmarks() -> None:
    """No benchmark is left out of the offline run, nor of the real one."""
    rehearsal = [
        entry.description for entry in read_run_entries([str(shipped("run_entries", "rehearsal.conf"))]).entries
    ]
    roles = "pilot=3,user=rehearsal/user,judge=rehearsal/judge"
    expected = [
        f"impactbench:benchmark={slug},{roles},model=rehearsal/{target}" for slug in SLUGS for target in TARGETS
    ]
    assert rehearsal == expected
    areas = {slug: load_benchmark(shipped("benchmarks", slug)).areas for slug in SLUGS}
    areas |= {slug: load_benchmark(shipped("benchmarks", slug)).areas for slug in CONTRASTS}
    whole = [*SLUGS, *CONTRASTS]
    confs = {"impactbench": whole, "quick": SLUGS}
    confs |= {area: [slug for slug in whole if area in areas[slug]] for area in get_args(Area)}
    for name, slugs in confs.items():
        real = [entry.description for entry in read_run_entries([str(shipped("run_entries", f"{name}.conf"))]).entries]
        assert sorted(entry.split(",")[0] for entry in real) == sorted(
            f"impactbench:benchmark={slug}" for slug in slugs
        )
        assert all(",part=0.06," in entry for entry in real) == (name == "quick")
        assert [entry for entry in real if ",user=" not in entry] == [
            entry for entry in real if entry.split(",")[0].partition("=")[2] in CONTRASTS
        ]


def test_the_leaderboard_is_printed_with_scripted_names_and_the_age_gap(suite: Path) -> None:
    """The command shows HELM's own tables: every row says that it is scripted, ages have rows of their own."""
    result = leaderboard(suite / "benchmark_output/runs/demo")
    ranked, levels = result["leaderboard"].records(), result["levels"].records()
    assert [str(row["Model"]).startswith("Rehearsal") for row in ranked] == [True] * len(TARGETS)
    assert ranked[0]["Model"] == "Rehearsal supportive (scripted)"
    assert "95% interval" in ranked[0]
    two_ages = [slug for slug in WITH_MINORS if len({row.axes_label for row in planned(slug)}) == 2]
    ages = ("child or teenager (6-17)", "adult (18+)")
    minors = [row for row in levels if "minors-only" in str(row["model"]) and row["level"] in ages]
    by_table = {str(row["table"]): [one["value"] for one in minors if one["table"] == row["table"]] for row in minors}
    assert sum(values == ["0.000", "1.000"] for values in by_table.values()) == len(two_ages)
    assert all("(scripted)" in str(row["model"]) for row in levels)
    printed = run_command("impactbench", "summarize", "--show", "--suite", "demo", cwd=suite).stdout
    assert "Rehearsal supportive (scripted)" in " ".join(printed.split())


def test_the_mean_score_is_the_mean_of_the_benchmarks(suite: Path) -> None:
    """The top group ranks by the plain mean of pass rates, as HELM's groups file says, but where people fare apart."""
    tables = json.loads((suite / "benchmark_output/runs/demo/groups/impactbench.json").read_text())
    whole, single, *_ = tables
    assert [cell["value"] for cell in whole["header"]] == ["Model", "Mean score", "95% interval", "Rank"]
    assert single["title"] == "Pass rate, by benchmark"
    assert len(single["header"]) == 1 + len(SLUGS)
    apart = {row[0]["value"] for row in whole["rows"] if row[1]["value"] == "people differ by age"}
    assert len(apart) == 1
    assert "minors-only" in next(iter(apart))
    for row, others in zip(whole["rows"], single["rows"], strict=True):
        rates = [cell.get("value") for cell in others[1:]]
        if row[0]["value"] not in apart:
            assert row[1]["value"] == pytest.approx(sum(rates) / len(rates))


def test_no_metric_is_missing_from_the_schema(one_target: Path) -> None:
    """Strict validation passes, and every statistic of a run has a name for people."""
    done = run_command("helm-summarize", "--suite", "demo", "--schema-path", shipped("schema.yaml"),
                       "--schema-validation", "error", cwd=one_target)  # fmt: skip
    assert "undefined" not in done.stdout + done.stderr


def test_a_generated_schema_works_too(one_target: Path) -> None:
    """helm-summarize --auto-generate-schema gives each benchmark its main figure."""
    # One thread: HELM's own generated schema holds templates that CPython 3.11 cannot always compile side by side.
    run_command("helm-summarize", "--suite", "demo", "--auto-generate-schema", "-n", 1, cwd=one_target)
    groups = one_target / "benchmark_output/runs/demo/groups"
    for slug in SLUGS:
        (table, *_) = json.loads((groups / f"{slug}.json").read_text())
        assert "Pass rate" in [cell["value"] for cell in table["header"]]
        assert len(table["rows"]) == 1


def test_a_result_can_be_rebuilt(suite: Path) -> None:
    """Law 7: hashes of benchmark and prompts, version, models and parameters travel with a run; no local path."""
    folder = helm.run_folder(
        suite, "demo", "emotional-dependence,user=rehearsal_user,judge=rehearsal_judge,pilot=3,model=rehearsal_mixed"
    )
    scenario, spec = helm.read(folder, "scenario"), helm.read(folder, "run_spec")
    assert len(scenario["provenance"]["benchmark_digest"]) == len(scenario["provenance"]["prompts_digest"]) == 64
    assert scenario["provenance"]["helm_impactbench"]
    assert scenario["definition_path"] == "helm_impactbench/helm/scenario.py"
    assert spec["annotators"][0]["args"] == {"judges": ["rehearsal/judge"]}
    assert spec["scenario_spec"]["args"]["user"] == "rehearsal/user"
    here = str(shipped("schema.yaml").parent)
    assert not [path.name for path in folder.iterdir() if here in path.read_text()]


def test_display_names_are_not_forced_on_a_file_of_the_users_own(tmp_path: Path) -> None:
    """A user's prod_env/model_metadata.yaml stays as it is."""
    (tmp_path / "prod_env").mkdir()
    mine = tmp_path / "prod_env/model_metadata.yaml"
    mine.write_text("models: []\n")
    entry = "impactbench:benchmark=emotional-dependence,turns=1,user=rehearsal/user,judge=rehearsal/judge"
    run_command("helm-run", "--run-entries", f"{entry},model=rehearsal/mixed", "--suite", "s", "-m", 2, cwd=tmp_path)
    assert mine.read_text() == "models: []\n"
