"""The label as one drawing: black on white, for page, print and embedding, the same for everybody but for a name."""

from __future__ import annotations

from helm_impactbench.outputs.label.phrases import tenths
from helm_impactbench.outputs.label.scale import COLOURS, LETTERS, ON, TINTS, LetterScale
from helm_impactbench.outputs.label.sheet import LabelSheet, cut, text_width
from helm_impactbench.outputs.label.shown import ShownLabel
from helm_impactbench.outputs.label.words import ShownPart, ShownRow
from helm_impactbench.results.passages import visible

WIDTH = 540.0
"""Points: 7.5 inches."""
SOFT, GREY, RULE = "#3a3d41", "#5b5f65", "#b9bdc2"
EDGE = 18.0
"""Between the frame and what stands in it."""
_RIGHT = WIDTH - EDGE
_SCALE = LetterScale(left=200, cell=45)
_ROW, _CELL = 30.0, 20.0
"""Heights of a row, and of the cells in it."""
_HALF = 5.5
"""Half the width of a mark."""
_LARGE, _SMALLEST = 24.0, 11.0
"""Sizes of the model's name."""
_KINDS = ("first", "second")
"""Marks of the two groups."""


def picture_of(label: ShownLabel) -> tuple[LabelSheet, float]:
    """Return the label on a sheet, and its height (points)."""
    sheet = LabelSheet(WIDTH)
    y = _head(sheet, label, 16.0)
    sheet.box(EDGE, y, WIDTH - 2 * EDGE, 6)
    y = _letters(sheet, label, y + 14)
    for row in label.rows:
        sheet.box(EDGE, y, WIDTH - 2 * EDGE, 0.7, fill=RULE)
        _row(sheet, label, row, y)
        y += _ROW
    sheet.box(EDGE, y, WIDTH - 2 * EDGE, 2.2)
    y += 8
    for text in label.foot:
        y = sheet.paragraph(EDGE, y, WIDTH - 2 * EDGE, visible(text), 9.5, colour=SOFT) + 2
    height = y + 10
    sheet.frame(height)
    return sheet, height


def scale_of(label: ShownLabel, row: ShownRow) -> tuple[LabelSheet, float]:
    """Return the scale of one row that has a grade on a sheet of its own, and its height (points)."""
    scale = LetterScale(left=1, cell=18, gap=1)
    sheet, height = LabelSheet(scale.right + 1), _CELL + 6
    _place_scale(sheet, scale, row, label.pair, height / 2)
    return sheet, height


def words_of(label: ShownLabel) -> str:
    """Return in words what the picture shows, for who cannot see it."""
    head = [f"{label.stamp}."] if label.stamp else []
    rows = [f"{row.name}: {_in_words(label, row)}." for row in label.rows]
    return visible(" ".join([*head, label.sentence, *rows, *label.foot]))


def _in_words(label: ShownLabel, row: ShownRow) -> str:
    if row.grade is None:
        return row.grey
    return f"{row.first.span}, {tenths(row.first.value, label.audience.sheet)}, {row.first.who}"


def _head(sheet: LabelSheet, label: ShownLabel, y: float) -> float:
    width = WIDTH - 2 * EDGE
    if label.stamp:
        stamped = visible(label.stamp)
        wide = text_width(stamped, 10, bold=True) + 16
        sheet.box(_RIGHT - wide, y - 2, wide, 18)
        sheet.line(_RIGHT - wide / 2, y + 10.7, stamped, 10, bold=True, align="center", colour="#ffffff")
    sheet.line(EDGE, y + 10.5, cut(visible(label.title), width - 200, 10.5), 10.5, colour=SOFT)
    model = visible(label.model)
    size = min(_LARGE, max(_SMALLEST, width / text_width(model, 1, bold=True)))
    sheet.line(EDGE, y + 42, cut(model, width, size, bold=True), size, bold=True)
    return sheet.paragraph(EDGE, y + 51, width, visible(label.sentence), 12.5) + 6


def _letters(sheet: LabelSheet, label: ShownLabel, y: float) -> float:
    """Place the scale's letters, the names of the marks, and the heading of the figures."""
    for letter in LETTERS:
        start = _SCALE.start(letter)
        sheet.box(start, y, _SCALE.cell, 18, fill=COLOURS[letter])
        sheet.line(start + _SCALE.cell / 2, y + 13.5, letter, 12, bold=True, align="center", colour=ON[letter])
    left = EDGE
    if len(label.pair) == 2:
        room = _SCALE.left - EDGE - 8 - 4 * _HALF - 14
        first, second = (visible(words) for _, words in label.pair)
        named = [cut(first, max(room / 2, room - text_width(second, 8.5)), 8.5)]
        named.append(cut(second, room - text_width(named[0], 8.5), 8.5))
        for words, kind in zip(named, _KINDS, strict=True):
            _mark(sheet, kind, left + _HALF, y + 10, centred=True)
            sheet.line(left + 2 * _HALF + 3, y + 13, words, 8.5, colour=SOFT)
            left += 2 * _HALF + 9 + text_width(words, 8.5)
        graded = [row for row in label.rows if row.grade is not None and not _pair_of(row, label.pair)]
        if any(_kind_of(row.first, label.pair) == "all" for row in graded):
            _mark(sheet, "all", _SCALE.right + 6 + _HALF, y + 10, centred=True)
            sheet.line(_SCALE.right + 9 + 2 * _HALF, y + 13, label.audience.sheet.all, 8.5, colour=SOFT)
    sheet.line(_RIGHT, y + 13, label.audience.sheet.went_well, 9.5, colour=SOFT, align="right")
    return y + 22


def _row(sheet: LabelSheet, label: ShownLabel, row: ShownRow, y: float) -> None:
    middle, base = y + _ROW / 2, y + _ROW / 2 + 4.2
    if row.grade is None:
        sheet.line(EDGE, base, visible(row.name), 11.5, colour=GREY)
        sheet.line(_SCALE.left, base, row.grey, 10.5, colour=GREY)
        return
    sheet.line(EDGE, base, visible(row.name), 11.5, bold=True)
    _place_scale(sheet, _SCALE, row, label.pair, middle)
    figure = tenths(row.first.value, label.audience.sheet)
    sheet.line(_RIGHT, base, figure, 11.5, bold=True, align="right")
    if row.first.group in dict(label.pair):
        left = _RIGHT - text_width(figure, 11.5, bold=True) - 2 * _HALF
        _mark(sheet, _kind_of(row.first, label.pair), left, middle, centred=True)


def _place_scale(
    sheet: LabelSheet, scale: LetterScale, row: ShownRow, pair: tuple[tuple[str, str], ...], y: float
) -> None:
    """Place the scale of a row that has a grade, with its band and its marks; y is the middle of the cells."""
    top = y - _CELL / 2
    for letter in LETTERS:
        sheet.box(scale.start(letter), top, scale.cell, _CELL, fill=TINTS[letter])
    for letter, left, width in scale.band(row.first.interval):
        sheet.box(left, top, width, _CELL, fill=COLOURS[letter])
    for side, kind in zip(_pair_of(row, pair), _KINDS, strict=False):
        _mark(sheet, kind, _inside(scale, side.value), y)
    if not _pair_of(row, pair):
        _mark(sheet, _kind_of(row.first, pair), _inside(scale, row.first.value), y)


def _pair_of(row: ShownRow, pair: tuple[tuple[str, str], ...]) -> list[ShownPart]:
    """Return the two groups that have marks of their own in a row; none where one of them had too few chats."""
    sides = [part for part in (_part(row, key) for key, _ in pair) if part and part.verdict]
    return sides if len(sides) == 2 else []


def _part(row: ShownRow, key: str) -> ShownPart | None:
    return next((part for part in row.parts if part.group == key), None)


def _kind_of(part: ShownPart, pair: tuple[tuple[str, str], ...]) -> str:
    return dict(zip(dict(pair), _KINDS, strict=False)).get(part.group, "all")


def _inside(scale: LetterScale, rate: float) -> float:
    """Return where the middle of a mark lies, which is wholly on the scale."""
    return min(max(scale.place(rate), scale.left + _HALF), scale.right - _HALF)


def _mark(sheet: LabelSheet, kind: str, x: float, y: float, *, centred: bool = False) -> None:
    """Place a mark at y: of two, the first points up from below it and the second down from above, unless centred."""
    if centred:
        y += {"first": -5.5, "second": 5.5}.get(kind, 0)
    if kind == "first":
        points, fill, edge = [(x, y), (x + _HALF, y + 11), (x - _HALF, y + 11)], "#000000", "#ffffff"
    elif kind == "second":
        points, fill, edge = [(x, y), (x + _HALF, y - 11), (x - _HALF, y - 11)], "#ffffff", "#000000"
    else:
        points = [(x, y - 7.5), (x + _HALF, y), (x, y + 7.5), (x - _HALF, y)]
        fill, edge = "#000000", "#ffffff"
    sheet.shape(points, fill=fill, edge=edge, line=1.2)
