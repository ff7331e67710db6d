"""Judge the stored conversations of a suite, for the first time or with other judges: no user and no target is called.

A rejudged run is a run like any other: HELM's own files, with the judges in its name. Nothing but verdicts and what is
computed from them differs from the run that it was made from.
"""

from __future__ import annotations

from functools import partial

from helm_impactbench.judging.judge_conversation import Call, judge_conversation
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import setup_of
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.publish import Figures, publish
from helm_impactbench.results.record import ANNOTATOR, Record, annotation, case_data
from helm_impactbench.validity.rejudge_plan import Data, Rejudging
from helm_impactbench.validity.threads import in_threads


def rejudge(rejudging: Rejudging, call: Call, figures: Figures, threads: int) -> None:
    """Judge the run's conversations and write the new run in one step.

    `figures` computes HELM's statistics. Raises FatalCallError when no call can succeed any more, ResultsError when the
    run cannot be read; nothing of the new run is written then, and every answer that came is in HELM's cache.
    """
    raw: Data = {**rejudging.source.states()}
    records = list(in_threads(partial(_judged, rejudging, call), list(rejudging.source.records()), threads))
    outcomes = [outcome_of(record, model=rejudging.source.model, setup=setup_of(rejudging.name)) for record in records]
    check_outcomes(outcomes, rejudging.name)
    raw["annotator_specs"] = rejudging.spec["annotators"]
    for state, record in zip(raw["request_states"], records, strict=True):
        _put(state, record)
    publish(rejudging.target, rejudging.spec, rejudging.scenario, raw, figures)


def _judged(rejudging: Rejudging, call: Call, record: Record) -> Record:
    put = rejudging.case_put(record)
    verdict = judge_conversation(put.case, put.conversation, rejudging.panel, call, rejudging.manner.question)
    return Record(put.case, put.conversation, verdict)


def _put(state: Data, record: Record) -> None:
    """Put a record into a request state: the case and the verdict; the conversation stays as it is."""
    extra = state["instance"].get("extra_data") or {}
    state["instance"]["extra_data"] = {**extra, **case_data(record.case)}
    state["annotations"] = {**(state.get("annotations") or {}), ANNOTATOR: annotation(record)}
