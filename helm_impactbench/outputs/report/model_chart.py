"""The first chart: every model with its mean and interval, in the groups that tests support, on an axis that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from helm_impactbench.analysis.people import GroupRates, PeopleGap
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.groups import ModelGroup
from helm_impactbench.outputs.report.marks import (
    NARROW,
    Axis,
    Chart,
    Drawing,
    drawn,
    fitted_axis,
    short,
    text_width,
)
from helm_impactbench.stats.intervals import Interval

_ROW, _ROW_NARROW, _HEADING, _LINE = 24, 40, 26, 16
_CHARACTERS = 38
"""Of a heading on one line of a phone."""


@dataclass(frozen=True)
class ModelLine:
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
    gap: PeopleGap | GroupRates | None = None
    """The groups of people that fare most differently; then these are drawn, and no mean."""

    @property
    def shares(self) -> list[float]:
        """All that is drawn of it."""
        if self.gap:
            return [self.gap.worse[1], self.gap.better[1]]
        return [self.mean, *((self.interval.low, self.interval.high) if self.interval.is_known else ())]

    @property
    def numbers(self) -> dict[str, object]:
        """What is drawn of it, for a table: a mean, or the rates of two groups."""
        mean, low, high = ("", "", "") if self.gap else (self.mean, self.interval.low, self.interval.high)
        groups = (*self.gap.worse, *self.gap.better) if self.gap else ("", "", "", "")
        named = dict(zip(("worse_group", "worse_rate", "better_group", "better_rate"), groups, strict=True))
        return {"model": self.model, "mean": mean, "low": low, "high": high, **named}

    @property
    def words(self) -> str:
        """Its figures."""
        return " | ".join(f"{share:.0%}" for share in self.shares) if self.gap else f"{self.mean:.0%}"


def model_chart(rows: Sequence[ModelLine], groups: Sequence[ModelGroup], title: str, picked: str = "") -> Chart:
    """Return the chart of `rows`, one for each model of `groups`; picked: the model that stands out, in place of those
    that lead.
    """
    return drawn("models", title, lambda to: draw_models(to, rows, groups, picked), [row.numbers for row in rows])


def draw_models(to: Drawing, rows: Sequence[ModelLine], groups: Sequence[ModelGroup], picked: str = "") -> None:
    """Draw the chart."""
    by_model = {row.model: row for row in rows}
    axis = fitted_axis([share for row in rows for share in row.shares])
    left, right = _ends(to, rows)
    top = to.height = 4.0
    for number, group in enumerate(groups):
        _heading(to, group, ruled=number > 0, left=left)
        for model in group.models:
            to.model = model
            draw_row = _narrow_row if to.narrow else _wide_row
            draw_row(to, by_model[model], axis, (left, right), _look(model, group, picked))
        to.model = ""
    to.axis(axis, axis.between(left, right), top)


@dataclass(frozen=True)
class _Look:
    """How a row is drawn."""

    coloured: bool
    bold: bool = False


def _look(model: str, group: ModelGroup, picked: str) -> _Look:
    return _Look(model == picked, bold=model == picked) if picked else _Look(group.leading)


def _ends(to: Drawing, rows: Sequence[ModelLine]) -> tuple[float, float]:
    """Return where the axis begins and ends: names stand left of it, figures right of it."""
    if to.narrow:
        return 8, NARROW - 8
    names = max(text_width(short(row.name), 14) for row in rows)
    figures = max(text_width(row.words, 13, bold=True) for row in rows)
    return min(300.0, names + 14), to.width - figures - 14


def _heading(to: Drawing, group: ModelGroup, *, ruled: bool, left: float) -> None:
    if ruled:
        to.line(0, to.height + 5, to.width, to.height + 5, "soft", dashes="2 3")
        to.height += 6
    lines = wrap(group.heading, _CHARACTERS) if to.narrow else [group.heading] * bool(group.heading)
    for place, words in enumerate(lines):
        to.text(0 if to.narrow else left, to.height + 17, words, size=12.5, colour="soft", bold=True)
        to.height += _LINE if place < len(lines) - 1 else _HEADING


def _wide_row(to: Drawing, row: ModelLine, axis: Axis, ends: tuple[float, float], look: _Look) -> None:
    middle = to.height + _ROW / 2
    to.text(
        ends[0] - 12,
        middle + 5,
        short(row.name),
        size=14,
        anchor="end",
        bold=look.bold,
        link=row.address,
        title=row.title,
    )
    end = _marks(to, row, axis, ends, middle, look)
    _figures(to, row, end + 8, middle + 4.5, "start")
    to.height += _ROW


def _narrow_row(to: Drawing, row: ModelLine, axis: Axis, ends: tuple[float, float], look: _Look) -> None:
    to.text(0, to.height + 15, short(row.name), size=13, bold=look.bold, link=row.address, title=row.title)
    _figures(to, row, NARROW, to.height + 15, "end")
    _marks(to, row, axis, ends, to.height + 28, look)
    to.height += _ROW_NARROW


def _figures(to: Drawing, row: ModelLine, x: float, y: float, anchor: str) -> None:
    if row.gap is None:
        given = {"stat": "mean", "model": row.model, "value": row.mean}
        to.text(x, y, row.words, anchor=anchor, bold=True, data=given)
    else:
        title = ", ".join(f"{group_words(group)}: {share:.0%}" for group, share in (row.gap.worse, row.gap.better))
        to.text(x, y, row.words, anchor=anchor, bold=True, title=title)


def _marks(to: Drawing, row: ModelLine, axis: Axis, ends: tuple[float, float], y: float, look: _Look) -> float:
    """Draw band and tick, or two diamonds, and return where they end on the right."""
    place = axis.between(*ends)
    places = [place(share) for share in row.shares]
    if row.gap:
        to.line(min(places), y, max(places), y, "grey", width=1.5)
        for x in places:
            to.diamond(x, y, 6, "orange", link=row.address)
        return max(places) + 6
    if row.interval.is_known:
        to.rect(places[1], y - 5, max(2.0, places[2] - places[1]), 10, "band" if look.coloured else "quiet", round_by=5)
    to.rect(places[0] - 1.5, y - 7, 3, 14, "blue" if look.coloured else "grey")
    return max(places) + 2
