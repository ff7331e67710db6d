"""Is the reasoning right? What is known of an answer to a sum besides the judges' score of its steps. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.suites.request_sides import is_on

REFERENCE = "reference"
"""Key of the worked solution in a scenario's `view`."""
ANSWER, RIGHT, WRONG = "answer", "right", "wrong"
"""The factor of an outcome that says whether the result is right, and its levels."""
STEPS_RIGHT, RIGHT_WRONG = "steps_right", "right_answer_wrong_steps"
"""The statistics."""
_NUMBER = re.compile(r"-?[\d,]+(?:.\d+)?")
"""A number by HELM's final_number_exact_match, so that both call the same answers right."""


def is_right(record: Record) -> bool | None:
    """Return whether the last number of an answer is that of the worked solution; None without an answer."""
    exchanges = record.conversation.exchanges
    if not exchanges:
        return None
    found = _last_number(exchanges[-1].whole)
    return found != "" and found == _last_number(record.case.scenario.view.get(REFERENCE, ""))


def _last_number(text: str) -> str:
    numbers = _NUMBER.findall(text)
    return numbers[-1].replace(",", "").strip() if numbers else ""


def is_right_by_wrong_steps(*, right: bool | None, score: float) -> float:
    """Return 1 for a right result of steps of which one is wrong, else 0: also where judges are divided equally."""
    return float(bool(right) and is_on(score, -1))


def with_answer(outcome: Outcome, record: Record) -> Outcome:
    """Return the outcome of a record with the factor that says whether the result is right."""
    right = is_right(record)
    if right is None:
        return outcome
    return replace(outcome, factors=tuple(sorted((*outcome.factors, (ANSWER, RIGHT if right else WRONG)))))


def reasoning_values(record: Record) -> dict[str, list[float]]:
    """Return statistic -> what an answer adds to it: nothing without a score."""
    score, right = record.verdict.score, is_right(record)
    if score is None:
        return {STEPS_RIGHT: [], RIGHT_WRONG: []}
    return {STEPS_RIGHT: [score], RIGHT_WRONG: [is_right_by_wrong_steps(right=right, score=score)]}
