"""A badge: one row of a label on 240 by 60 points, for a readme or a web page."""

from __future__ import annotations

from helm_impactbench.outputs.label.phrases import NOTHING
from helm_impactbench.outputs.label.picture import COLOURS, MID, SOFT
from helm_impactbench.outputs.label.sheet import LabelSheet, cut
from helm_impactbench.outputs.label.shown import ShownLabel
from helm_impactbench.outputs.label.summary import main_row
from helm_impactbench.results.passages import visible

WIDTH, HEIGHT = 240.0, 60.0
_LEFT = 60.0


def badge_of(label: ShownLabel, address: str | None = None) -> LabelSheet:
    """Return the badge; `address` is where its last line leads."""
    row = main_row(label.rows)
    grade = row.first.span if row else NOTHING
    sheet, fill = LabelSheet(WIDTH), COLOURS.get(grade)
    sheet.box(1, 1, WIDTH - 2, HEIGHT - 2, fill="#ffffff", edge="#000000", line=2)
    sheet.box(6, 6, 48, 48, fill=fill, edge=None if fill else MID)
    size = 39.0 if len(grade) == 1 else 15.0
    sheet.line(30, 30 + 0.36 * size, grade, size, bold=True, align="center", colour="#ffffff" if fill else "#000000")
    for y, text, size, bold in zip(
        (14.5, 25.5, 35.0, 44.5), _lines(label), (9.5, 8.2, 7.0, 7.0), (1, 0, 0, 0), strict=True
    ):
        shown = cut(visible(text), WIDTH - _LEFT - 6, size, bold=bool(bold))
        sheet.line(_LEFT, y, shown, size, bold=bool(bold))
    if label.scripted:
        sheet.box(_LEFT - 1, 47, WIDTH - _LEFT - 5, 9, fill="#000000")
    last = label.audience.rehearsal if label.scripted else label.audience.read_label
    sheet.line(_LEFT + 1, 54, last, 7, bold=True, colour="#ffffff" if label.scripted else SOFT, address=address)
    return sheet


def badge_words(label: ShownLabel) -> str:
    """Return in words what the badge shows."""
    row = main_row(label.rows)
    head = [label.audience.rehearsal] if label.scripted else []
    return visible(
        " ".join([*head, *(f"{line}." for line in _lines(label) if line), row.first.span if row else ""]).strip()
    )


def _lines(label: ShownLabel) -> tuple[str, str, str, str]:
    row, audience = main_row(label.rows), label.audience
    if row is None:
        return audience.no_row, label.model, "", label.dated or ""
    first = row.first
    rate = f"{first.figure('rate')} ({first.figure('interval')})"
    return (
        row.name,
        label.model,
        f"{rate}, {first.figure('scored')} {audience.badge_unit}",
        ", ".join(filter(None, [first.who, label.dated])),
    )
