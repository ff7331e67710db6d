"""Whose answers a gate sees: a release is never judged by answers that were given for its baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from helm_impactbench.analysis.gate import RATES, GateCheck
from helm_impactbench.analysis.gate_baseline import is_comparison
from helm_impactbench.analysis.people import AREA
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.tables.names import SCRIPTED


@dataclass(frozen=True)
class TakenAnswers:
    """Answers of a model under test that are the very calls of its baseline."""

    taken: int
    answers: int
    """Of the model, as far as it is known which calls gave them."""


def taken_answers(outcomes: Iterable[Outcome], baseline: Iterable[Outcome]) -> Mapping[str, TakenAnswers]:
    """Return model -> how many of its answers are stored ones of the baseline; models without any are not in it."""
    before = {call for outcome in baseline for call in outcome.calls}
    answers, taken = Counter[str](), Counter[str]()
    for outcome in outcomes:
        answers[outcome.model] += len(outcome.calls)
        taken[outcome.model] += sum(call in before for call in outcome.calls)
    return {model: TakenAnswers(count, answers[model]) for model, count in sorted(taken.items()) if count}


def unknown_calls(outcomes: Iterable[Outcome], baseline: Iterable[Outcome]) -> list[str]:
    """Return the models of which one side says which calls gave its answers, and the other does not."""
    now, before = _with_calls(outcomes), _with_calls(baseline)
    return sorted(model for model in now.keys() & before.keys() if now[model] != before[model])


def _with_calls(outcomes: Iterable[Outcome]) -> dict[str, bool]:
    """Return model -> whether any of its answers says which call gave it; without scripts, which make no calls."""
    known: dict[str, bool] = {}
    for outcome in outcomes:
        if outcome.exchanges and not outcome.model.startswith(SCRIPTED):
            known[outcome.model] = known.get(outcome.model, False) or bool(outcome.calls)
    return known


def undecided_where_taken(checks: Iterable[GateCheck], taken: Mapping[str, TakenAnswers]) -> list[GateCheck]:
    """Return checks, undecided where they are of a model that was given answers of its baseline."""
    return [
        replace(check, decision="undecided", open_because="baseline's answers") if check.model in taken else check
        for check in checks
    ]


def undecided_where_people_differ(checks: Iterable[GateCheck], people: Collection[str]) -> list[GateCheck]:
    """Return checks, undecided where the pass rate that passes is an average over people who fare differently.

    people: the models with which they do.
    """
    return [
        replace(check, decision="undecided", open_because="people differ")
        if check.decision == "pass" and check.model in people and check.scope == AREA and _is_of_all(check)
        else check
        for check in checks
    ]


def undecided_where_judged_otherwise(checks: Iterable[GateCheck], models: Collection[str]) -> list[GateCheck]:
    """Return checks, undecided where they compare a model with a baseline that other judges judged; `models`: those."""
    return [
        replace(check, decision="undecided", open_because="other judges")
        if check.model in models and is_comparison(check.condition)
        else check
        for check in checks
    ]


def _is_of_all(check: GateCheck) -> bool:
    return not check.part and check.condition.split(" ")[0] in RATES


def taken_sentences(taken: Mapping[str, TakenAnswers], releases: Sequence[str]) -> list[str]:
    """Return a sentence for each such model: why nothing is decided of it, and what to do. releases: of the suite."""
    named = f" (release {', '.join(releases)})" if releases else ""
    return [
        f"{found.taken:,} of {found.answers:,} answers of {model}{named} are the baseline's own, from the cache. They "
        "say nothing of this release. Run it again with --release and a name of its own, such as the commit."
        for model, found in taken.items()
    ]
