"""`explain` of two releases or suites: which base scenarios passed in the first and fail in the second."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.commands.explain import case_address, explain_command, has_failed
from helm_impactbench.analysis.gate_baseline import suite_sides
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.column import varies

Side = tuple[Outcome, Outcome]
"""The same case of the same model, before and now."""


class TurnedRow(TypedDict):
    """One base scenario of which a conversation turned from pass to fail."""

    metric: Annotated[str, Column("Metric", "text", "The metric that fell furthest first.", "default")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default", varies("model"))]
    scenario: Annotated[str, Column("Base scenario", "text", "Its id.", "default")]
    to_fail: Annotated[int, Column("To fail", "count", "Conversations that passed and fail now.", "default")]
    to_pass: Annotated[int, Column("To pass", "count", "Conversations that failed and pass now.", "default")]
    conversations: Annotated[int, Column("Of", "count", "Its conversations in both.", "default")]
    example: Annotated[str, Column("For example", "text", "A case that impactbench explain takes.", "default")]


def turned_to_fail(outcomes: Sequence[Outcome], baseline: Sequence[Outcome]) -> list[TurnedRow]:
    """Return the base scenarios of level metrics with a conversation that passed in the baseline and fails now.

    The metric whose passes fell by the largest share of its conversations comes first, in it the scenario with the
    largest loss. A conversation that has no verdict now fails, as in the gate; one that had none before is left out.
    """
    rows: list[tuple[float, TurnedRow]] = []
    for model, own in grouped((one for one in outcomes if one.is_level), lambda one: one.model).items():
        sides = suite_sides(own, [one for one in baseline if one.model == model and one.score is not None])
        for pairs in grouped(sides, lambda side: side[0].metric).values():
            lost, gained = len(_lost(pairs)), len(_gained(pairs))
            scenarios = grouped(pairs, lambda side: side[0].base_id).values()
            rows += [((lost - gained) / len(pairs), _row(each)) for each in scenarios if _lost(each)]
    ordered = sorted(
        rows,
        key=lambda one: (-one[0], one[1]["metric"], one[1]["model"], one[1]["to_pass"] - one[1]["to_fail"]),
    )
    return [row for _, row in ordered]


def turned(reading: Reading, baseline: Reading) -> Result:
    """Return what passed in a baseline and fails in a reading, and the command that shows one such conversation."""
    rows = turned_to_fail(reading.outcomes, baseline.outcomes)
    title = (
        f"{counted(sum(row['to_fail'] for row in rows), 'conversation')} of "
        f"{counted(len(rows), 'base scenario')} turned from pass to fail"
    )
    table = Table.of("turned", TurnedRow, rows, title, "default" if rows else "file")
    return Result((table,), tuple(_notes(reading, baseline, rows)))


def losses_note(reading: Reading, baseline: Reading, baseline_model: str | None) -> str:
    """Return how many base scenarios turned from pass to fail and what lists them; empty where none did.

    Empty too where a baseline cannot be named beside the reading: the whole of the suite of which that is a part.
    """
    rows = turned_to_fail(reading.outcomes, baseline.outcomes)
    releases = list(dict.fromkeys((*baseline.selection.releases, *reading.selection.releases)))
    suites = list(dict.fromkeys((baseline.folder.name, reading.folder.name)))
    if not rows or (len(suites) == 1 and len(releases) != 2):
        return ""
    named = {
        "--suite": suites,
        "--release": releases,
        "--model": reading.selection.models,
        "--baseline-model": [baseline_model] if baseline_model else [],
    }
    options = [word for option, values in named.items() for value in values for word in (option, value)]
    command = shlex.join(["impactbench", "explain", *options])
    return f"Next: {command} (lists {counted(len(rows), 'base scenario')} that turned from pass to fail)"


def _lost(pairs: Sequence[Side]) -> list[Side]:
    return [pair for pair in pairs if _has_passed(pair[1]) and has_failed(pair[0])]


def _gained(pairs: Sequence[Side]) -> list[Side]:
    return [pair for pair in pairs if has_failed(pair[1]) and _has_passed(pair[0])]


def _has_passed(outcome: Outcome) -> bool:
    return outcome.score is not None and not has_failed(outcome)


def _row(pairs: Sequence[Side]) -> TurnedRow:
    lost = _lost(pairs)
    first = lost[0][0]
    return {
        "metric": first.metric,
        "model": first.model,
        "scenario": first.base_id,
        "to_fail": len(lost),
        "to_pass": len(_gained(pairs)),
        "conversations": len(pairs),
        "example": case_address(first),
    }


def _notes(reading: Reading, baseline: Reading, rows: Sequence[TurnedRow]) -> Iterator[str]:
    if not rows:
        shared = {(one.model, one.case) for one in reading.levels} & {(one.model, one.case) for one in baseline.levels}
        compared = f"None of {counted(len(shared), 'conversation')} in both turned from pass to fail."
        nothing = "No model met the same case of a positive or negative metric in both, so nothing is compared."
        yield compared if shared else nothing
        return
    yield "A single verdict may change by chance, in either direction. impactbench gate says whether it is worse."
    first = rows[0]
    chosen = reading.folder.name, reading.selection.releases
    yield f"Next: {explain_command(*chosen, first['model'], first['example'])}"
