"""`stress`: does an edit of a transcript move verdicts that it must not move?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helm_impactbench.conversation.record import readable_transcript
from helm_impactbench.errors import counted
from helm_impactbench.stats.simultaneous import FamilyTest
from helm_impactbench.tables import Column, Conclusion, Result, Row, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.validity.commands.columns import (
    figure_columns,
    figure_fields,
    figure_text,
    presentable,
    text_columns,
    used_sentence,
)
from helm_impactbench.validity.golden.figures import JudgeFigure
from helm_impactbench.validity.records.judges import StressRecord
from helm_impactbench.validity.stress.figures import KindFigures, Move, conclusions, moves, stress_figures
from helm_impactbench.validity.stress.kinds import TOWARDS

if TYPE_CHECKING:
    from helm_impactbench.validity.stress.versions import Versions

SHOWN_MOVES = 5
"""Verdicts that moved on a screen, for each edit; files have all of them."""


def _p_column(key: str, title: str, about: str, view: Any) -> tuple[Column, ...]:
    def text(row: Row) -> str:
        return value_text(row[key], "p") if row[f"{key}_possible"] else "too few cases"

    return (
        Column(title, "p", f"{about} Corrected for all tests of all edits.", view, key=key, text=text),
        Column(f"{title} possible", "flag", "Whether any difference could have been found.", key=f"{key}_possible"),
    )


EDIT = Column("Edit", "text", "What was done to the transcript.", "default", key="edit")
EDIT_COLUMNS = (
    EDIT,
    *figure_columns(
        "moved", "Verdicts that move", "Share of transcripts with another verdict than the plain one's.", kind="share"
    ),
    *figure_columns("more", "Beyond asking again", "That share less that of asking the same again.", kind="difference"),
    *_p_column("more_p", "p", "Of more verdicts moving than when asked again.", "default"),
    *figure_columns("repeat", "Asked again", "Share that moves when the same is asked again.", "wide", "share"),
    Column(
        "Towards",
        "text",
        "Where a shift counts as positive.",
        "wide",
        key="towards",
        text=lambda row: TOWARDS[row["towards"]],
    ),
    *figure_columns("shift", "Mean shift", "In that direction; shares of the range.", "default", "difference"),
    *_p_column("shift_p", "p of shift", "Of a shift in one direction.", "default"),
    Column("Detectable", "rate", "Shift that is found in 8 of 10 checks.", "wide", key="detectable"),
    Column("To present", "count", "Verdicts on presence.", "wide", key="to_present"),
    Column("To absent", "count", "Verdicts on presence.", "wide", key="to_absent"),
    Column("To right", "count", "Known verdicts that it names only when edited.", "wide", key="to_right"),
    Column("To wrong", "count", "Known verdicts that it names only when plain.", "wide", key="to_wrong"),
    *figure_columns("unclear", "Unclear", "Change of the share of unclear verdicts.", "file", "difference"),
    *figure_columns("failed", "Missing", "Change of the share of missing verdicts.", "file", "difference"),
    Column("Metrics", "count", "That its transcripts are of.", key="metrics"),
    Column("Left out", "count", "Transcripts that were not edited.", "wide", key="left_out"),
)
MEASURE_COLUMNS = (
    EDIT,
    *text_columns(("measure", "Measure", "Its kind.", "default")),
    *figure_columns(
        "shift", "Mean shift upwards", "In shares of the range; of numbers, more up than down.", "default", "difference"
    ),
)
TAKEN_COLUMNS = (
    *text_columns(
        ("injected", "Injected", "The verdict that the transcript asks for.", "default"),
        ("form", "As", "note, json or tags.", "default"),
    ),
    *figure_columns("taken", "Taken over", "Share of transcripts whose plain verdict is another one.", kind="share"),
)
MOVE_COLUMNS = (
    EDIT,
    *text_columns(
        ("benchmark", "Benchmark", "Slug.", "default"),
        ("metric", "Metric", "Id.", "default"),
        ("item", "Item", "Place in golden.yaml, or model and conversation.", "default"),
        ("plain", "Plain", "Verdict on the transcript as it is.", "default"),
        ("edited", "Edited", "Verdict on the edited transcript.", "default"),
        ("became", "Became", "to right, to wrong, or wrong as before; empty where nothing is known.", "default"),
        ("form", "Form", "Wording of the edit, where it has several.", "file"),
        ("known", "Known", "The known verdict.", "file"),
    ),
    Column(
        "Moves when asked again", "flag", "So that the edit is not needed to explain it.", key="moves_when_asked_again"
    ),
    Column("Transcript", "text", "The edited one.", key="transcript"),
)


def stress(record: StressRecord, planned: Sequence[Versions] = ()) -> Result:
    """Return what edits do to the verdicts of a judge or panel. planned: the versions, for their transcripts."""
    figures = stress_figures(record.items, record.kinds)
    texts = _transcripts(record, planned)
    moved = [_move(one, texts) for one in moves(record.items, record.kinds)]
    title = f"{record.name} on {counted(len(record.items), 'transcript')} of {record.source}, plain and edited"
    tables = [
        Table("edits", EDIT_COLUMNS, [_edit(one) for one in figures.kinds], title),
        Table("measures", MEASURE_COLUMNS, list(_measures(figures.kinds)), "Mean shift of other measures", "wide"),
        Table(
            "injected",
            TAKEN_COLUMNS,
            [
                {"injected": one.asked_for, "form": one.form, **figure_fields("taken", one.taken)}
                for one in figures.believed
            ],
            "Injected verdicts that are taken over, where the plain verdict is another one",
        ),
        Table("first_moved", MOVE_COLUMNS, _first(moved), _first_title(moved), in_files=False),
        Table("moved", MOVE_COLUMNS, moved, view="file"),
    ]
    said = conclusions(figures)
    return Result(
        presentable(tables),
        (f"Asked the same again, another verdict: {figure_text(figures.repeat)}.", *_left_out(figures.kinds)),
        (*_changes(figures.kinds), used_sentence(record.usage)),
        verdict=Conclusion(" ".join(said), 0 if figures.holds else 1),
    )


def _edit(one: KindFigures) -> dict[str, Any]:
    row: dict[str, Any] = {
        "edit": one.kind,
        "towards": one.towards,
        "metrics": one.metrics,
        "to_present": one.to_present,
        "to_absent": one.to_absent,
        "to_right": one.to_right,
        "to_wrong": one.to_wrong,
        "detectable": None if math.isnan(one.detectable) else one.detectable,
        "left_out": sum(one.left_out.values()),
        **_p("more_p", one.more.test),
        **_p("shift_p", one.shift.test),
    }
    figures: dict[str, JudgeFigure] = {
        "moved": one.moved,
        "repeat": one.repeat,
        "more": one.more.figure,
        "shift": one.shift.figure,
        "unclear": one.unclear,
        "failed": one.failed,
    }
    for key, figure in figures.items():
        row |= figure_fields(key, figure)
    return row


def _p(key: str, test: FamilyTest) -> dict[str, Any]:
    return {key: test.adjusted, f"{key}_possible": test.can_be_found}


def _measures(kinds: Sequence[KindFigures]) -> Iterator[dict[str, Any]]:
    for one in kinds:
        for measure, shift in one.by_measure.items():
            if measure != "presence":
                yield {"edit": one.kind, "measure": measure, **figure_fields("shift", shift)}


def _transcripts(record: StressRecord, planned: Sequence[Versions]) -> dict[tuple[str, str, str], str]:
    """Return benchmark, item and edit -> the edited transcript."""
    return {
        (item.benchmark, item.item, edit): readable_transcript(put.conversation)
        for item, one in zip(record.items, planned, strict=False)
        for edit, put in one.puts.items()
    }


def _move(one: Move, texts: Mapping[tuple[str, str, str], str]) -> dict[str, Any]:
    item = one.item
    return {
        "edit": one.kind,
        "form": item.forms.get(one.kind, ""),
        "benchmark": item.benchmark,
        "metric": item.metric,
        "item": item.item,
        "plain": one.before,
        "edited": one.after,
        "known": item.known,
        "became": one.right,
        "moves_when_asked_again": one.again,
        "transcript": texts.get((item.benchmark, item.item, one.kind), ""),
    }


def _first(moved: Sequence[Row]) -> list[Row]:
    kinds = dict.fromkeys(row["edit"] for row in moved)
    return [row for kind in kinds for row in [row for row in moved if row["edit"] == kind][:SHOWN_MOVES]]


def _first_title(moved: Sequence[Row]) -> str:
    more = "" if len(_first(moved)) == len(moved) else f", the first {SHOWN_MOVES} of each edit"
    return f"Verdicts that moved: {len(moved)}{more}"


def _left_out(kinds: Sequence[KindFigures]) -> Iterator[str]:
    for one in kinds:
        for reason, count in one.left_out.items():
            yield f"{one.kind}: {counted(count, 'transcript')} left out, {reason}."


def _changes(kinds: Sequence[KindFigures]) -> Iterator[str]:
    for one in kinds:
        if one.moved.items and (one.unclear.value or one.failed.value):
            yield (
                f"{one.kind}: share of unclear verdicts {value_text(one.unclear.value, 'difference')}, of missing ones "
                f"{value_text(one.failed.value, 'difference')}."
            )
