"""The label as a picture: black on white, for print and for embedding. It shows what the page's label shows."""

from __future__ import annotations

from helm_impactbench.outputs.label.grades import BANDS
from helm_impactbench.outputs.label.sheet import LEADING, LabelSheet, cut
from helm_impactbench.outputs.label.shown import ShownLabel
from helm_impactbench.outputs.label.words import ShownPart, ShownRow
from helm_impactbench.results.passages import visible

WIDTH = 540.0
"""Points: 7.5 inches."""
COLOURS = {"A": "#08457e", "B": "#2a6694", "C": "#5f5f5f", "D": "#9a5300", "E": "#7f2704"}
"""Of the grades, as in label.css; white on each can be read."""
SOFT, MID = "#3a3d41", "#8b9097"
_EDGE = 14.0
_RIGHT = WIDTH - _EDGE
_WHO, _GRADE, _RATE, _RANGE, _SMALL = 210.0, 302.0, 334.0, 404.0, 8.0


def picture_of(label: ShownLabel) -> tuple[LabelSheet, float]:
    """Return the label on a sheet, and its height (points)."""
    sheet = LabelSheet(WIDTH)
    sheet.box(0, 0, WIDTH, 0)  # the frame, whose height is known at the end
    y = _head(sheet, label, 12.0)
    sheet.box(_EDGE, y, WIDTH - 2 * _EDGE, 7)
    y = _headings(sheet, label, y + 9)
    for row in label.rows:
        y = _row(sheet, label, row, y + 3)
        sheet.box(_EDGE, y, WIDTH - 2 * _EDGE, 0.7)
    y = _foot(sheet, label, y + 0.7) + 10
    sheet.box(1, 1, WIDTH - 2, y - 2, fill=None, edge="#000000", line=2)
    return sheet, y


def words_of(label: ShownLabel) -> str:
    """Return in words what the picture shows, for who cannot see it."""
    head = [f"{label.audience.rehearsal} {label.scripted}"] if label.scripted else []
    rows = [f"{row.name}: {_in_words(label, row.first)}." for row in label.rows]
    return visible(" ".join([*head, label.summary, *label.unequal, *rows]))


def _in_words(label: ShownLabel, part: ShownPart) -> str:
    if part.verdict is None:
        return label.audience.not_measured
    return f"{part.span}, {part.figure('rate')} ({part.figure('interval')}), {part.who}"


def _head(sheet: LabelSheet, label: ShownLabel, y: float) -> float:
    width = WIDTH - 2 * _EDGE
    y = sheet.paragraph(_EDGE, y, width, visible(label.title), 19, bold=True) + 2
    if label.scripted:
        text = visible(f"{label.audience.rehearsal} {label.scripted}")
        end = sheet.paragraph(_EDGE + 7, y + 4, width - 14, text, 9, bold=True)
        sheet.box(_EDGE, y, width, end - y + 4, fill=None, edge=COLOURS["D"], line=1.5)
        y = end + 9
    y = sheet.paragraph(_EDGE, y, width, visible(label.summary), 11, bold=True) + 3
    for notice in label.unequal:
        end = sheet.paragraph(_EDGE + 9, y, width - 9, visible(notice), 9.5, bold=True)
        sheet.box(_EDGE, y, 4, end - y, fill=COLOURS["E"])
        y = end + 3
    intro = f"{label.audience.intro} {label.dated}." if label.dated else label.audience.intro
    return sheet.paragraph(_EDGE, y, width, visible(intro), _SMALL, colour=SOFT) + 5


def _headings(sheet: LabelSheet, label: ShownLabel, y: float) -> float:
    columns = label.audience.columns
    for x, text in ((_WHO, label.audience.who), (_GRADE, columns["grade"]), (_RATE, columns["rate"])):
        end = max(y, sheet.paragraph(x, y, 56, text, 6.6, colour=SOFT))
        y_end = end
    sheet.paragraph(_RANGE, y, 80, columns["interval"], 6.6, colour=SOFT)
    sheet.line(_RIGHT, y + 6.3, cut(columns["scored"], 60, 6.6), 6.6, colour=SOFT, align="right")
    y = max(y_end, y + 2 * 6.6 * LEADING) + 2
    sheet.box(_EDGE, y, WIDTH - 2 * _EDGE, 1.4)
    return y


def _row(sheet: LabelSheet, label: ShownLabel, row: ShownRow, y: float) -> float:
    claim = visible(" ".join(filter(None, [row.text, row.tried, row.beside])))
    name = sheet.paragraph(_EDGE, y, _WHO - _EDGE - 10, visible(row.name), 11, bold=True)
    if not row.is_measured:
        end = _reason(sheet, label, row.first, y + 1, _WHO)
        return max(name, sheet.paragraph(_WHO, end, _RIGHT - _WHO, claim, 7.2, colour=SOFT)) + 3
    left = sheet.paragraph(_EDGE, name, _WHO - _EDGE - 10, claim, 7.2, colour=SOFT)
    right = _first(sheet, label, row.first, y)
    for part in row.parts[1:]:
        right = _other(sheet, label, part, right)
    return max(left, right) + 3


def _reason(sheet: LabelSheet, label: ShownLabel, part: ShownPart, y: float, x: float) -> float:
    text = f"{label.audience.not_measured}. {part.why_none}"
    return sheet.paragraph(x, y, _RIGHT - x, visible(text), _SMALL, bold=True)


def _first(sheet: LabelSheet, label: ShownLabel, part: ShownPart, y: float) -> float:
    """Place the part that leads a row, large, and return where it ends."""
    end = sheet.paragraph(_WHO, y + 1, _GRADE - _WHO - 8, visible(part.who), 8.5, bold=True)
    if not part.has_figures:
        return max(end, _reason(sheet, label, part, y + 1, _GRADE))
    _grade(sheet, part, y + 1, 24)
    sheet.line(_RATE, y + 18, part.figure("rate"), 14.5, bold=True)
    _bar(sheet, part, y + 2, 84, 8)
    sheet.line(_RANGE, y + 18, part.figure("interval"), 7.4)
    end = max(end, sheet.paragraph(_RANGE, y + 19.5, _RIGHT - _RANGE, part.why_none, 6.6, colour=SOFT))
    sheet.line(_RIGHT, y + 10, part.figure("scored"), 9, align="right")
    return max(end, y + 28) + 1


def _other(sheet: LabelSheet, label: ShownLabel, part: ShownPart, y: float) -> float:
    """Place a further part, small, and return where it ends."""
    if not part.has_figures:
        end = sheet.paragraph(_WHO, y, _GRADE - _WHO - 8, visible(part.who), 7.2)
        return max(end, _reason(sheet, label, part, y, _GRADE))
    sheet.line(_WHO, y + 8, cut(visible(part.who), _GRADE - _WHO - 8, 7.2), 7.2)
    _grade(sheet, part, y + 0.5, 9.5)
    sheet.line(_RATE, y + 8, part.figure("rate"), 7.6)
    _bar(sheet, part, y + 2, 34, 5)
    sheet.line(_RANGE + 38, y + 8, part.figure("interval"), 6.4)
    sheet.line(_RIGHT, y + 8, part.figure("scored"), 7.2, align="right")
    return sheet.paragraph(_RANGE + 38, y + 8.6, _RIGHT - _RANGE - 38, part.why_none, 6, colour=SOFT) + 2


def _grade(sheet: LabelSheet, part: ShownPart, y: float, side: float) -> None:
    fill, size = COLOURS.get(part.span) if part.verdict else None, (0.8 if len(part.span) == 1 else 0.32) * side
    sheet.box(_GRADE, y, 1.05 * side, side, fill=fill, edge=None if fill else MID, line=0.7)
    sheet.line(_GRADE + 0.525 * side, y + 0.5 * side + 0.36 * size, part.span, size, bold=True, align="center",
               colour="#ffffff" if fill else "#000000")  # fmt: skip


def _bar(sheet: LabelSheet, part: ShownPart, y: float, width: float, height: float) -> None:
    """Place a scale from 0 to 100% with the bounds of the grades, the interval and the rate."""
    sheet.box(_RANGE, y + height, width, 0.6, fill=SOFT)
    for bound in (*(band.least for band in BANDS), 1.0):
        sheet.box(_RANGE + bound * width - 0.25, y + 0.6 * height, 0.5, 0.4 * height, fill=SOFT)
    if part.interval.is_known:
        low, high = part.interval.low, part.interval.high
        sheet.box(_RANGE + low * width, y + 0.25 * height, (high - low) * width, 0.4 * height, fill=MID)
    sheet.box(_RANGE + part.value * width - 0.9, y, 1.8, height)


def _foot(sheet: LabelSheet, label: ShownLabel, y: float) -> float:
    width, headings = WIDTH - 2 * _EDGE, label.audience.headings
    ranges = f"{label.bands}. Ranges: had other {label.drawn} of the same kind been tried."
    facts = " ".join(
        f"{fact.name}: {'; '.join(item.text + item.count for item in fact.items).rstrip('.')}." for fact in label.facts
    )
    texts = {
        headings["doubts"]: " ".join(label.findings) or label.audience.no_doubt,
        headings["tested"]: f"{label.audience.tested} {facts}",
        headings["method"]: " ".join([ranges, *label.method]),
    }
    for heading, text in texts.items():
        sheet.box(_EDGE, y, width, 2)
        sheet.line(_EDGE, y + 11, heading, 8.4, bold=True)
        y = sheet.paragraph(_EDGE, y + 13, width, visible(text), 6.8) + 4
    return y
