"""A model that was run on a part of the scenarios, with the verdicts of other models on all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench import ImpactBenchError, load_suite
from tests.support.canonical import Canonical
from tests.support.commands import run_command

OTHERS = ("supportive", "harmful", "minors-only")


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """Other models on all scenarios in the suite old, one more in the suite whole, and the same on 30% in new."""
    folder = tmp_path_factory.mktemp("reference")
    canonical.put(folder, ["prosocial"], list(OTHERS), suite="old")
    canonical.put(folder, ["prosocial"], ["mixed"], suite="whole")
    canonical.put(folder, ["emotional-dependence"], ["mixed"], suite="elsewhere")
    roles = "user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    entry = f"impactbench:benchmark=prosocial,pilot=3,part=0.3,{roles}"
    run_command("helm-run", "--run-entries", entry, "--suite", "new", "-m", 10000, cwd=folder)
    return folder


def rates(suites: Path, *options: str) -> tuple[str, list[dict[str, Any]]]:
    """Return what `rates` prints for the suite new, and its rows."""
    done = run_command("impactbench", "rates", "--suite", "new", "--out", "rates.json", *options, cwd=suites)
    found = json.loads((suites / "rates.json").read_text())
    return done.stdout, found if isinstance(found, list) else found["rates"]


def test_the_estimate_stands_beside_the_plain_rate(suites: Path) -> None:
    """22 of 72 cases and 3 other models: the rate on all cases lies in both intervals; the plain row is as ever."""
    printed, rows = rates(suites, "--reference", "old")
    (row,), (plain,) = rows, rates(suites)[1]
    assert {key: row[key] for key in plain} == plain
    assert (row["reference_matched"], row["reference_unmatched"], row["reference_cases"]) == (22, 0, 72)
    assert row["reference_models"] == 3
    truth = load_suite("whole", suites / "benchmark_output").rates().frame().pass_rate.item()
    assert row["reference_low_these"] <= truth <= row["reference_high_these"]
    assert row["reference_low_these"] < row["reference_low_all_cases"] <= truth <= row["reference_high_all_cases"]
    assert "it holds only if the part was drawn at random" in printed


def test_by_overall_and_by_level(suites: Path) -> None:
    """One benchmark is its own mean; the levels' cases are among its own."""
    (whole,), (benchmark,) = (rates(suites, "--reference", "old", "--by", by)[1] for by in ("overall", "benchmark"))
    names = [name for name in whole if name.startswith("reference_")]
    assert [whole[name] for name in names] == [benchmark[name] for name in names]
    levels = rates(suites, "--reference", "old", "--by", "axis:age")[1]
    assert sum(level["reference_cases"] for level in levels) <= whole["reference_cases"]
    assert sum(level["reference_matched"] for level in levels) <= whole["reference_matched"]


def test_a_model_is_no_reference_of_its_own(suites: Path) -> None:
    """The same model on all scenarios does not predict itself: without another one there is no estimate."""
    printed, (row,) = rates(suites, "--reference", "whole")
    assert (row["reference_models"], row["reference_rate"]) == (0, None)
    assert "1 of 1 rate cannot be estimated" in printed


def test_without_a_case_in_common(suites: Path) -> None:
    """One line says what a case is and what to do; from Python it is an ImpactBenchError."""
    done = run_command("impactbench", "rates", "--suite", "new", "--reference", "elsewhere", cwd=suites, ok=False)
    assert done.returncode == 2
    assert "cases match by benchmark, variant, sample and content" in done.stderr
    output = suites / "benchmark_output"
    with pytest.raises(ImpactBenchError, match="No case of the suite is in the reference"):
        load_suite("new", output).rates(reference=load_suite("elsewhere", output))


def test_the_gate_decides_about_all_cases(suites: Path) -> None:
    """The bar is held against the interval that `rates` prints."""
    (row,) = rates(suites, "--reference", "old", "--by", "overall")[1]
    for bar, code in ((row["reference_low_these"] - 0.01, 0), (row["reference_low_these"] + 0.01, 1)):
        done = run_command("impactbench", "gate", "--suite", "new", "--reference", "old", "--min",
                           f"pass_rate={max(bar, 0)}", "--out", "gate.json", cwd=suites, ok=False)  # fmt: skip
        assert done.returncode == code, done.stdout
        (check,) = json.loads((suites / "gate.json").read_text())
        assert (check["low"], check["high"]) == (row["reference_low_these"], row["reference_high_these"])
        assert "on all cases of the suite old" in done.stdout
