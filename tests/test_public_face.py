"""What `import helm_impactbench` offers, held to the docs and to the commands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd

import helm_impactbench
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
    contrasts, compared = suite.contrasts(), suite.compare()
    gaps = contrasts.frame("contrasts")
    documented = {name for name in _columns("outcomes()") if not name.endswith("_")}
    assert documented <= set(outcomes.columns)
    assert {"axis_age", "axis_teller", "factor_a_view"} <= set(outcomes.columns)
    assert _columns("rates(by)") == set(rates.columns)
    assert _columns("rates(reference)") == set(suite.rates(reference=suite).frame().columns) - set(rates.columns)
    difference = _columns("Columns of every difference")
    assert _columns("contrasts(by)") | difference == set(gaps.columns)
    assert difference < set(contrasts.frame("level_contrasts").columns)
    assert _columns("compare(correction") == set(compared.frame("models").columns)
    assert difference < set(compared.frame("pairs").columns)
    gate = suite.gate(minimum=["pass_rate=0.5"])
    assert _columns("gate(minimum") == set(gate.frame().columns)
    assert _columns("components(also)") == set(suite.components().frame().columns)
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
