"""What `import helm_impactbench` offers, held to the docs and to the commands."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import helm_impactbench
from helm_impactbench import ImpactBenchError, Suite
from helm_impactbench.suites.reading import Selection
from tests.support.commands import run_command

DOCS = (Path(__file__).parents[1] / "docs" / "data.md").read_text(encoding="utf-8")


def _columns(heading: str) -> set[str]:
    """Return the columns that the table under a heading of docs/data.md names."""
    section = re.split(rf"\n### `?{re.escape(heading)}", DOCS, maxsplit=1)[1].split("\n##", 1)[0]
    first_cells = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return {name for cell in first_cells for name in re.findall(r"`([a-z_0-9]+)`", cell)}


def test_every_public_name_loads_and_is_documented() -> None:
    """`__all__`, the names that load and the table in docs/data.md are the same."""
    table = DOCS.split("| name | what it is |", 1)[1].split("```", 1)[0]
    documented = {
        name
        for line in table.splitlines()
        for name in re.findall(r"`(\w+)`", line.split("|")[1] if "|" in line else "")
    }
    assert documented == set(helm_impactbench.__all__)
    assert all(getattr(helm_impactbench, name) is not None for name in helm_impactbench.__all__)


def test_every_method_of_a_suite_is_documented_with_its_options() -> None:
    """The table of methods in docs/data.md is what Suite has, and each row names the method's parameters."""
    table = DOCS.split("| method of `Suite` | what it returns |", 1)[1].split("\n\n", 1)[0]
    documented = dict(re.findall(r"^\| `(\w+)\((.*?)\)`", table, re.MULTILINE))
    methods = {
        name: ", ".join([*inspect.signature(member).parameters][1:])
        for name, member in inspect.getmembers(Suite, inspect.isfunction)
        if not name.startswith("_")
    }
    assert documented == methods


def test_importing_the_package_is_cheap() -> None:
    """Neither pandas nor HELM is loaded before a name that needs them is used."""
    code = "import sys, helm_impactbench; print(sorted({'pandas', 'helm', 'litellm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_suite_as_data_frames(tmp_path: Path) -> None:
    """DataFrames have the documented columns, and the figures of the commands."""
    entries = (
        "impactbench:benchmark=emotional-dependence,part=0.2,user=rehearsal/user,judge=rehearsal/judge,"
        "model=rehearsal/mixed",
        "impactbench:benchmark=moral-sycophancy,pilot=2,metric=rent,judge=rehearsal/judge,model=rehearsal/both-sides",
    )
    run_command("helm-run", "--suite", "s", "-m", 1000, "--run-entries", *entries, cwd=tmp_path)
    suite = helm_impactbench.load_suite("s", tmp_path / "benchmark_output")
    outcomes, rates = suite.outcomes().frame(), suite.rates().frame()
    gaps = suite.contrasts().frame("contrasts")
    documented = {name for name in _columns("outcomes()") if not name.endswith("_")}
    assert documented <= set(outcomes.columns)
    assert {"axis_age", "axis_teller", "factor_a_view"} <= set(outcomes.columns)
    run_command("impactbench", "rates", "--suite", "s", "--out", "rates.json", cwd=tmp_path)
    written = pd.DataFrame(json.loads((tmp_path / "rates.json").read_text())["rates"])
    pd.testing.assert_frame_equal(written[["model", "pass_rate"]], rates[["model", "pass_rate"]])
    gap = gaps[(gaps.figure == "gap") & (gaps.second == "b")]
    assert gap["value"].tolist() == [1.0]


def test_a_benchmark_is_loaded_written_and_planned(tmp_path: Path) -> None:
    """A benchmark goes through a folder unchanged, and its cases can be planned without a call."""
    benchmark = helm_impactbench.load_benchmark("emotional-dependence")
    helm_impactbench.write_benchmark(benchmark, tmp_path / "emotional-dependence")
    assert helm_impactbench.load_benchmark(tmp_path / "emotional-dependence") == benchmark
    case = helm_impactbench.plan_case(benchmark, benchmark.scenarios[0], user="rehearsal/user")
    assert case.plan.turns == 6
    assert case.plan.persona == benchmark.scenarios[0].played_persona


def test_a_study_is_run_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, a mapping and a file mean the same study, and a second call finds its results finished."""
    monkeypatch.chdir(tmp_path)
    settings = {"models": ["rehearsal/mixed"], "user": "rehearsal/user", "judge": ["rehearsal/judge"], "references": 0}
    (tmp_path / "mine.yaml").write_text(json.dumps({**settings, "benchmarks": ["prosocial"]}))
    suite = helm_impactbench.run(**settings, benchmarks="prosocial", part=0.05, suite="mine", progress=False)
    again = helm_impactbench.run("mine.yaml", part=0.05, progress=False)
    assert again.folder == suite.folder
    assert again.rates().frame().equals(suite.rates().frame())
    files = suite.export("csv", "tables")
    assert {"conversations.csv", "votes.csv"} <= {path.name for path in files}
    assert suite.report(conversation_pages="none").is_file()
    assert set(suite.label(audience="parents").frame().model) == {"rehearsal/mixed"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "--models is missing"),
        ({"models": "rehearsal/mixed", "judges": "a"}, "there is no setting 'judges'"),
        ({"models": "rehearsal/mixd"}, "Did you mean rehearsal/mixed"),
        ({"models": "rehearsal/mixed", "samples": 0}, "samples"),
    ],
)
def test_a_mistake_is_told_before_the_first_call(
    options: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an ImpactBenchError, and nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    roles = {"user": "rehearsal/user", "judge": "rehearsal/judge", "benchmarks": "prosocial"}
    with pytest.raises(ImpactBenchError, match=re.escape(words)):
        helm_impactbench.run({**roles}, **options)
    assert not list(tmp_path.glob("benchmark_output/runs/*"))


def test_what_is_narrowed_has_no_report(tmp_path: Path) -> None:
    """A report, a label and an export are of whole conversations; they say so before they read anything."""
    suite = Suite(tmp_path, Selection(where=("age=child",)))
    for method in (suite.report, suite.label, lambda: suite.export("csv", tmp_path / "tables")):
        with pytest.raises(ImpactBenchError, match="cannot be narrowed by where"):
            method()
