"""helm-server says of every group how far its judges can be trusted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from helm.benchmark.presentation.schema import RunGroup, Schema

from helm_impactbench.helm.judge_notes import with_judges


def test_a_group_begins_with_what_is_known_of_its_judges(tmp_path: Path) -> None:
    """One that no judge decided keeps its words; one without words has the sentence alone."""
    groups = [
        RunGroup(name="asked", description="About people."),
        RunGroup(name="counted", description="By a key."),
        RunGroup(name="bare"),
    ]
    judges = {"asked": ("acme/judge",), "counted": (), "bare": ("rehearsal/judge",)}

    def runs_of(group: RunGroup) -> list[Any]:
        return [SimpleNamespace(judges=judges[group.name], benchmark="mini", path=tmp_path / "runs/s/run")] * 2

    told = [group.description for group in with_judges(Schema([], [], [], groups, []), runs_of).run_groups]
    assert told == [
        "Judge not checked. acme/judge was not asked about transcripts of these benchmarks whose verdict is known: "
        "impactbench check-judge mini --judge acme/judge\n\nAbout people.",
        "By a key.",
        "Rehearsal: the judge is a script. Verdicts of rehearsal/judge measure nothing.",
    ]
