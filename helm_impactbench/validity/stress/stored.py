"""The stored conversations of a suite, to be put under stress: no verdict is known, but they are real."""

from __future__ import annotations

from collections.abc import Sequence

from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.judging.judge_conversation import AskedHow
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.validity.simulator.audit import drawn
from helm_impactbench.validity.stress.edits import Put
from helm_impactbench.validity.stress.versions import Subject

StoredRun = tuple[RunFolder, AskedHow | None]
"""A run, and how its judges are asked; None: as the metrics do."""


def stored_subjects(runs: Sequence[StoredRun], size: int) -> list[Subject]:
    """Return so many conversations of a suite at most, the same scenarios of every run. Raises ResultsError.

    An injected verdict contradicts the stored one, whoever gave it.
    """
    eligible = list[tuple[StoredRun, int, Outcome]]()
    for run, question in runs:
        for number, record in enumerate(run.records()):  # kept later, of the chosen ones: a large suite has gigabytes
            if _can_be_asked(record, question):
                outcome = outcome_of(record, model=run.model, setup=run.setup)
                eligible.append(((run, question), number, outcome))
    if not eligible:
        raise ResultsError("The suite has no conversation that can be judged.")
    chosen: dict[int, list[int]] = {}
    for place in drawn([(run.name, outcome) for (run, _), _, outcome in eligible], size, 0):
        (run, _), number, _ = eligible[place]
        chosen.setdefault(next(i for i, (other, _) in enumerate(runs) if other is run), []).append(number)
    return [
        _subject(run, question, record)
        for place, (run, question) in enumerate(runs)
        for number, record in enumerate(run.records() if place in chosen else ())
        if number in chosen[place]
    ]


def subjects_digest(subjects: Sequence[Subject]) -> str:
    """Return the SHA-256 (hex) of what is asked about conversations."""
    return content_digest([[one.put.key, one.put.case.metric.digest()] for one in subjects])


def _can_be_asked(record: Record, question: AskedHow | None) -> bool:
    if not record.conversation.status.can_be_judged or not record.conversation.exchanges:
        return False
    return question is None or question(record.case, record.conversation) is not None


def _subject(run: RunFolder, question: AskedHow | None, record: Record) -> Subject:
    verdict = record.verdict
    against = ParsedAnswer("answered", verdict.answer, verdict.value) if verdict.status == "scored" else None
    put = Put(record.case, record.conversation, against=against, question=question)
    return Subject(f"{run.model} {record.case.id}", put, None)
