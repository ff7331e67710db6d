"""One model over several suites: a row for each, the oldest first; a hollow dot where the measurement changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
from helm_impactbench.stats.intervals import Interval

_ROW, _ROW_NARROW = 26, 56
_NAME, _CHANGES = 24, 44
"""Characters of a suite's name, and of what changed."""


@dataclass(frozen=True)
class HistoryPoint:
    """A model's score in one suite."""

    date: str
    suite: str
    mean: float
    """A share from 0 to 1."""
    interval: Interval
    """95%."""
    changed: str
    """What else than the model changed before this suite; empty where nothing is known to have."""

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.date} \N{MIDDLE DOT} {short(self.suite, _NAME)}"

    @property
    def words(self) -> str:
        """Its figure, and what changed."""
        changed = f" \N{MIDDLE DOT} {short(self.changed, _CHANGES)}" if self.changed else ""
        return f"{self.mean:.0%}{changed}"


def history_axis(points: Iterable[HistoryPoint]) -> Axis:
    """Return the axis that all models have in common, so that a small change looks smaller than a large one."""
    return fitted_axis(
        [
            end
            for one in points
            for end in (one.mean, *((one.interval.low, one.interval.high) if one.interval.is_known else ()))
        ]
    )


def history_chart(points: Sequence[HistoryPoint], axis: Axis, name: str, title: str) -> Chart:
    """Return the chart; name: of its file."""

    def draw(to: Drawing) -> None:
        top = to.height = 4.0
        left, right = 8.0, NARROW - 8.0
        if not to.narrow:
            left = 14 + max(text_width(one.name, 13) for one in points)
            right = max(left + 200, WIDE - 16 - max(text_width(one.words, 12) for one in points))
        place = axis.between(left, right)
        for one in points:
            middle = to.height + (28 if to.narrow else _ROW / 2)
            given = {"stat": "mean", "value": one.mean}
            if to.narrow:
                to.text(0, to.height + 15, one.name)
                to.text(0, middle + 20, one.words, size=12, colour="soft", data=given)
            else:
                to.text(left - 12, middle + 5, one.name, anchor="end")
                to.text(WIDE, middle + 4, one.words, size=12, anchor="end", colour="soft", data=given)
            if one.interval.is_known:
                low, high = place(one.interval.low), place(one.interval.high)
                to.rect(low, middle - 4, max(2.0, high - low), 8, "band", round_by=4)
            to.dot(place(one.mean), middle, 5, "blue", hollow=bool(one.changed))
            to.height += _ROW_NARROW if to.narrow else _ROW
        to.axis(axis, place, top)

    rows = [
        {
            "suite": one.suite,
            "date": one.date,
            "mean": one.mean,
            "low": one.interval.low,
            "high": one.interval.high,
            "changed": one.changed,
        }
        for one in points
    ]
    return drawn(name, title, draw, rows)
