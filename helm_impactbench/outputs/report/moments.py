"""Read it yourself: the cases on which the models of a suite are most divided, in the words of who asked. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.outputs.people_words import person_words
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.spoken import is_spoken
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.verdict_words import verdict

MOST = 2
"""Moments on a page, each of another benchmark."""


@dataclass(frozen=True)
class Moment:
    """One case that some models passed and others failed."""

    benchmark: str
    metric_name: str
    who: str
    """For whom the case is written; empty where it is for nobody in particular."""
    words: str
    """What the person wrote first."""
    passed: int
    models: int
    """That have a verdict."""
    address: str
    """Of the case with all models."""


def moments(
    outcomes: Iterable[Outcome], openings: Mapping[tuple[str, str], str], without: Collection[str] = ()
) -> list[Moment]:
    """Return the cases whose models are split most evenly between pass and fail, of different benchmarks.

    openings: (benchmark, conversation) -> first words, of cases that may be quoted. without: scripts that do not count.
    """
    own = [o for o in outcomes if o.model not in without and (o.benchmark, names.conversation_id(o)) in openings]
    by_case = grouped(own, lambda outcome: (outcome.benchmark, names.conversation_id(outcome)))
    divided = sorted((place, case) for case, found in by_case.items() if (place := _place(found)))
    found: dict[str, Moment] = {}
    for _, (slug, case) in divided:
        found.setdefault(slug, _moment(by_case[slug, case], openings[slug, case]))
        if len(found) == MOST:
            break
    return list(found.values())


def _place(outcomes: Collection[Outcome]) -> tuple[float, int, bool] | None:
    """Return what puts an evenly split case, with many models, first; None where models agree."""
    verdicts = [verdict(outcome) for outcome in outcomes]
    passed, failed = verdicts.count("passed"), verdicts.count("failed")
    if not passed or not failed:
        return None
    return -min(passed, failed) / (passed + failed), -passed - failed, not any(map(is_spoken, outcomes))


def _moment(outcomes: list[Outcome], words: str) -> Moment:
    first = outcomes[0]
    verdicts = [verdict(outcome) for outcome in outcomes]
    passed = verdicts.count("passed")
    address = f"{names.cases_address(first.benchmark)}#{names.conversation_id(first)}"
    return Moment(
        first.benchmark,
        first.metric_name,
        person_words(first.axes_label or ""),
        words,
        passed,
        passed + verdicts.count("failed"),
        address,
    )
