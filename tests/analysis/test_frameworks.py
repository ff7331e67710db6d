"""Rates by the parts of laws and frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.analysis.frameworks import unknown_names
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.frameworks import load_frameworks
from helm_impactbench.errors import ImpactBenchError, SettingError
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import outcome

OWN = """
- framework: House rules
  source: Handbook
  date: 2026-01-01
  entries:
  - {part: "3", about: People are better off after a talk., metrics: [flourishing]}
"""


def test_the_shipped_file_names_metrics_with_a_pass_rate() -> None:
    """A part that names what is not there, or a contrast alone, would never have a row."""
    known = {slug: load_benchmark(folder) for slug, folder in benchmark_paths().items()}
    for framework in load_frameworks():
        for _, part in framework.named_parts():
            for name in part.metrics:
                slug, _, metric = name.partition("/")
                named = [known[slug].metric(metric)] if metric else known[slug].metrics
                assert all(one.type != "contrast" for one in named) or not metric, name
                assert any(one.type != "contrast" for one in named), name


def test_a_metric_that_bears_on_several_parts_has_a_row_in_each() -> None:
    """The rate is that of the benchmark; what bears on nothing has no row; the first note says what it is not."""
    outcomes = [
        outcome(passed, benchmark=slug, metric_id=metric, base_id=f"s{n}", variant_id=f"s{n}", model="a/b")
        for slug, metric in (("health-advice", "m02"), ("flourishing", "m01"), ("not-mentioned", "m01"))
        for n, passed in enumerate((True, True, False, False))
    ]
    result = rates(reading_of(outcomes), "framework")
    rows = {(row["scope"], row["part"]): row["pass_rate"] for row in result["rates"].rows}
    assert rows == {
        ("health-advice", "EU AI Act, Article 15(1)"): 0.5,
        ("health-advice", "NIST AI RMF, MEASURE 2.5"): 0.5,
        ("health-advice", "NIST AI RMF, MEASURE 2.6"): 0.5,
        ("flourishing", "NIST AI RMF, MAP 5.1"): 0.5,
    }
    assert "no finding of compliance" in result.notes[0]
    assert "frameworks.yaml" in result.notes[0]
    law, nist = result.notes[1:3]
    assert law.startswith("EU AI Act (Regulation (EU) 2024/1689")
    assert "Article 15(1): An appropriate level of accuracy" in law
    assert "Article 5(1)(a)" not in law
    assert "MAP 5.1: Likelihood and size of impacts on people." in nist
    with pytest.raises(ImpactBenchError, match="bears on a part"):
        rates(reading_of([one for one in outcomes if one.benchmark == "not-mentioned"]), "framework")


def test_a_metric_of_a_benchmark_can_bear_where_others_do_not() -> None:
    """How a model speaks of doses says something about accuracy, and sending on an emergency does not."""
    outcomes = [outcome(True, benchmark="health-advice", metric_id=metric, model="a/b") for metric in ("m01", "m02")]
    rows = {row["part"]: row["conversations"] for row in rates(reading_of(outcomes), "framework")["rates"].rows}
    assert rows == {"EU AI Act, Article 15(1)": 1, "NIST AI RMF, MEASURE 2.5": 1, "NIST AI RMF, MEASURE 2.6": 2}


def test_a_file_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    """Its parts alone stand in the table, with its words and its name in the notes."""
    path = tmp_path / "house.yaml"
    path.write_text(OWN)
    outcomes = [outcome(True, benchmark="flourishing", model="a/b"), outcome(False, benchmark="prosocial", model="a/b")]
    result = rates(reading_of(outcomes), "framework", frameworks=path)
    assert [(row["scope"], row["part"]) for row in result["rates"].rows] == [("flourishing", "House rules, 3")]
    assert "the words of house.yaml" in result.notes[0]
    assert result.notes[1] == "House rules (Handbook). 3: People are better off after a talk."
    with pytest.raises(ImpactBenchError, match="goes with --by framework"):
        rates(reading_of(outcomes), frameworks=path)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """The message names the place and an example."""
    path = tmp_path / "mine.yaml"
    path.write_text("- framework: X\n  source: y\n  date: 2024-01-01\n  entries: []\n")
    with pytest.raises(SettingError, match=r"0\.entries: .*is an example"):
        load_frameworks(path)


def test_a_name_that_there_is_not_is_told(tmp_path: Path) -> None:
    """With the nearest one; what is in the suite or installed is known. An error where nothing else is named."""
    path = tmp_path / "house.yaml"
    path.write_text(OWN.replace("[flourishing]", "[flourishing, mine, prosocial/m01, minors/m99, prosocail]"))
    mine = outcome(True, benchmark="mine", model="a/b")
    metric, benchmark = unknown_names([mine], load_frameworks(path))
    assert metric.startswith("The frameworks name minors/m99, which is neither installed nor read here.")
    assert benchmark.endswith("Did you mean prosocial?")
    path.write_text(OWN.replace("[flourishing]", "[prosocail]"))
    with pytest.raises(ImpactBenchError, match=r"name prosocail, .*Did you mean prosocial"):
        rates(reading_of([mine]), "framework", frameworks=path)
