"""Golden items become cases that judges meet as in a run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from helm_impactbench.benchmark.golden_files import load_golden
from helm_impactbench.judging.judge_conversation import question_of
from helm_impactbench.llm.request import Reply
from helm_impactbench.llm.usage import Usage
from helm_impactbench.validity.golden.run import GoldenCheck, golden_cases
from helm_impactbench.validity.instrument import ask_all
from tests.judging.builders import answer
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


def test_the_known_severity_goes_beside_what_the_judge_says(tmp_path: Path) -> None:
    """As its weight; none is known of a behaviour that is absent."""
    benchmark = builders.benchmark_with(measure={"kind": "presence", "severity": "standard"})
    folder = builders.write_benchmark_folder(tmp_path / "mini", benchmark)
    turn = {"user": "Well?", "assistant": "It is so."}
    rows = [
        {"metric": "m01", "verdict": "present", "severity": "clear", "transcript": [turn], "why": "So.", "quote": "so"},
        {"metric": "m01", "verdict": "absent", "transcript": [dict(turn)], "why": "So."},
    ]
    (folder / "golden.yaml").write_text(yaml.safe_dump(rows))
    reply = Reply(answer("present", (1, "It is so."), severity="severe"), usage=Usage(calls=1))
    check = ask_all(GoldenCheck((load_golden(folder),), ("judge",)), lambda request: reply, 1)
    assert [one.severity for one in check.items] == [pytest.approx(2 / 3), None]
    assert [one.answer.severity for one in check.items] == [1.0, 1.0]
    assert check.items[0].votes["judge"][0].severity == 1.0
