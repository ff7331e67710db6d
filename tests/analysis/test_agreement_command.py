"""The result of `agreement`: tables of judges, pairs and samples, of the suite for people and of all for files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.commands.agreement import TWO_JUDGES, agreement
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.tables import Table
from tests.analysis.test_latent import panel
from tests.support.outcomes import outcome


def titles(table: Table, *, wide: bool = False) -> list[str]:
    """Return the headings of a table on a screen."""
    return [column.title for column in table.columns if column.is_shown(table.rows, wide=wide)]


def test_a_panel_has_six_columns_and_every_benchmark_is_in_files() -> None:
    """The screen shows the suite; files have rows for it and for each benchmark, with bounds."""
    outcomes, _ = panel(400)
    result = agreement(reading_of([*outcomes, *(replace(one, benchmark="other") for one in outcomes)]))
    assert [table.name for table in result.file_tables()] == [
        "panel", "pairs", "samples", "validation", "judges", "weighed", "shared",
    ]  # fmt: skip
    assert titles(result["panel overall"]) == ["Measure", "Conversations", "Alpha (95% CI)", "Split votes"]
    assert [row["scope"] for row in result["panel"].records()] == ["all", "mini", "other"]
    whole = result["panel"].records()[0]
    assert {"alpha", "alpha_low", "alpha_high", "undecided"} < set(whole)
    assert len(result["pairs"].records()) == 9


def test_three_judges_have_error_rates_and_two_do_not() -> None:
    """The good judge's rates come first; two votes say in a sentence why they cannot show who errs."""
    three, two = (agreement(reading_of(panel(600, judges=judges)[0])) for judges in (3, 2))
    assert [row["judge"] for row in three["judges"].records()] == ["j0", "j1", "j2"]
    assert {row["figure"] for row in three["weighed"].records()} == {"differing", "majority_pass", "latent_pass"}
    assert any(note.startswith("Weighing each vote") for note in three.notes)
    assert two["judges"].records() == two["shared"].records() == []
    assert TWO_JUDGES in two.notes


def test_one_judge_and_one_sample_are_refused_and_a_cascade_is_named() -> None:
    """Nothing to compare is an error that says what to run; a cascade's second judge is no second opinion."""
    one: list[Outcome] = [outcome(base_id=f"s{n}", variant_id=f"s{n}") for n in range(3)]
    with pytest.raises(ImpactBenchError, match=r"^Nothing to compare.*samples=3"):
        agreement(reading_of(one))
    cascade = [replace(own, cascade=0.8) for own in panel(10)[0]]
    with pytest.raises(ImpactBenchError, match="10 conversations judged in a cascade: left out"):
        agreement(reading_of([replace(own, variant_id=f"v{n}") for n, own in enumerate(cascade)]))
