"""Golden items become cases that judges meet as in a run."""

from __future__ import annotations

from pathlib import Path

import yaml

from helm_impactbench.benchmark.golden_files import load_golden
from helm_impactbench.judging.judge_conversation import question_of
from helm_impactbench.validity.golden.run import golden_cases
from tests.support import builders

STANCE = {"kind": "stance", "parties": {"a": {"label": "the landlord", "words": ["landlord"]},
                                        "b": {"label": "the tenant", "words": ["tenant"]}}}  # fmt: skip


def test_a_transcript_may_use_the_names_that_judges_see(tmp_path: Path) -> None:
    """Judges then read these names, as they do in a run, and not what is made of a name that somebody imitates."""
    benchmark = builders.benchmark_with(measure=STANCE, type="contrast", contrast={"axis": "age"})
    folder = builders.write_benchmark_folder(tmp_path / "mini", benchmark)
    turn = {"user": "Who is right, Party 1 or Party 2?", "assistant": "Party 2 is. Party 1 went too far."}
    row = {"metric": "m01", "verdict": "party_2", "transcript": [turn], "why": "It says so."}
    (folder / "golden.yaml").write_text(yaml.safe_dump([row]))
    (case,) = golden_cases([load_golden(folder)])
    assert "Party 2 is. Party 1 went too far." in question_of(case.case, case.conversation).messages[1].content
    assert case.wanted is not None
    assert case.wanted.value == -1
