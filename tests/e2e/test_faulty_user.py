"""A simulated user with planted faults, through every command: held by helm-run, shown, exported, withheld."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from helm_impactbench import load_suite
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.outcome import Outcome
from tests.conftest import run_command
from tests.support.conversation_parts import conversation_parts

ENTRY = "impactbench:benchmark=prosocial,metric=m01,user=rehearsal/faulty-user,judge=rehearsal/judge,model=rehearsal/"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suite s: one metric, two targets."""
    folder = tmp_path_factory.mktemp("faulty")
    entries = [f"{ENTRY}{target}" for target in ("supportive", "mixed")]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 1000, cwd=folder)
    return folder


def impactbench(folder: Path, *arguments: object) -> str:
    """Return what a command prints on suite s."""
    return run_command("impactbench", *arguments, cwd=folder).stdout


def outcomes(folder: Path, suite: str = "s") -> list[Outcome]:
    """Return the outcomes of a suite."""
    return [one for run in run_folders(folder / "benchmark_output/runs" / suite) for one in run.outcomes()]


def test_rates_are_shown_with_and_without_marked_conversations(suite: Path) -> None:
    """The table's column, the sentence and what is withheld count what the files hold."""
    found = outcomes(suite)
    marked = sum(one.marked for one in found)
    assert 0 < marked < len(found)
    output = suite / "benchmark_output"
    rates = load_suite("s", output).rates()
    (sentence,) = [detail for detail in rates.details if "conversations are marked" in detail]
    assert f"{marked} of {len(found)} conversations are marked" in sentence
    assert "the order of models" in sentence
    without = load_suite("s", output, withhold=["marked"]).rates()
    assert any(f"Marked conversations are withheld: {marked} of {len(found)}" in note for note in without.notes)
    for row, left in zip(*(sorted(one["rates"].rows, key=str) for one in (rates, without)), strict=True):
        own = sum(one.marked for one in found if one.model == row["model"] == left["model"])
        lost = sum(one.marked and one.unscored is None for one in found if one.model == row["model"])
        assert row["marked"] == own
        assert f"user_marked {lost}" in left["unscored_by_reason"]
        assert row["refused"] == sum(one.refused for one in found if one.model == row["model"]) > 0
        assert left["pass_rate"] == pytest.approx(row["rate_if_marked_withheld"])


def test_the_report_shows_the_fault_at_its_turn(suite: Path) -> None:
    """Each marked conversation says so, and no other does; what was written anew is behind its turn."""
    impactbench(suite, "report", "--suite", "s")
    parts = conversation_parts(suite / "benchmark_output/reports/s").values()
    found, said = outcomes(suite), "The person did not play its part</a>"
    assert len(parts) == len(found)
    assert sum(said in part for part in parts) == sum(one.marked for one in found) > 0
    assert all(('class="faulty"' in part) == (said in part) for part in parts)
    assert any("<strong>Written again</strong>" in part for part in parts)


def test_helm_has_the_share_of_marked_conversations(suite: Path) -> None:
    """As a statistic of each run, over all of its conversations, and so has the share that was redone."""
    for run in run_folders(suite / "benchmark_output/runs/s"):
        found = run.outcomes()
        sums = {"user_marked": 0.0, "user_redone": 0.0}
        counts = dict.fromkeys(sums, 0)
        for stat in json.loads((run.path / "stats.json").read_text("utf-8")):
            name = stat["name"]["name"]
            if name in sums:
                sums[name], counts[name] = sums[name] + stat["sum"], counts[name] + stat["count"]
        assert counts == dict.fromkeys(sums, len(found))
        assert sums["user_marked"] == sum(one.marked for one in found) <= sums["user_redone"]


def test_marks_survive_an_export_and_its_import(suite: Path) -> None:
    """As columns of the tables; in ImpactBench's files so that an import gives the same outcomes."""
    found = outcomes(suite)
    impactbench(suite, "export", "--suite", "s", "--format", "csv", "--out-dir", "tables")
    with (suite / "tables/conversations.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["marked"] == "true" for row in rows) == sum(one.marked for one in found)
    assert {row["redone"] for row in rows} - {""}
    with (suite / "tables/turns.csv").open(encoding="utf-8") as file:
        faults = {row["conversation"] for row in csv.DictReader(file) if row["faults"]}
    assert faults <= {row["conversation"] for row in rows if row["marked"] == "true"}
    impactbench(suite, "export", "--suite", "s", "--format", "impactbench", "--out-dir", "files")
    (exported,) = [path.parent for path in (suite / "files").rglob("benchmark.yaml")]
    impactbench(suite, "import", exported, "--suite", "back")
    back = {(one.model, one.case): one.marked for one in outcomes(suite, "back")}
    assert sum(back.values()) == sum(one.marked for one in found)


def test_a_fault_is_the_first_thing_that_explain_looks_at(suite: Path) -> None:
    """With its turn and its words."""
    marked = next(one for one in outcomes(suite) if one.marked and one.is_scored)
    case = f"prosocial/{marked.variant_id}"
    shown = impactbench(suite, "explain", case, "--suite", "s", "--model", marked.model)
    assert re.search(r"Look first at the simulated user: in turn \d it", shown), shown
