"""The first chart: every model with its mean and interval, in the groups that tests support, on an axis that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.outputs.report.groups import ModelGroup
from helm_impactbench.outputs.report.marks import (
    NARROW,
    WIDE,
    Axis,
    Chart,
    Drawing,
    drawn,
    fitted_axis,
    short,
    text_width,
)
from helm_impactbench.outputs.report.people_words import group_words
from helm_impactbench.stats.intervals import Interval

_ROW, _ROW_NARROW, _HEADING, _LINE = 24, 40, 26, 16
_CHARACTERS = 38
"""Of a heading on one line of a phone."""


@dataclass(frozen=True)
class ModelRow:
    """One model of the chart."""

    model: str
    name: str
    """Short, as the chart has it."""
    title: str
    """Whole."""
    address: str
    mean: float
    """A share from 0 to 1."""
    interval: Interval
    """95%."""
    gap: PeopleGap | None = None
    """The groups of people that fare most differently; then these are drawn, and no mean."""

    @property
    def shares(self) -> list[float]:
        """All that is drawn of it."""
        if self.gap:
            return [self.gap.worse[1], self.gap.better[1]]
        return [self.mean, *((self.interval.low, self.interval.high) if self.interval.is_known else ())]

    @property
    def words(self) -> str:
        """Its figures."""
        return " | ".join(f"{share:.0%}" for share in self.shares) if self.gap else f"{self.mean:.0%}"


def model_chart(rows: Sequence[ModelRow], groups: Sequence[ModelGroup], title: str) -> Chart:
    """Return the chart of `rows`, one for each model of `groups`."""
    by_model = {row.model: row for row in rows}
    axis = fitted_axis([share for row in rows for share in row.shares])

    def draw(to: Drawing) -> None:
        left, right = _ends(rows, narrow=to.narrow)
        place = axis.between(left, right)
        top = 4.0
        to.height = top
        for number, group in enumerate(groups):
            _heading(to, group, ruled=number > 0, left=left)
            for model in group.models:
                (_narrow_row if to.narrow else _wide_row)(to, by_model[model], axis, (left, right), group.leading)
        to.axis(axis, place, top)

    return drawn("models", title, draw)


def _ends(rows: Sequence[ModelRow], *, narrow: bool) -> tuple[float, float]:
    """Return where the axis begins and ends: names stand left of it, figures right of it."""
    if narrow:
        return 8, NARROW - 8
    names = max(text_width(short(row.name), 14) for row in rows)
    figures = max(text_width(row.words, 13, bold=True) for row in rows)
    return min(300.0, names + 14), WIDE - figures - 14


def _heading(to: Drawing, group: ModelGroup, *, ruled: bool, left: float) -> None:
    if ruled:
        to.line(0, to.height + 5, to.width, to.height + 5, "soft", dashes="2 3")
        to.height += 6
    lines = wrap(group.heading, _CHARACTERS) if to.narrow else [group.heading] * bool(group.heading)
    for place, words in enumerate(lines):
        to.text(0 if to.narrow else left, to.height + 17, words, size=12.5, colour="soft", bold=True)
        to.height += _LINE if place < len(lines) - 1 else _HEADING


def _wide_row(to: Drawing, row: ModelRow, axis: Axis, ends: tuple[float, float], leading: bool) -> None:
    middle = to.height + _ROW / 2
    to.text(ends[0] - 12, middle + 5, short(row.name), size=14, anchor="end", link=row.address, title=row.title)
    end = _marks(to, row, axis, ends, middle, leading)
    _figures(to, row, end + 8, middle + 4.5, "start")
    to.height += _ROW


def _narrow_row(to: Drawing, row: ModelRow, axis: Axis, ends: tuple[float, float], leading: bool) -> None:
    to.text(0, to.height + 15, short(row.name), size=13, link=row.address, title=row.title)
    _figures(to, row, NARROW, to.height + 15, "end")
    _marks(to, row, axis, ends, to.height + 28, leading)
    to.height += _ROW_NARROW


def _figures(to: Drawing, row: ModelRow, x: float, y: float, anchor: str) -> None:
    if row.gap is None:
        given = {"stat": "mean", "model": row.model, "value": row.mean}
        to.text(x, y, row.words, anchor=anchor, bold=True, data=given)
    else:
        title = ", ".join(f"{group_words(group)}: {share:.0%}" for group, share in (row.gap.worse, row.gap.better))
        to.text(x, y, row.words, anchor=anchor, bold=True, title=title)


def _marks(to: Drawing, row: ModelRow, axis: Axis, ends: tuple[float, float], y: float, leading: bool) -> float:
    """Draw band and tick, or two diamonds, and return where they end on the right."""
    place = axis.between(*ends)
    places = [place(share) for share in row.shares]
    if row.gap:
        to.line(min(places), y, max(places), y, "grey", width=1.5)
        for x in places:
            to.diamond(x, y, 6, "orange", link=row.address)
        return max(places) + 6
    if row.interval.is_known:
        to.rect(places[1], y - 5, max(2.0, places[2] - places[1]), 10, "band" if leading else "quiet", round_by=5)
    to.rect(places[0] - 1.5, y - 7, 3, 14, "blue" if leading else "grey")
    return max(places) + 2
