"""Who is treated worse: the two groups with the widest tested gap of each model, grey where it may be chance. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.outputs.report.marks import NARROW, WIDE, Chart, Drawing, drawn, fitted_axis, short, text_width
from helm_impactbench.outputs.report.people_words import group_words

_ROW, _ROW_NARROW = 26, 56


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


def treated_chart(
    rows: Sequence[LevelContrast], names: Mapping[str, str], addresses: Mapping[str, str], title: str
) -> Chart:
    """Return the chart: a ring for the first group, a dot for the second; names and addresses are of the models."""
    axis = fitted_axis([share for row in rows for share in (row.first_rate, row.second_rate)])
    said = {row.model: _words(row) for row in rows}

    def draw(to: Drawing) -> None:
        top = 4.0
        to.height = top
        left, right = 8.0, NARROW - 8.0
        if not to.narrow:
            left = 14 + max(text_width(short(names[row.model]), 14) for row in rows)
            right = WIDE - 16 - max(text_width(words, 12) for words in said.values())
        place = axis.between(left, right)
        for row in rows:
            middle = to.height + (28 if to.narrow else _ROW / 2)
            given = {"stat": "people", "model": row.model, "value": row.difference.value}
            name, address, whole = short(names[row.model]), addresses[row.model], names[row.model]
            if to.narrow:
                to.text(0, to.height + 15, name, bold=row.found, link=address, title=whole)
                to.text(0, middle + 20, said[row.model], size=11.5, colour="soft", data=given)
            else:
                to.text(left - 12, middle + 5, name, size=14, anchor="end", bold=row.found, link=address, title=whole)
                to.text(WIDE, middle + 4, said[row.model], size=12, anchor="end", colour="soft", data=given)
            _marks(to, row, (place(row.first_rate), place(row.second_rate)), middle)
            to.height += _ROW_NARROW if to.narrow else _ROW
        to.axis(axis, place, top)

    return drawn("people", title, draw)


def _marks(to: Drawing, row: LevelContrast, places: tuple[float, float], y: float) -> None:
    colour = "orange" if row.found else "grey"
    to.line(*(places[0], y), *(places[1], y), colour, width=3 if row.found else 1.5)
    to.dot(places[1], y, 6, colour)
    to.dot(places[0], y, 5, colour, hollow=True)


def _words(row: LevelContrast) -> str:
    sides = ", ".join(
        f"{group_words(group)} {share:.0%}"
        for group, share in ((row.first, row.first_rate), (row.second, row.second_rate))
    )
    return f"{sides}: {'significant' if row.found else 'could be chance' if row.can_be_found else 'too few cases'}"
