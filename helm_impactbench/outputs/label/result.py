"""`label`: the grades of each model's label as tables, for terminals, files and Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.people import people_sentences
from helm_impactbench.outputs.label import summary, words
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.render import audience_of
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.label.words import ShownRow
from helm_impactbench.stats.population import WORDS
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.names import scripted_note
from helm_impactbench.validity.judge_trust import NO_JUDGES


class GradeRow(TypedDict):
    """A row of a label, for everybody or for one group of people."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.")]
    row: Annotated[str, Column("Row", "text", "Key of the row.")]
    people: Annotated[str, Column("People", "text", "everybody, or a level of an axis.")]
    grade: Annotated[str, Column("Grade", "text", "The bands with 90% of the evidence, no grade, or not measured.")]
    pass_rate: Annotated[float | None, Column("Pass rate", "rate", "Empty where it is not measured.")]
    low: Annotated[float | None, Column("Low", "rate", "Lower end of its 95% CI.")]
    high: Annotated[float | None, Column("High", "rate", "Upper end of its 95% CI.")]
    population: Annotated[str, Column("Population", "text", "What intervals are for.")]
    scored: Annotated[int, Column("Scored", "count", "Conversations.")]
    without_a_score: Annotated[int, Column("Without a score", "count", "Conversations.")]
    scenarios: Annotated[int, Column("Scenarios", "count", "Base scenarios.")]


class ScreenRow(TypedDict):
    """The same as people see it."""

    name: Annotated[str, Column("Row", "text", "What is graded, or for whom.", "default")]
    grade: Annotated[str, Column("Grade", "text", "The bands with 90% of the evidence.", "default")]
    rate: Annotated[str, Column("Pass rate", "text", "Of scored conversations.", "default")]
    interval: Annotated[str, Column("95% CI", "text", "Over scenarios.", "default")]
    scored: Annotated[str, Column("Scored", "text", "Conversations.", "wide")]
    scenarios: Annotated[str, Column("Scenarios", "text", "Base scenarios.", "wide")]


def label_result(labels: Sequence[Label], audience: str) -> Result:
    """Return the labels of models in the words of an audience."""
    rows = [row for label in labels for row in _rows(label)]
    population = {label.population for label in labels}
    trust = sum((label.judges for label in labels), NO_JUDGES)
    return Result(
        (*(_screen(label, audience) for label in labels), Table.of("grades", GradeRow, rows, view="file")),
        tuple(f"95% intervals are {WORDS[one]}." for one in sorted(population)),
        (scripted_note(label.model for label in labels),),
        first=people_sentences({label.model: label.unequal for label in labels}),
    ).judged(trust.line, trust.warning)


def _screen(label: Label, audience: str) -> Table:
    given = audience_of(audience)
    rows = words.shown_rows(label, given)
    parts = {row.key: label.parts(row.key, children=given.children_first) for row in rows}
    lines = [line for row in rows for line in _lines(row, parts[row.key])]
    notes = (
        *(() if label.unequal else words.shown_unequal(label, given)),
        *(f"{row.name}: {row.first.why_none}" for row in rows if row.grade is None),
        *(f"{row.name}: {row.beside}" for row in rows if row.beside),
        *words.shown_findings(label, given),
        *(panel.stressed for panel in label.judges.panels if panel.stressed),
    )
    title = f"{label.model}. {summary.shown_summary(label, given, rows)}"
    table = Table.of(f"label of {label.model}", ScreenRow, lines, title)
    return Table(table.name, table.columns, lines, title, in_files=False, notes=notes)


def _lines(row: ShownRow, parts: Sequence[GradedRow]) -> Iterator[ScreenRow]:
    """Yield the lines of a row: its name, with everybody's figures where they lead, and a line for each group."""
    name = f"{row.kind.lower()} {row.name}" if row.kind and row.key == row.name else row.name
    if row.first.group != "everybody":
        yield {"name": name, "grade": "", "rate": "", "interval": "", "scored": "", "scenarios": ""}
        name = ""
    for shown, part in zip(row.parts, parts, strict=True):
        none = "no grade" if shown.has_figures else "not measured"
        figure = words.figures(part)
        yield {
            "name": name or f"  {shown.who}",
            "grade": shown.span if shown.verdict else none,
            "rate": figure["rate"],
            "interval": figure["interval"],
            "scored": figure["scored"],
            "scenarios": figure["scenarios"],
        }
        name = ""


def _rows(label: Label) -> Iterator[GradeRow]:
    for row in label.rows:
        for part in sorted(label.parts(row.key), key=lambda part: part.group is not None):
            shown = None if label.averages(part) else part.grade
            known = part.grade is not None
            yield {
                "model": label.model,
                "row": row.key,
                "people": part.group.level if part.group else "everybody",
                "grade": shown.span if shown else "no grade" if known else "not measured",
                "pass_rate": part.rate.value if known else None,
                "low": part.interval.low if known else None,
                "high": part.interval.high if known else None,
                "population": label.population,
                "scored": len(part.rate.scored),
                "without_a_score": part.rate.missing,
                "scenarios": part.scenarios,
            }
