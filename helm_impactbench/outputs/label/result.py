"""`label`: the grades of each model's label as tables, for terminals, files and Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.people import people_sentences
from helm_impactbench.errors import counted
from helm_impactbench.outputs.label import summary, words
from helm_impactbench.outputs.label.audiences import Audience, audience_of
from helm_impactbench.outputs.label.doubts import GradeDoubt
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.summary import reason_text, undrawn
from helm_impactbench.outputs.label.words import ShownRow
from helm_impactbench.stats.population import WORDS
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.names import scripted_note
from helm_impactbench.validity.judge_trust import NO_JUDGES

NOT_MEASURED = "not measured"


class GradeRow(TypedDict):
    """A row of a label, for everybody or for one group of people."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.")]
    row: Annotated[str, Column("Row", "text", "Key of the label's row.")]
    people: Annotated[str, Column("People", "text", "everybody, or a level of an axis.")]
    grade: Annotated[
        str,
        Column(
            "Grade",
            "text",
            'The fewest neighbouring grades that hold 90% of the evidence; or "no grade" or "not measured".',
        ),
    ]
    pass_rate: Annotated[float | None, Column("Pass rate", "rate", "Pass rate; empty if not measured.")]
    low: Annotated[float | None, Column("Low", "rate", "Lower end of the pass rate's 95% CI.")]
    high: Annotated[float | None, Column("High", "rate", "Upper end of the pass rate's 95% CI.")]
    population: Annotated[
        str, Column("Population", "text", "What the interval generalises to: `these` or `like-these`.")
    ]
    scored: Annotated[int, Column("Scored", "count", "Conversations with a verdict.")]
    without_a_score: Annotated[int, Column("Without a score", "count", "Conversations that are unscored or unclear.")]
    scenarios: Annotated[int, Column("Scenarios", "count", "Base scenarios.")]


class ScreenRow(TypedDict):
    """The same as people see it."""

    name: Annotated[str, Column("Row", "text", "What is graded, or for whom.", "default")]
    grade: Annotated[str, Column("Grade", "text", "The grades with 90% of the evidence.", "default")]
    rate: Annotated[str, Column("Pass rate", "text", "Of scored conversations.", "default")]
    interval: Annotated[str, Column("95% CI", "text", "Over scenarios.", "default")]
    scored: Annotated[str, Column("Scored", "text", "Conversations.", "wide")]
    scenarios: Annotated[str, Column("Scenarios", "text", "Base scenarios.", "wide")]


_EMPTY: ScreenRow = {"name": "", "grade": "", "rate": "", "interval": "", "scored": "", "scenarios": ""}


def label_result(labels: Sequence[Label], audience: str) -> Result:
    """Return the labels of models in the words of an audience; what holds for all of them is said once."""
    given = audience_of(audience)
    rows = [row for label in labels for row in _rows(label)]
    notes = [_notes(label, given) for label in labels]
    doubts = [
        [*_reasons(label, given), *words.shown_findings(label, given, without=GradeDoubt.NOT_MEASURED)]
        for label in labels
    ]
    common, common_doubts = _in_all(notes), _in_all(doubts)
    own_doubts = [
        f"{label.model}: {doubt}"
        for label, own in zip(labels, doubts, strict=True)
        for doubt in own
        if doubt not in common_doubts
    ]
    population = {label.population for label in labels}
    trust = sum((label.judges for label in labels), NO_JUDGES)
    result = Result(
        (
            *(
                _screen(label, given, [note for note in own if note not in common])
                for label, own in zip(labels, notes, strict=True)
            ),
            Table.of("grades", GradeRow, rows, view="file"),
        ),
        (
            *common,
            *common_doubts,
            *(f"95% intervals are {WORDS[one]}." for one in sorted(population)),
            *(("--wide says why rows are not measured, and what is least certain.",) if own_doubts else ()),
        ),
        (*own_doubts, scripted_note(label.model for label in labels)),
        first=people_sentences({label.model: label.unequal for label in labels}),
    )
    return result.of_part(*dict.fromkeys(filter(None, (label.unfinished for label in labels)))).judged(
        trust.line, trust.warning
    )


def _in_all(notes: Sequence[Sequence[str]]) -> list[str]:
    """Return what stands in each of these."""
    return [note for note in (notes[0] if notes else ()) if all(note in others for others in notes)]


def _notes(label: Label, given: Audience) -> list[str]:
    """Return what a reader of one label's table must know."""
    return [
        *(() if label.unequal else words.shown_unequal(label, given)),
        *(f"{row.name}: {row.beside}" for row in words.shown_rows(label, given) if row.is_measured and row.beside),
        *(panel.stressed for panel in label.judges.panels if panel.stressed),
    ]


def _screen(label: Label, given: Audience, notes: Sequence[str]) -> Table:
    rows = words.shown_rows(label, given)
    shown = [row for row in rows if row.is_measured]
    lines = [line for row in shown for line in _lines(label, row)]
    if unmeasured := [row for row in rows if not row.is_measured]:
        lines.append(
            {**_EMPTY, "name": counted(len(unmeasured), "more row" if shown else "row"), "grade": NOT_MEASURED}
        )
    title = f"{label.model}. {summary.shown_summary(label, given)}" if label.has_grades else undrawn(label, given.sheet)
    table = Table.of(f"label of {label.model}", ScreenRow, lines, title)
    return Table(table.name, table.columns, lines, title, in_files=False, notes=tuple(notes))


def _lines(label: Label, row: ShownRow) -> Iterator[ScreenRow]:
    """Yield the lines of a row: its name, with everybody's figures where they lead, and each group with figures."""
    name = row.name
    if row.first.group != "everybody":
        yield {**_EMPTY, "name": name}
        name = ""
    for shown, part in zip(row.parts, label.parts(row.key), strict=True):
        if not name and not shown.has_figures:
            continue
        figure = words.figures(part)
        yield {
            "name": name or f"  {shown.who}",
            "grade": shown.span if shown.verdict else "no grade" if shown.has_figures else NOT_MEASURED,
            "rate": figure["rate"],
            "interval": figure["interval"],
            "scored": figure["scored"],
            "scenarios": figure["scenarios"],
        }
        name = ""


def _reasons(label: Label, audience: Audience) -> Iterator[str]:
    """Yield a sentence for each reason not to grade, with the rows that it holds for."""
    found: dict[str, list[str]] = {}
    for key in audience.sheet.order:
        if reason := words.reason_of(label, label.leading(key)):
            found.setdefault(reason, []).append(audience.sheet.names[key])
    for reason, names in found.items():
        text = reason_text(reason, audience.sheet)
        yield f"Not measured, because {text}: {', '.join(names)}."


def _rows(label: Label) -> Iterator[GradeRow]:
    for row in label.rows:
        for part in sorted(label.parts(row.key), key=lambda part: part.group is not None):
            shown = None if label.averages(part) else part.grade
            known = part.grade is not None
            yield {
                "model": label.model,
                "row": row.key,
                "people": part.group.level if part.group else "everybody",
                "grade": shown.span if shown else "no grade" if known else NOT_MEASURED,
                "pass_rate": part.rate.value if known else None,
                "low": part.interval.low if known else None,
                "high": part.interval.high if known else None,
                "population": label.population,
                "scored": len(part.rate.scored),
                "without_a_score": part.rate.missing,
                "scenarios": part.scenarios,
            }
