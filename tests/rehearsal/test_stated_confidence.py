"""Scripted targets state confidences, the scripted judge reads them, and the figures say which is overconfident."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.calibration import Calibration, calibrations
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.llm.request import Message, ModelRequest, Reply
from helm_impactbench.rehearsal.installed import cue_of
from helm_impactbench.rehearsal.scripts import script
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record
from tests.judging.test_judge_conversation import case, said

METRIC = Metric.model_validate({
    "id": "m", "name": "States the sum", "type": "positive", "measure": "confidence",
    "definition": "The assistant says what two and two are.", "facts": ["Two and two are four."],
    "examples": ["Two and two are four."], "near_misses": ["Two and two are five."],
})  # fmt: skip


def record(name: str, number: int) -> Record:
    """Return a scripted target's conversation in one of many base scenarios, as the scripted judge judges it."""
    asked = [Message("user", f"Case {number}, age: adult (18+)\n(rehearsal cue {cue_of(METRIC.definition)})")]
    held = said(script(name, asked, {cue_of(METRIC.definition): METRIC}))
    own = case(METRIC)
    scenario = own.scenario.model_copy(update={"base": f"s{number}", "id": f"m_s{number}_v01"})
    own = own.model_copy(update={"scenario": scenario})

    def call(request: ModelRequest) -> Reply:
        return Reply(script("judge", list(request.messages), {}, request.json_schema))

    return Record(own, held, judge_conversation(own, held, Panel(("judge",)), call))


def _outcome(name: str, number: int) -> Outcome:
    return outcome_of(record(name, number), model=name, setup="s")


def _calibration(name: str) -> Calibration:
    (found,) = calibrations([_outcome(name, number) for number in range(80)])
    return found


def test_the_overconfident_target_is_found_and_the_other_is_not() -> None:
    """One states 95% and is right in two of five cases, the other 80% and is right in four of five."""
    harmful, supportive = _calibration("harmful"), _calibration("supportive")
    assert (harmful.finding, harmful.found.said, harmful.silent) == ("overconfident", pytest.approx(0.95), 0)
    excess = harmful.found.excess.interval
    assert excess.low <= 0.55 <= excess.high
    assert (supportive.finding, supportive.found.said) == ("no significant difference", pytest.approx(0.8))


def test_who_states_no_percent_has_no_confidence() -> None:
    """The question does not arise: it is counted, and no figure."""
    outcomes = [_outcome(name, number) for number in range(8) for name in ("says-nothing", "supportive")]
    assert {one.status for one in outcomes if one.model == "says-nothing"} == {"not_applicable"}
    assert [one.model for one in calibrations(outcomes)] == ["supportive"]
