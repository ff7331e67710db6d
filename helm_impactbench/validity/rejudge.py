"""Judge the stored conversations of a suite, for the first time or with other judges: no user and no target is called.

A rejudged run is a run like any other: HELM's own files, with the judges in its name. Nothing but verdicts and what is
computed from them differs from the run that it was made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from helm_impactbench.judging.judge_conversation import Call, judge_conversation
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import setup_of
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.publish import Figures, publish
from helm_impactbench.results.record import ANNOTATOR, Record, annotation, case_data
from helm_impactbench.validity.rejudge_plan import Data, Rejudging


@dataclass(frozen=True)
class JudgedAgain:
    """Asks judges about the conversations of a run; its record is the new run, written in one step.

    Where no call can succeed any more nothing of the new run is written, and every answer that came is in HELM's cache.
    """

    rejudging: Rejudging
    figures: Figures
    """Computes HELM's statistics."""
    noun: str = "conversation"

    @cached_property
    def items(self) -> list[Record]:
        """The conversations. Raises ResultsError when the run cannot be read."""
        return list(self.rejudging.source.records())

    def ask(self, item: Record, call: Call) -> Record:
        """Return a conversation with its new verdict. Raises FatalCallError."""
        put = self.rejudging.case_put(item)
        manner = self.rejudging.manner
        verdict = judge_conversation(put.case, put.conversation, self.rejudging.panel, call, manner.question)
        return Record(put.case, put.conversation, verdict)

    def record(self, answers: Sequence[Record]) -> Path:
        """Write the new run in one step and return its folder."""
        rejudging = self.rejudging
        raw: Data = {**rejudging.source.states()}
        model, setup = rejudging.source.model, setup_of(rejudging.name)
        check_outcomes([outcome_of(record, model=model, setup=setup) for record in answers], rejudging.name)
        raw["annotator_specs"] = rejudging.spec["annotators"]
        for state, record in zip(raw["request_states"], answers, strict=True):
            _put(state, record)
        publish(rejudging.target, rejudging.spec, rejudging.scenario, raw, self.figures)
        return rejudging.target


def _put(state: Data, record: Record) -> None:
    """Put a record into a request state: the case and the verdict; the conversation stays as it is."""
    extra = state["instance"].get("extra_data") or {}
    state["instance"]["extra_data"] = {**extra, **case_data(record.case)}
    state["annotations"] = {**(state.get("annotations") or {}), ANNOTATOR: annotation(record)}
