"""`anchors`: what a suite's judges said of its anchors, and whether they changed while the suite grew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.column import any_of
from helm_impactbench.validity.drift.judge import record_figures
from helm_impactbench.validity.drift.suites import judges_that_changed
from helm_impactbench.validity.records.anchors import AnchorRecord


class AnchorRow(TypedDict):
    """One record of a judge or panel."""

    judges: Annotated[str, Column("Judges", "model", "Deployment, or those of a panel.", "default")]
    began: Annotated[str, Column("Read on", "text", "Day (UTC).", "default")]
    anchors: Annotated[int, Column("Anchors", "count", "Transcripts of the anchor set.", "wide")]
    answered: Annotated[int, Column("Answered", "count", "With an answer.", "default")]
    known: Annotated[int, Column("Known", "count", "Answered ones whose verdict is known.", "wide")]
    right: Annotated[
        int,
        Column(
            "Right",
            "count",
            "Of these, how many most of its answers name.",
            "default",
            key="right",
            text=lambda row: f"{row['right']} of {row['known']}",
        ),
    ]
    noise: Annotated[
        float | None, Column("Noise", "share", "Mean distance of two answers to the same anchor.", "default")
    ]
    served: Annotated[
        str, Column("Served as", "text", "What the provider calls the model.", "default", any_of("served"))
    ]


def anchors(records: Sequence[AnchorRecord]) -> Result:
    """Return a row per record of anchors, with a warning for each judge that changed under the same name."""
    rows = list(_rows(records))
    notes = () if rows else ("No judge has read anchors: no benchmark of this suite has a golden set.",)
    title = "What judges say of the anchor set, a few transcripts with known verdicts"
    return Result((Table.of("anchors", AnchorRow, rows, title),), notes, warnings=tuple(judges_that_changed(records)))


def answered_sentence(record: AnchorRecord) -> str:
    """Return what a record says of its judges, in one line."""
    (row,) = _rows([record])
    noise = "" if row["noise"] is None else f", and two answers to the same transcript differ in {row['noise']:.1%}"
    return (
        f"Anchors: {row['judges']} answered {row['answered']} of {row['anchors']} and was right on {row['right']} of "
        f"the {row['known']} whose verdict is known{noise}."
    )


def _rows(records: Sequence[AnchorRecord]) -> Iterator[AnchorRow]:
    for record in records:
        figures = record_figures(record)
        known = [item.is_right for item in record.items if item.is_right is not None]
        names = sorted({name for served in record.served.values() for name in served})
        yield {
            "judges": record.name,
            "began": record.began.isoformat(),
            "anchors": len(record.items),
            "answered": figures.anchors,
            "known": len(known),
            "right": sum(known),
            "noise": figures.noise,
            "served": ", ".join(names),
        }
