"""A whole label in the words of one audience: what pages, pictures and Markdown show of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.facts import Fact, shown_facts, shown_scripted
from helm_impactbench.outputs.label.foot import shown_foot
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled
from helm_impactbench.outputs.label.summary import sheet_sentence, shown_summary
from helm_impactbench.outputs.label.words import (
    DRAWN,
    ShownRow,
    group_key,
    shown_bands,
    shown_date,
    shown_findings,
    shown_method,
    shown_rows,
    shown_unequal,
)
from helm_impactbench.outputs.people_words import group_words


@dataclass(frozen=True)
class ShownLabel:
    """Every text and figure of a label that has a grade, but for the figures of single metrics."""

    audience: Audience
    model: str
    heading: str
    """What the whole label is called."""
    title: str
    """The line over the model's name."""
    stamp: str | None
    """That it is a script's, or by scripts; None for neither."""
    sentence: str
    """The one on the sheet."""
    pair: tuple[tuple[str, str], ...]
    """The two groups with marks of their own, (key, words); none where there is one mark."""
    foot: tuple[str, ...]
    """What is missing, if anything; chats and date, judge, floor."""
    scripted: str | None
    """Which roles a script played; None for none."""
    summary: str
    unequal: tuple[str, ...]
    """Notices: what an unfinished suite lacks, and that people fare differently."""
    day: str | None
    """When the last run was: 2026-11-22."""
    dated: str | None
    """The same in a sentence."""
    rows: tuple[ShownRow, ...]
    marks: str
    """What the marks on the drawing stand for."""
    bands: str
    drawn: str
    """What could have been another one."""
    findings: tuple[str, ...]
    facts: tuple[Fact, ...]
    method: tuple[str, ...]


def shown_label(label: Label, audience: Audience) -> ShownLabel:
    """Return the label in the audience's words. Raises ValueError for a label without a grade."""
    if not label.has_grades:
        raise ValueError(f"the label of {label.model} has no grade to be drawn")
    sheet = audience.sheet
    rows = tuple(shown_rows(label, audience))
    pair = tuple((group_key(group), group_words(group.level)) for group in label.pair or ())
    if not any(_is_marked(row, [key for key, _ in pair]) for row in rows):
        pair = ()  # a key to marks that no row has would only puzzle
    return ShownLabel(
        audience=audience,
        model=label.model,
        heading=filled(sheet.heading, model=label.model, audience=audience.name.lower()),
        title=filled(sheet.title, audience=audience.name.lower()),
        stamp=_stamp(label, audience),
        sentence=sheet_sentence(label, sheet),
        pair=pair,
        foot=shown_foot(label, sheet),
        scripted=shown_scripted(label, audience),
        summary=shown_summary(label, audience),
        unequal=(*filter(None, [label.unfinished]), *shown_unequal(label, audience)),
        day=label.dated.isoformat() if label.dated else None,
        dated=shown_date(label, audience),
        rows=rows,
        marks=filled(sheet.marks_pair, first=pair[0][1], second=pair[1][1]) if pair else sheet.marks_all,
        bands=shown_bands(),
        drawn=DRAWN[label.population],
        findings=tuple(shown_findings(label, audience)),
        facts=tuple(shown_facts(label, audience)),
        method=tuple(shown_method(audience, label.population)),
    )


def _is_marked(row: ShownRow, pair: Sequence[str]) -> bool:
    """Whether a row is drawn with the marks of two groups of people, or of one that fares worse."""
    marked = {part.group for part in row.parts if part.verdict}
    return row.grade is not None and (marked.issuperset(pair) or row.first.group in pair) and bool(pair)


def _stamp(label: Label, audience: Audience) -> str | None:
    if "target" in label.tested.scripted:
        return audience.sheet.script
    return audience.sheet.by_script if label.tested.scripted else None
