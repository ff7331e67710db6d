"""Review the simulated user in the conversations of a suite: choose, ask, and put the findings together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.judging.judge_conversation import Call, speaker
from helm_impactbench.results.files import RunFolder, selected_runs
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.results.repeats import repeats
from helm_impactbench.validity.simulator.audit import (
    Reviewed,
    affected,
    drawn,
    fault_counts,
    marks_sentence,
    model_rates,
    order_sentence,
)
from helm_impactbench.validity.simulator.review import REVIEW_SCHEMA, Fault, Review, review, review_digest
from helm_impactbench.validity.threads import in_threads


@dataclass(frozen=True)
class Item:
    """One conversation that is to be reviewed."""

    run: str
    record: Record
    outcome: Outcome


@dataclass(frozen=True)
class Chosen:
    """The conversations that are reviewed, and how many there were to choose from."""

    items: list[Item]
    eligible: int
    """Conversations with a simulated user that were held to an end."""
    broken_off: int
    """Conversations that failed and are unscored whatever their user did."""
    fixed: int
    """Conversations whose user wrote fixed messages alone: nobody was simulated."""


def choose(folder: Path, benchmarks: Sequence[str], models: Sequence[str], size: int | None, seed: int) -> Chosen:
    """Return a sample of `size` conversations of a suite, all of them when None. Raises ResultsError."""
    eligible, broken_off, fixed = list[tuple[RunFolder, int, Outcome]](), 0, 0
    runs = selected_runs(folder, benchmarks, models)
    repeated = repeats(runs, RunFolder.outcomes)
    for run in runs:
        for number, record in enumerate(run.records()):  # kept later, of the chosen ones: a large suite has gigabytes
            outcome = outcome_of(record, model=run.model, setup=run.setup)
            if run in repeated and not repeated[run].leaves(outcome):
                continue
            if record.case.plan.turns <= len(record.case.plan.messages):
                fixed += 1
            elif not record.conversation.status.can_be_judged:
                broken_off += 1
            else:
                eligible.append((run, number, outcome))
    if not eligible:
        raise ResultsError(
            f"Suite {folder.name} has nothing to review: {counted(fixed, 'conversation')} with fixed messages and "
            f"no simulated user, {broken_off:,} broke off."
        )
    places = drawn([(run.name, outcome) for run, _, outcome in eligible], size, seed)
    return Chosen(_items([eligible[place] for place in places]), len(eligible), broken_off, fixed)


def _items(chosen: Sequence[tuple[RunFolder, int, Outcome]]) -> list[Item]:
    """Return conversations with their words, in order; only the runs that they are of are read."""
    wanted: dict[Path, set[int]] = {}
    for run, number, _ in chosen:
        wanted.setdefault(run.path, set()).add(number)
    records = {
        (path, number): record
        for path, numbers in wanted.items()
        for number, record in enumerate(RunFolder(path).records())
        if number in numbers
    }
    return [Item(run.name, records[run.path, number], outcome) for run, number, outcome in chosen]


def review_all(chosen: Chosen, call: Call, deployment: str, threads: int, step: Callable[[], None]) -> list[Reviewed]:
    """Return the reviews in order, calling `step` after each. Raises FatalCallError when no call can succeed."""

    def one(item: Item) -> Review:
        plan = item.record.case.plan
        return review(plan, item.record.conversation, speaker(call, deployment, plan.seed, REVIEW_SCHEMA))

    reviewed = []
    for item, found in zip(chosen.items, in_threads(one, chosen.items, threads), strict=True):
        reviewed.append(Reviewed(item.run, item.record.case.id, item.outcome, found))
        step()
    return reviewed


def findings(chosen: Chosen, reviewed: Sequence[Reviewed]) -> dict[str, Any]:
    """Return everything that was found as JSON-like data."""
    rates = model_rates(reviewed)
    return {
        "prompts_digest": review_digest(),
        "helm_impactbench": __version__,
        "eligible": chosen.eligible,
        "broken_off": chosen.broken_off,
        "fixed_messages": chosen.fixed,
        "faults_by_kind": {kind.value: counts for kind, counts in fault_counts(reviewed).items()},
        "affected": {
            row.name: {
                "reviewed": row.reviewed,
                "unreviewed": row.unreviewed,
                "major": row.major,
                "any": row.any,
                "marked": row.marked,
                "marked_any": row.marked_any,
            }
            for row in affected(reviewed)
        },
        "pass_rates": {
            rate.model: {
                "all": rate.everything.data(),
                "without_major": rate.without_major.data(),
                "without_any": rate.without_any.data(),
            }
            for rate in rates
        },
        "order": order_sentence(rates),
        "marks": marks_sentence(affected(reviewed)[-1]),
        "faults": [_fault(one, fault) for one in reviewed for fault in one.review.faults or ()],
        "unreviewed": [
            {**_place(one), "reason": one.review.failure.value, "problem": one.review.problem}
            for one in reviewed
            if one.review.failure is not None
        ],
    }


def _fault(one: Reviewed, fault: Fault) -> dict[str, Any]:
    return {
        **_place(one),
        "kind": fault.kind.value,
        "severity": fault.severity.value,
        "turn": fault.turn,
        "quote": fault.quote,
        "why": fault.why,
        "grounded": fault.grounded,
    }


def _place(one: Reviewed) -> dict[str, Any]:
    return {"run": one.run, "conversation": one.conversation}
