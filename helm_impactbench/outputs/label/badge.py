"""A badge: the whole scale on 240 by 60 points with the grades that occur lit, for a readme or a web page."""

from __future__ import annotations

from helm_impactbench.outputs.label.phrases import filled
from helm_impactbench.outputs.label.picture import SOFT
from helm_impactbench.outputs.label.scale import COLOURS, LETTERS, ON, TINTS
from helm_impactbench.outputs.label.sheet import LabelSheet, cut, text_width
from helm_impactbench.outputs.label.shown import ShownLabel
from helm_impactbench.results.passages import visible

WIDTH, HEIGHT = 240.0, 60.0
_CELL, _LEFT = 17.0, 102.0


def badge_of(label: ShownLabel, address: str | None = None) -> LabelSheet:
    """Return the badge; `address` is where its first line leads."""
    sheet, lit = LabelSheet(WIDTH), _letters(label)
    sheet.frame(HEIGHT)
    for place, letter in enumerate(LETTERS):
        left, on = 8 + place * (_CELL + 1), letter in lit
        sheet.box(left, 18, _CELL, 24, fill=COLOURS[letter] if on else TINTS[letter])
        colour = ON[letter] if on else SOFT
        sheet.line(left + _CELL / 2, 35, letter, 13, bold=on, align="center", colour=colour)
    width = WIDTH - _LEFT - 7
    first, *others = _lines(label)
    size = min(10.0, width / text_width(first, 1, bold=True))
    sheet.line(_LEFT, 20, first, size, bold=True, address=address)
    for number, text in enumerate(others):
        sheet.line(_LEFT, 33 + 12.5 * number, cut(visible(text), width, 8), 8, colour=SOFT)
    return sheet


def badge_words(label: ShownLabel) -> str:
    """Return in words what the badge shows."""
    return visible(" ".join(f"{line}." for line in _lines(label)))


def _lines(label: ShownLabel) -> tuple[str, str, str]:
    graded, letters = sum(row.grade is not None for row in label.rows), _letters(label)
    either = " or ".join(filter(None, [", ".join(letters[:-1]), letters[-1]]))
    told = filled(label.audience.sheet.badge, graded=str(graded), letters=either)
    return told, label.model, ", ".join(filter(None, [label.stamp, label.day]))


def _letters(label: ShownLabel) -> list[str]:
    """Return the letters within the grade of any row, best first."""
    grades = [row.grade for row in label.rows if row.grade]
    return [letter for letter in LETTERS if any(grade.best <= letter <= grade.worst for grade in grades)]
