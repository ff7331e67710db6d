"""`contrasts --by arm`: what another set-up of the same target changes, such as a system prompt.

The operators of a benchmark, which `axes=operator` sets side by side, are arms as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import confidence
from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.difference_rows import SIGNIFICANT, PairRow, pair_row
from helm_impactbench.analysis.rates import by_area, grouped
from helm_impactbench.benchmark.operators import AXIS, NONE, unnumbered
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import with_cells
from helm_impactbench.tables.names import ARM_SIGN


class ArmRow(TypedDict):
    """Two arms of a model; the rest of the row is that of a pair."""

    model: Annotated[str, Column("Model", "model", "The target that both arms set up.", view="default")]


def arm_contrasts(reading: Reading) -> Result:
    """Return every two arms of each model, paired by the cases that both met, and corrected over a model's pairs.

    Raises ImpactBenchError where no model has two arms.
    """
    rows = [row for own in _by_model(_with_operators(reading.levels)).values() for row in _rows(own)]
    if not rows:
        raise ImpactBenchError(
            "No model of this suite has two arms. A study with arms: runs several, and so do run entries with arm= or "
            "system_prompt=, or axes=operator."
        )
    confidence_cell = confidence(reading.population, "difference")
    value = Column(
        "Difference (95% CI)",
        "difference",
        "First minus second, with its interval.",
        "default",
        text=lambda row: _value_text(row, confidence_cell),
        in_files=False,
    )
    pair = Column("Arms", "text", "First minus second.", "default", in_files=False, text=_arms_text)
    columns = (
        *columns_of(ArmRow),
        *with_cells(columns_of(PairRow), second=pair, difference=value, can_be_found=SIGNIFICANT),
    )
    compared = [row for row in rows if row["difference"] is not None]
    notes = [*_notes(rows), *_units(reading)]
    return Result(
        (Table("arms", columns, compared or rows, "Arms of the same model, on the cases that both met"),),
        tuple(notes),
        ("95% CI over scenarios. Not significant does not mean equal.",),
    )


def _with_operators(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes; the operator of a case is part of the arm, and its case is that without the operator."""
    plain = {
        (one.run, unnumbered(one.variant_id), one.sample): one.content
        for one in outcomes
        if dict(one.axes).get(AXIS) == NONE
    }
    for one in outcomes:
        axes = dict(one.axes)
        if operator := axes.pop(AXIS, ""):
            scenario = unnumbered(one.variant_id)
            arm = f"{', ' if ARM_SIGN in one.model else ARM_SIGN}{operator}"
            content = plain.get((one.run, scenario, one.sample), one.content)
            one = replace(one, model=one.model + arm, variant_id=scenario, content=content, axes=(*axes.items(),))
        yield one


def _by_model(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each target that has several arms, without the arm."""
    groups = grouped(outcomes, lambda outcome: outcome.model.partition(ARM_SIGN)[0])
    return {model: own for model, own in sorted(groups.items()) if len({one.model for one in own}) > 1}


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    for area, own in by_area(outcomes).items():
        for pair in compare(own).pairs:
            row = pair_row(pair, area)
            model = row["first"].partition(ARM_SIGN)[0]
            yield {**row, "model": model}


def _arms_text(row: Row) -> str:
    first, second = (row[side].partition(ARM_SIGN)[2] or "none named" for side in ("first", "second"))
    return f"{first} minus {second}"


def _value_text(row: Row, interval: Column) -> str:
    if row["difference"] is None or interval.text is None:
        return "not compared: no shared case"
    return f"{value_text(row['difference'], 'difference')} ({interval.text(row)})"


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    found = sum(bool(row["found"]) for row in rows)
    yield f"Significant: {found} of {counted(len(rows), 'pair')} of arms (max-T within a model, 5%)."
    apart = [_arms_text(row) for row in rows if row["difference"] is None]
    if apart:
        yield f"Not compared, as no case has a verdict on both sides: {'; '.join(apart)}."


def _units(reading: Reading) -> Iterator[str]:
    if any(not outcome.is_level for outcome in reading.outcomes):
        yield "Contrast metrics have no pass rate: impactbench compare shows the gaps of each arm."
