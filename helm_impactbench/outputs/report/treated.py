"""Who is treated worse: the two groups with the widest tested gap of each model, grey where it may be chance. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.marks import NARROW, WIDE, Chart, Drawing, drawn, fitted_axis, short, text_width

_ROW, _ROW_NARROW = 26, 56
_LINE, _LINE_NARROW = 72, 58
"""Characters of what is said of a row."""


def widest_of_each(contrasts: Sequence[LevelContrast], without: Collection[str] = ()) -> list[LevelContrast]:
    """Return a contrast of each model: its widest significant one, else its widest; the widest first.

    without: scripts that are no rows.
    """
    found: dict[str, LevelContrast] = {}
    for one in sorted(contrasts, key=_place):
        if one.model not in without:
            found.setdefault(one.model, one)
    return list(found.values())


def _place(one: LevelContrast) -> tuple[bool, float, str, str, str]:
    return not one.found, -abs(one.difference.value), one.model, one.first, one.second


def widest_of_axes(contrasts: Sequence[LevelContrast]) -> list[LevelContrast]:
    """Return a contrast of each axis of people: its widest significant one, else its widest; the widest first."""
    found: dict[str, LevelContrast] = {}
    for one in sorted(contrasts, key=_place):
        found.setdefault(one.axis, one)
    return list(found.values())


@dataclass(frozen=True)
class TreatedRow:
    """One row of the chart."""

    contrast: LevelContrast
    name: str
    """Of the model, or of what the groups differ in."""
    address: str


def treated_chart(rows: Sequence[TreatedRow], title: str) -> Chart:
    """Return the chart: a ring for the first group, a dot for the second."""
    axis = fitted_axis([share for row in rows for share in (row.contrast.first_rate, row.contrast.second_rate)])

    def draw(to: Drawing) -> None:
        said = [_words(row.contrast, _LINE_NARROW if to.narrow else _LINE) for row in rows]
        top = 4.0
        to.height = top
        left, right = 8.0, NARROW - 8.0
        if not to.narrow:
            left = 14 + max(text_width(short(row.name), 14) for row in rows)
            right = WIDE - 16 - max(text_width(words, 12) for words in said)
        place = axis.between(left, right)
        for row, words in zip(rows, said, strict=True):
            one, middle = row.contrast, to.height + (28 if to.narrow else _ROW / 2)
            to.model = one.model
            given = {"stat": "people", "model": one.model, "value": one.difference.value}
            if to.narrow:
                to.text(0, to.height + 15, short(row.name), bold=one.found, link=row.address, title=row.name)
                to.text(0, middle + 20, words, size=11.5, colour="soft", data=given)
            else:
                to.text(
                    left - 12,
                    middle + 5,
                    short(row.name),
                    size=14,
                    anchor="end",
                    bold=one.found,
                    link=row.address,
                    title=row.name,
                )
                to.text(WIDE, middle + 4, words, size=12, anchor="end", colour="soft", data=given)
            _marks(to, one, (place(one.first_rate), place(one.second_rate)), middle)
            to.height += _ROW_NARROW if to.narrow else _ROW
        to.model = ""
        to.axis(axis, place, top)

    numbers = [
        {
            "model": one.model,
            "first": one.first,
            "first_rate": one.first_rate,
            "second": one.second,
            "second_rate": one.second_rate,
            "difference": one.difference.value,
            "significant": one.found,
        }
        for one in (row.contrast for row in rows)
    ]
    return drawn("people", title, draw, numbers)


def _marks(to: Drawing, row: LevelContrast, places: tuple[float, float], y: float) -> None:
    colour = "orange" if row.found else "grey"
    to.line(*(places[0], y), *(places[1], y), colour, width=3 if row.found else 1.5)
    to.dot(places[1], y, 6, colour)
    to.dot(places[0], y, 5, colour, hollow=True)


def _words(row: LevelContrast, most: int) -> str:
    """Return both rates and what the test says; names of groups lose their middle where the line is too long."""
    verdict = "significant" if row.found else "could be chance" if row.can_be_found else "too few cases"
    rates = ((group_words(row.first), row.first_rate), (group_words(row.second), row.second_rate))
    line = ", ".join(f"{group} {share:.0%}" for group, share in rates) + f": {verdict}"
    if len(line) <= most:
        return line
    room = (most - len(line) + sum(len(group) for group, _ in rates)) // 2
    return ", ".join(f"{short(group, room)} {share:.0%}" for group, share in rates) + f": {verdict}"
