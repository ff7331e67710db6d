"""`annotate score` of a sheet of content: is it relevant, clear and realistic, and read as it is meant?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helm_impactbench.errors import counted
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.validity.annotation.content.summary import ContentReport, ContentRow, FlaggedItem, Verdicts
from helm_impactbench.validity.commands.annotate import AGREEMENT_COLUMNS, PAIR_COLUMNS, agreement_row, pair_rows
from helm_impactbench.validity.commands.columns import bounded_fields, figure_columns, presentable, text_columns

MOST_SHOWN = 10
"""Items to correct on a screen; files have them all."""
QUESTIONS = ("relevance", "clarity", "realism", "confidence")


def _points(question: str) -> tuple[Column, ...]:
    def text(row: Row) -> str:
        return f"{value_text(row.get(key), 'money')} ({value_text(row.get(f'{question}_spread'), 'money')})"

    key = f"{question}_mean"
    about = "Mean of five points, and the standard deviation of the answers."
    return (
        Column(question.capitalize(), "number", about, "default", key=key, text=text),
        Column(f"{question}, low", "number", "Lower end of its 95% CI.", key=f"{question}_low"),
        Column(f"{question}, high", "number", "Upper end of its 95% CI.", key=f"{question}_high"),
        Column(f"{question}, spread", "number", "Standard deviation.", key=f"{question}_spread"),
    )


NAME = Column("Benchmark", "text", "Slug, or all benchmarks.", "default", key="name")
READING_COLUMNS = (
    NAME,
    Column("Items", "count", "That somebody answered.", "default", key="items"),
    *(column for question in QUESTIONS for column in _points(question)),
)
VERDICT_COLUMNS = (
    NAME,
    Column("Verdicts", "count", "On sample replies.", "default", key="verdicts_answers"),
    *figure_columns("verdicts", "As intended", "Share of verdicts; unclear is not."),
    *figure_columns("examples", "Of examples", "On replies written to show the behaviour.", "wide"),
    *figure_columns("near_misses", "Of near misses", "On near misses.", "wide"),
    Column("Unclear", "rate", "Share of verdicts.", "default", key="verdicts_unclear"),
    *(
        Column(f"{name.replace('_', ' ')}, {part}", "number", "Verdicts.", key=f"{name}_{part}")
        for name in ("examples", "near_misses")
        for part in ("answers", "unclear")
    ),
)
FLAGGED_COLUMNS = (
    *text_columns(("metric", "Metric", "Slug and id.", "default"), ("variant", "Variant", "Id.", "default")),
    Column("Faults", "count", "Verdicts not as intended, and answers of 1 or 2 points.", "default", key="faults"),
    *text_columns(
        ("intended", "Meant as", "The intended verdict.", "default"),
        ("verdicts", "Read as", "By each expert.", "default"),
        ("points", "Points", "By each expert.", "wide"),
        ("comments", "Comments", "Of experts.", "wide"),
        ("reply", "Reply", "The sample reply.", "file"),
    ),
)


def content_scored(report: ContentReport) -> Result:
    """Return what experts' answers to a sheet of content say."""
    rows = [_row(row) for row in report.rows]
    flagged = [_flagged(one) for one in report.flagged]
    more = f", the first {MOST_SHOWN}" if len(flagged) > MOST_SHOWN else ""
    people = ", ".join(f"{name} {items}" for name, items in report.people.items())
    tables = (
        Table("rows", (*READING_COLUMNS, *(one for one in VERDICT_COLUMNS if one is not NAME)), rows, view="file"),
        Table(
            "readings",
            READING_COLUMNS,
            rows,
            "Five points: mean, and standard deviation of the answers",
            in_files=False,
        ),
        Table("verdicts", VERDICT_COLUMNS, rows, "Verdicts on sample replies", in_files=False),
        Table(
            "agreement", AGREEMENT_COLUMNS, [agreement_row(one) for one in report.agreement], "How far experts agree"
        ),
        Table(
            "pairs",
            PAIR_COLUMNS,
            [row for one in report.agreement for row in pair_rows(one)],
            "Two experts each",
            "wide",
        ),
        Table(
            "flagged_shown",
            FLAGGED_COLUMNS,
            flagged[:MOST_SHOWN],
            f"{counted(len(flagged), 'item')} with faults or comments{more}",
            in_files=False,
        ),
        Table("flagged", FLAGGED_COLUMNS, flagged, view="file"),
        Table(
            "sheet",
            text_columns(*((key, key, "Of the sheet.", "file") for key in ("sheet", "seed", "people"))),
            [{"sheet": report.key.sheet, "seed": report.key.seed, "people": dict(report.people)}],
            view="file",
        ),
    )
    notes = (
        f"Read by {counted(len(report.people), 'expert')} (items answered, of {len(report.key.items)}: {people}).",
        *(() if flagged else ("No item has a fault or a comment.",)),
        *(() if report.agreement else ("One expert: how far experts agree is unknown.",)),
        "With --out, the files name the intended verdicts, so they are not for readers who have yet to begin.",
    )
    return Result(presentable(tables), notes, tuple(_details()))


def _row(row: ContentRow) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": row.name, "items": row.items}
    for question, points in row.points.items():
        fields |= {
            f"{question}_mean": points.mean,
            f"{question}_low": points.interval.low,
            f"{question}_high": points.interval.high,
            f"{question}_spread": points.spread,
        }
    for name, share in (("verdicts", row.verdicts), ("examples", row.shown), ("near_misses", row.missed)):
        fields |= _share(name, share)
    return fields


def _share(name: str, share: Verdicts) -> dict[str, Any]:
    fields = bounded_fields(name, share.agreeing, share.interval)
    return {**fields, f"{name}_answers": share.answers, f"{name}_unclear": share.unclear}


def _flagged(one: FlaggedItem) -> dict[str, Any]:
    return {
        "metric": one.item.metric,
        "variant": one.item.variant,
        "faults": one.faults,
        "intended": one.item.intended,
        "verdicts": list(one.verdicts),
        "points": {name: list(given) for name, given in one.points.items() if given},
        "comments": [f"{name}: {' '.join(comment.split())}" for name, comment in one.comments],
        "reply": one.item.reply,
    }


def _details() -> Iterator[str]:
    yield '"unclear" is not a verdict in agreement.'
    yield (
        "These figures are about the text as it was on the sheet, and these readers. They say whether the content can "
        "be read as it is meant, not whether a judge reads it so, and not that the behaviours matter."
    )
