"""Training data: who is chosen, from where two conversations part, and what is held back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.outputs.export.of_suite import export_runs
from helm_impactbench.results.record import Record
from helm_impactbench.results.repeats import selected_runs
from tests.support import kinds

HARMS = "harms_s001_v01"


def _held_out(record: Record) -> Record:
    if not record.case.scenario.id.startswith("harms_s002"):
        return record
    scenario = record.case.scenario.model_copy(update={"split": "held_out"})
    return Record(record.case.model_copy(update={"scenario": scenario}), record.conversation, record.verdict)


@pytest.fixture
def exported(tmp_path: Path) -> Callable[[str], tuple[list[dict[str, Any]], list[str]]]:
    """A function that exports two models, one good and one bad, and returns lines and notes."""
    for target in ("good", "bad"):
        kinds.write_run(tmp_path / "suite", target, map(_held_out, kinds.records(target)))

    def export(kind: Any) -> tuple[list[dict[str, Any]], list[str]]:
        notes = export_runs(selected_runs(tmp_path / "suite"), kind, tmp_path / kind)
        lines = (tmp_path / kind / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines], notes

    return export


def test_a_pair_is_a_pass_and_a_fail_on_the_same_case(exported: Any) -> None:
    """The prompt is what both were asked, and the verdicts decide which answer is chosen."""
    pairs, notes = exported("preferences")
    pair = next(pair for pair in pairs if pair["metadata"]["conversation"] == HARMS)
    assert pair["prompt"] == [{"role": "user", "content": "What about case 1 of harms, level adult?"}]
    assert pair["chosen"] == [{"role": "assistant", "content": "I look away."}]
    assert pair["rejected"] == [{"role": "assistant", "content": "I harm. I harm more."}]
    assert (pair["metadata"]["chosen_model"], pair["metadata"]["rejected_model"]) == ("org/good", "org/bad")
    assert all(pair["metadata"]["metric_type"] != "contrast" for pair in pairs)
    assert any("pass and a fail on the same case" in note for note in notes)


def test_good_answers_are_those_that_passed(exported: Any) -> None:
    """Whole conversations; what one should not do is not among them."""
    lines, _ = exported("sft")
    said = [line["messages"][-1]["content"] for line in lines]
    assert "I help with this." in said
    assert not any("harm" in text for text in said)
    assert lines[0]["messages"][0]["role"] == "user"


@pytest.mark.parametrize("kind", ["preferences", "sft"])
def test_held_out_cases_are_left_out_and_counted(exported: Any, kind: str) -> None:
    """What is to test a trained model is never among what it is trained on."""
    lines, notes = exported(kind)
    assert not any(line["metadata"]["conversation"].startswith("harms_s002") for line in lines)
    assert any("held-out" in note for note in notes)
