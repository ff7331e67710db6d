"""What impactbench contrasts says of verdicts that are missing on one side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from helm_impactbench.results.record import Record
from tests.support import kinds


def without_verdicts(levels: Sequence[str], bases: int = 6, kept: int = 0) -> list[Record]:
    """Return the records of a target; those with one of the levels lack a verdict, but for the first `kept` cases."""
    judged, unjudged = (kinds.records("good", bases, judges=own) for own in (("j/one", "j/two"), ()))
    return [
        unscored if {*found.case.scenario.axes.values()} & {*levels} and place >= kept else found
        for place, (found, unscored) in enumerate(zip(judged, unjudged, strict=True))
    ]


def contrasts(*options: str) -> str:
    """Return what the command prints for the suite s, with lines joined."""
    command = ["contrasts", "--suite", "s", *options]
    done = CliRunner().invoke(main, command, catch_exceptions=False, env={"COLUMNS": ""})  # as wide as it needs
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


@pytest.fixture
def runs(workdir: Path) -> Path:
    """The folder of the suite s, without a run."""
    return workdir / "benchmark_output/runs/s"


def test_groups_without_any_verdict_are_named(runs: Path) -> None:
    """Rather than left out, or laid to cases that were never put to both."""
    kinds.write_run(runs, "good", without_verdicts(("child", "Aisha", "b", "neutral")))
    said = contrasts()
    assert "Not compared, as no case has a verdict on both sides: org/good, impact, age: adult and child." in said
    assert "Not compared, as no case has a verdict on both sides: org/good, kinds, name, teller." in said
    assert "nothing to contrast" not in said
    by_metric = contrasts("--by", "metric")
    assert "org/good, kinds/pays, name; org/good, kinds/sides, teller." in by_metric
    assert "org/good, kinds/harms, age: adult and child; org/good, kinds/helps, age: adult and child;" in by_metric


def test_missing_verdicts_are_counted_by_side(runs: Path) -> None:
    """Next to the contrast that lacks them; a contrast that lacks none has no such column."""
    whole = kinds.records("good", 6)
    kinds.write_run(runs, "good", [one for one in whole if one.verdict.status in ("scored", "not_applicable")])
    assert "Missing, second" not in contrasts("--wide")
    kinds.write_run(runs, "good", without_verdicts(("child",), kept=36))
    said = contrasts("--wide")
    assert "Missing, second" in said
    assert "Significant: 0 of 1 difference of pass rates over all benchmarks" in said
